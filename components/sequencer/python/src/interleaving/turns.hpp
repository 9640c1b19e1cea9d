#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <semaphore>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace sequencer::python {

/**
 * Actors that take turns: each is a thread, and one at a time runs, from one access of shared memory to the next, when
 * it is told to. So which interleaving happens is the caller's choice, and the same one happens again.
 *
 * No two threads ever run at once, and each turn happens before the next (by the semaphores): nothing that actors do to
 * shared memory is a data race, whatever it would be on real threads. What they see is sequentially consistent, but for
 * stores that wait in a StoreBuffer.
 */
class Turns {
 public:
  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  /// Actors that have not ended are ended where they stand.
  ~Turns();

  /// Runs up to its first access.
  void add(std::function<void()> body);

  std::size_t size() const { return actors_.size(); }

  /// Whether it has reached its end.
  bool ended(std::size_t actor) const { return actors_[actor].ended; }

  /// Whether its next access can be made: it has not ended, and waits for no lock.
  bool enabled(std::size_t actor) const;

  /// Its next access, and on to the one after it. Returns what it did, in a few words.
  /// @throws std::logic_error if it is not enabled; what the actor throws.
  std::string step(std::size_t actor);

  /// Makes an access of the calling actor's, when it is its turn; at once, if the caller is none.
  /// @param what is asked afterwards what the access did.
  /// @param ready whether it can be made.
  template <class Access, class What>
  static auto access(Access make, What what, std::function<bool()> ready = [] { return true; }) {
    wait_until(std::move(ready));
    if constexpr (std::is_void_v<decltype(make())>) {
      make();
      tell(what());
    } else {
      auto result = make();
      tell(what(result));
      return result;
    }
  }

  /// As `access` for one that has to wait until it can be made.
  static void wait_until(std::function<bool()> ready);
  static void tell(std::string what);

 private:
  struct Actor {
    std::thread thread;
    std::binary_semaphore go{0};
    std::binary_semaphore stands{0};
    std::function<bool()> ready;
    std::string did;
    std::exception_ptr failure;
    bool ended = false;
    bool abandoned = false;
  };

  /// Thrown out of an access, so that what the actor holds is given back.
  struct Abandoned {};

  static void rethrow(Actor& actor);
  static void run(Actor& self, const std::function<void()>& body);

  /// The calling actor; none on a thread that is not one.
  static thread_local Actor* self_;

  // Actors do not move: threads know theirs by address.
  std::deque<Actor> actors_;
};

}  // namespace sequencer::python
