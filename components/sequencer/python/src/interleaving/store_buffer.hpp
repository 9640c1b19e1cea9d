#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>

namespace sequencer::python {

/**
 * x86's store buffer of one actor: its stores reach memory in their order, but when they like, unless a fence or a
 * read-modify-write of its own waits for them. The actor itself sees them at once.
 *
 * Actors without one store into memory at once, which a processor may do as well. So what happens with one actor's
 * buffer is something that happens on x86, and not all that does: for that see tests/model.
 */
class StoreBuffer {
 public:
  /// The calling actor's; null if it has none.
  static StoreBuffer* own() { return own_; }

  /// From now on the calling actor's.
  /// @param fences whether its fences wait for it.
  void attach(bool fences) {
    own_ = this;
    has_fences_ = fences;
  }

  bool has_fences() const { return has_fences_; }
  bool empty() const { return waiting_.empty(); }

  /// @param write is called when the store reaches memory, and says what it was.
  void put(std::function<std::string()> write) { waiting_.push_back(std::move(write)); }

  /// The oldest store reaches memory. Precondition: not empty.
  std::string write() {
    const auto oldest = std::move(waiting_.front());
    waiting_.pop_front();
    return oldest();
  }

  /// Is called when all that waits has reached memory; at once, if nothing does.
  void when_written(std::function<void()> then) {
    if (empty()) {
      then();
      return;
    }
    waiting_.back() = [write = std::move(waiting_.back()), then = std::move(then)] {
      std::string what = write();
      then();
      return what;
    };
  }

  /// Whether the calling actor may make an access that waits for its stores.
  static std::function<bool()> drained() {
    return [own = own_] { return own == nullptr || own->empty(); };
  }

 private:
  inline static thread_local StoreBuffer* own_ = nullptr;

  bool has_fences_ = true;
  std::deque<std::function<std::string()>> waiting_;
};

}  // namespace sequencer::python
