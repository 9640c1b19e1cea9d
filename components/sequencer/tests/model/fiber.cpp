#include "model/fiber.hpp"

#include <cstdint>
#include <utility>

namespace sequencer::model {

void Fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  finished_ = false;
  ::getcontext(&own_);
  own_.uc_stack.ss_sp = stack_.get();
  own_.uc_stack.ss_size = kStackBytes;
  own_.uc_link = nullptr;
  // makecontext passes ints only.
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&own_, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
}

void Fiber::resume() { ::swapcontext(&caller_, &own_); }

void Fiber::pause() { ::swapcontext(&own_, &caller_); }

void Fiber::enter(unsigned low, unsigned high) {
  auto* const self = reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low);
  self->body_();
  self->finished_ = true;
  ::setcontext(&self->caller_);
}

}  // namespace sequencer::model
