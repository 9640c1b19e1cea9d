#include "interleaving/turns.hpp"

#include <stdexcept>
#include <utility>

namespace sequencer::python {

thread_local Turns::Actor* Turns::self_ = nullptr;

Turns::~Turns() {
  for (Actor& actor : actors_) {
    if (!actor.ended) {
      actor.abandoned = true;
      actor.go.release();
      actor.stands.acquire();
    }
    actor.thread.join();
  }
}

void Turns::add(std::function<void()> body) {
  Actor& actor = actors_.emplace_back();
  actor.thread = std::thread([&actor, body = std::move(body)] { run(actor, body); });
  actor.stands.acquire();
  rethrow(actor);
}

void Turns::rethrow(Actor& actor) {
  if (actor.failure) {
    std::rethrow_exception(std::exchange(actor.failure, nullptr));
  }
}

void Turns::run(Actor& self, const std::function<void()>& body) {
  self_ = &self;
  try {
    body();
  } catch (const Abandoned&) {
  } catch (...) {
    self.failure = std::current_exception();
  }
  self.ended = true;
  self.stands.release();
}

bool Turns::enabled(std::size_t actor) const {
  const Actor& one = actors_[actor];
  return !one.ended && one.ready();
}

std::string Turns::step(std::size_t actor) {
  if (!enabled(actor)) {
    throw std::logic_error(ended(actor) ? "it has reached its end" : "it waits for a lock");
  }
  Actor& one = actors_[actor];
  one.did.clear();
  one.go.release();
  one.stands.acquire();
  rethrow(one);
  return one.did;
}

void Turns::wait_until(std::function<bool()> ready) {
  if (self_ == nullptr) {
    return;
  }
  Actor& self = *self_;
  self.ready = std::move(ready);
  self.stands.release();
  self.go.acquire();
  if (self.abandoned) {
    throw Abandoned{};
  }
}

void Turns::tell(std::string what) {
  if (self_ != nullptr) {
    self_->did = std::move(what);
  }
}

}  // namespace sequencer::python
