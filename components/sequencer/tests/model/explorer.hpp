#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/clock.hpp"
#include "model/fiber.hpp"

namespace sequencer::model {

/// What one execution consists of: threads that share what their closures hold, and a look at the outcome.
struct Program {
  std::vector<std::function<void()>> threads;
  /// When all threads have ended.
  std::function<void()> after;
};

enum class Memory {
  kSequentiallyConsistent,
  /// x86-TSO: a store that is not seq_cst waits in a FIFO buffer of its thread, for as long as it takes, unless a fence
  /// or a read-modify-write empties it. Loads look there first.
  kStoreBuffers,
};

/// kNone tries every order, for tests of the reduction itself.
enum class Reduction { kDynamicPartialOrder, kNone };

struct Result {
  /// One per class of executions that differ only in the order of independent steps.
  std::uint64_t executions = 0;
  /// Given up on, as others cover them.
  std::uint64_t pruned = 0;
  /// All classes have been seen; false if `limit` came first.
  bool complete = false;
  /// What was found, by name: in how many executions, and the steps of the first of them.
  struct Finding {
    std::uint64_t executions = 0;
    std::string schedule;
  };
  std::map<std::string, Finding> findings;

  bool found(const std::string& name) const { return findings.contains(name); }
};

/**
 * Runs a program in every order of its steps that can make a difference, and keeps what each turned out to be.
 *
 * A step is an operation on an atomic, a mutex or a fence (see primitives.hpp); what lies between is local. Exploration
 * is stateless, with dynamic partial-order reduction (Flanagan and Godefroid, POPL 2005) and sleep sets (Godefroid
 * 1996): two steps are independent unless they touch the same object and one of them writes. Nothing is bounded but the
 * program itself, whose loops must be.
 *
 * Data between the atomics is not stepped through but watched: an access that is not ordered by happens-before, as the
 * memory orders in the source make it, to an earlier one that conflicts, is the finding "data race". As it follows from
 * the class and not from the order within it, none is missed. So a release or acquire that is missing is found although
 * each execution is sequentially consistent (or, with store buffers, TSO).
 *
 * Not covered: reorderings that neither TSO nor a missing release-acquire pair shows, such as those of POWER.
 */
class Explorer {
 public:
  explicit Explorer(Memory memory = Memory::kSequentiallyConsistent,
                    Reduction reduction = Reduction::kDynamicPartialOrder, std::uint64_t limit = 20'000'000)
      : memory_(memory), reduction_(reduction), limit_(limit) {}

  /// `make` is called for each execution, and must always make the same program.
  Result explore(const std::function<Program()>& make);

  /// From within a program: the outcome has this property.
  static void report(const std::string& finding);

  /// For primitives.hpp. Null outside an execution's threads; then there is nothing to schedule or to watch.
  static Explorer* running() { return running_; }

  /// What a step has to do with a thread's store buffer.
  enum class Buffer { kUntouched, kEntered, kLeft, kAwaited };

  struct Step {
    const void* object = nullptr;
    bool writes = false;
    /// Cannot be done while true: a mutex that is held.
    const bool* blocked_by = nullptr;
    /// Makes that false: can never be next together with a step that is blocked by it.
    const bool* unblocks = nullptr;
    /// Cannot be done until this thread's store buffer is empty.
    bool drains = false;
    /// Of the thread `buffer_of`: a store comes into its store buffer, leaves it for memory, or the step cannot be done
    /// until the buffer is empty.
    Buffer buffer = Buffer::kUntouched;
    std::size_t buffer_of = 0;
    /// May be done by a destructor, which must not throw.
    bool is_noexcept = false;
    const char* name = "";
  };

  /// Lets others go first, if that matters; returns when it is this thread's turn to do the step.
  void before(const Step& step);

  bool has_store_buffers() const { return memory_ == Memory::kStoreBuffers; }
  std::size_t threads() const { return threads_; }
  /// Before a store comes into this thread's buffer: a step of its own, if it matters when.
  void before_buffering() {
    if (buffers_awaited_) {
      before({.buffer = Buffer::kEntered, .buffer_of = current_, .name = "buffer"});
    }
  }
  /// `apply` is called when the store reaches memory, by when its thread may have ended.
  void buffer_store(const void* object, std::function<void()> apply);
  /// Waits until that thread's buffer is empty.
  void await_buffer_of(std::size_t thread);

  /// The thread whose turn it is, and what it knows by happens-before: C++'s, not the schedule's.
  std::size_t thread() const { return current_; }
  VectorClock& known() { return known_[current_]; }

 private:
  using Processes = std::uint32_t;  // a bit each: threads, then their store buffers

  /// A state on the path, and the step that was taken from it.
  struct Node {
    std::array<Step, kMaxProcesses> next;
    Processes enabled = 0;
    Processes backtrack = 0;
    Processes done = 0;
    Processes sleep = 0;
    std::size_t chosen = 0;
    /// What that step comes after, itself included.
    VectorClock clock;

    const Step& step() const { return next[chosen]; }
  };

  struct Buffered {
    const void* object;
    std::function<void()> apply;
    VectorClock scheduled;
  };

  /// Of the schedule: who must come after whom as their steps depend on each other.
  struct ObjectClocks {
    VectorClock writes;
    VectorClock accesses;
  };

  enum class Ended { kCompletely, kPruned, kDeadlocked };

  Ended run(const Program& program);
  bool choose_next_path();
  Node observe() const;
  std::optional<Step> next_step(std::size_t process) const;
  bool is_enabled(std::size_t process, const Step& step) const;
  VectorClock clock_before(std::size_t process, const Step& step) const;
  void add_backtracks(const Node& node, std::size_t depth);
  void reverse(std::size_t i, std::size_t process, const VectorClock& clock, const Step& step, std::size_t depth);
  void execute(Node& node, std::size_t depth);
  void resume(std::size_t thread);
  void abandon();
  std::string schedule() const;

  /// In vector clocks: the step from state `depth`. 0 is before all.
  static int time_of(std::size_t depth) { return static_cast<int>(depth) + 1; }

  static bool dependent(const Step& a, const Step& b) {
    return (a.object != nullptr && a.object == b.object && (a.writes || b.writes)) || awaits(a, b) || awaits(b, a);
  }

  /// Whether one waits for the buffer that the other one has to do with.
  static bool awaits(const Step& a, const Step& b) {
    return a.buffer == Buffer::kAwaited && b.buffer != Buffer::kUntouched && a.buffer_of == b.buffer_of;
  }

  /// Whether there may be a state in which both are enabled; only then can `later` be let go first. A store can leave
  /// only a buffer that is not empty, and that is not enough for whoever waits for it.
  static bool may_be_coenabled(const Step& earlier, const Step& later) {
    const bool leaves = (earlier.buffer == Buffer::kLeft && awaits(later, earlier)) ||
                        (later.buffer == Buffer::kLeft && awaits(earlier, later));
    return !leaves && (earlier.unblocks == nullptr || earlier.unblocks != later.blocked_by);
  }

  static inline Explorer* running_ = nullptr;
  static inline Explorer* reporting_ = nullptr;

  const Memory memory_;
  const Reduction reduction_;
  const std::uint64_t limit_;
  std::array<Fiber, kMaxThreads> fibers_;
  std::vector<Node> path_;

  /// Whether the program waits for other threads' buffers: only then does it matter when a store comes into one.
  bool buffers_awaited_ = false;

  // Of the execution under way.
  std::size_t threads_ = 0;
  std::size_t current_ = 0;
  bool abandoning_ = false;
  std::array<Step, kMaxThreads> pending_;
  std::array<std::deque<Buffered>, kMaxThreads> buffers_;
  std::array<VectorClock, kMaxThreads> known_;
  std::array<VectorClock, kMaxProcesses> scheduled_;
  std::unordered_map<const void*, ObjectClocks> objects_;
  std::set<std::string> outcome_;
};

}  // namespace sequencer::model
