#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <source_location>
#include <utility>
#include <vector>

#include "model/explorer.hpp"
#include "model/sites.hpp"
#include "sequencer/epoch_buffer.hpp"

namespace sequencer::model {

constexpr bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

constexpr bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

/// As std::atomic; each operation is a step, and hands over what its memory order says and no more. Where it stands in
/// the source is the last argument, for mutants that lack one line's order (see sites.hpp).
template <class T>
class Atomic {
 public:
  Atomic() = default;
  Atomic(T value) : value_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic

  T load(std::memory_order order, std::source_location at = std::source_location::current()) const {
    order = Sites::order(order, at);
    Explorer* const explorer = Explorer::running();
    if (explorer == nullptr) {
      return value_;
    }
    explorer->before({.object = this, .name = "load"});
    if (const std::deque<T>& own = buffered_[explorer->thread()]; !own.empty()) {
      // Its own store, of which it knows already. What another's has released is in memory, and was not read.
      return own.back();
    }
    if (acquires(order)) {
      explorer->known().join(released_);
    }
    return value_;
  }

  void store(T value, std::memory_order order, std::source_location at = std::source_location::current()) {
    order = Sites::order(order, at);
    Explorer* const explorer = Explorer::running();
    if (explorer == nullptr) {
      value_ = value;
      return;
    }
    if (explorer->has_store_buffers() && order != std::memory_order_seq_cst) {
      explorer->before_buffering();
      buffer(*explorer, value, order);
      return;
    }
    explorer->before({.object = this, .writes = true, .drains = true, .name = "store"});
    released_ = release(*explorer, order);
    value_ = value;
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order success, std::memory_order failure,
                               std::source_location at = std::source_location::current()) {
    success = Sites::order(success, at);
    bool exchanged = false;
    update("compare-exchange", [&] {
      exchanged = value_ == expected;
      expected = value_;
      return exchanged ? std::pair(desired, success) : std::pair(value_, failure);
    });
    return exchanged;
  }

  T fetch_add(T addend, std::memory_order order, std::source_location at = std::source_location::current()) {
    order = Sites::order(order, at);
    T before{};
    update("fetch-add", [&] {
      before = value_;
      return std::pair<T, std::memory_order>(value_ + addend, order);
    });
    return before;
  }

  T fetch_or(T bits, std::memory_order order, std::source_location at = std::source_location::current()) {
    order = Sites::order(order, at);
    T before{};
    update("fetch-or", [&] {
      before = value_;
      return std::pair<T, std::memory_order>(value_ | bits, order);
    });
    return before;
  }

 private:
  /// A read-modify-write continues the release sequence that it reads from.
  template <class F>
  void update(const char* name, F next) {
    Explorer* const explorer = Explorer::running();
    if (explorer != nullptr) {
      explorer->before({.object = this, .writes = true, .drains = true, .name = name});
    }
    const auto [value, order] = next();
    if (explorer != nullptr) {
      if (acquires(order)) {
        explorer->known().join(released_);
      }
      released_.join(release(*explorer, order));
    }
    value_ = value;
  }

  void buffer(Explorer& explorer, T value, std::memory_order order) {
    std::deque<T>& own = buffered_[explorer.thread()];
    own.push_back(value);
    explorer.buffer_store(this, [this, &own, released = release(explorer, order)] {
      released_ = released;
      value_ = own.front();
      own.pop_front();
    });
  }

  static VectorClock release(Explorer& explorer, std::memory_order order) {
    if (!releases(order)) {
      return {};
    }
    const VectorClock released = explorer.known();
    ++explorer.known().at[explorer.thread()];
    return released;
  }

  T value_{};
  VectorClock released_;
  std::array<std::deque<T>, kMaxThreads> buffered_;
};

/// Reports the finding "data race" if two accesses, one of them a write, are not ordered by happens-before.
class Watch {
 public:
  void read() const {
    if (Explorer* const explorer = Explorer::running()) {
      const VectorClock& known = explorer->known();
      expect_known(writes_, known);
      reads_.at[explorer->thread()] = known.at[explorer->thread()];
    }
  }

  void write() {
    if (Explorer* const explorer = Explorer::running()) {
      const VectorClock& known = explorer->known();
      expect_known(writes_, known);
      expect_known(reads_, known);
      writes_.at[explorer->thread()] = known.at[explorer->thread()];
    }
  }

 private:
  static void expect_known(const VectorClock& accesses, const VectorClock& known) {
    for (std::size_t thread = 0; thread < kMaxThreads; ++thread) {
      if (accesses.at[thread] > known.at[thread]) {
        Explorer::report("data race");
      }
    }
  }

  mutable VectorClock reads_;
  VectorClock writes_;
};

template <class T>
class Plain {
 public:
  Plain& operator=(const T& value) {
    watch_.write();
    value_ = value;
    return *this;
  }
  operator T() const {  // NOLINT(google-explicit-constructor): as a T
    watch_.read();
    return value_;
  }

 private:
  Watch watch_;
  T value_{};
};

class Mutex {
 public:
  void lock() {
    if (Explorer* const explorer = Explorer::running()) {
      explorer->before({.object = this, .writes = true, .blocked_by = &held_, .drains = true, .name = "lock"});
      explorer->known().join(released_);
    }
    held_ = true;
  }

  void unlock() {
    if (Explorer* const explorer = Explorer::running()) {
      explorer->before(
          {.object = this, .writes = true, .unblocks = &held_, .drains = true, .is_noexcept = true, .name = "unlock"});
      released_ = explorer->known();
      ++explorer->known().at[explorer->thread()];
    }
    held_ = false;
  }

 private:
  bool held_ = false;
  VectorClock released_;
};

/// As std::vector, as far as the buffers use it; watched as one object.
template <class T>
class WatchedVector {
 public:
  void push_back(const T& value) {
    watch_.write();
    values_.push_back(value);
  }
  void clear() {
    watch_.write();
    values_.clear();
  }
  void swap(WatchedVector& other) {
    watch_.write();
    other.watch_.write();
    values_.swap(other.values_);
  }
  auto begin() {
    watch_.read();
    return values_.begin();
  }
  auto end() {
    watch_.read();
    return values_.end();
  }
  bool empty() const {
    watch_.read();
    return values_.empty();
  }
  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }

 private:
  Watch watch_;
  std::vector<T> values_;
};

/**
 * What std::vector does when two threads are at it and nothing worse happens: begin, end and elements are words in
 * memory, and each access to one is a step. Room is always there (a real one would move elsewhere meanwhile).
 */
template <class T>
class SteppedVector {
 public:
  static constexpr std::size_t kRoom = 8;

  void push_back(const T& value) {
    const std::size_t at = size_.load(std::memory_order_relaxed);
    elements_[at].store(value, std::memory_order_relaxed);
    size_.store(at + 1, std::memory_order_relaxed);
  }
  void clear() { size_.store(0, std::memory_order_relaxed); }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = T;

    explicit Iterator(const Atomic<T>* at) : at_(at) {}
    T operator*() const { return at_->load(std::memory_order_relaxed); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Atomic<T>* at_;
  };

  Iterator begin() const { return Iterator(elements_.data()); }
  Iterator end() const { return Iterator(elements_.data() + size_.load(std::memory_order_relaxed)); }

 private:
  Atomic<std::size_t> size_{0};
  std::array<Atomic<T>, kRoom> elements_;
};

/// What the heavy fence of the pair does: nothing; what mfence does, to the store buffer of its own thread; or what
/// membarrier(2) does, to those of all threads.
enum class HeavyFence { kNone, kOwnThread, kAllThreads };

/// What buffers are made of under the explorer. `V` is the vector: watched, or stepped through.
template <template <class> class V, HeavyFence kHeavyFence = HeavyFence::kAllThreads>
struct Primitives {
  template <class T>
  using Atomic = model::Atomic<T>;
  template <class T>
  using Plain = model::Plain<T>;
  using Mutex = model::Mutex;
  template <class T>
  using Vector = V<T>;
  /// Not watched: that two first pushes race for the map is plain to see, and would hide what comes after.
  template <class Key, class Value>
  using Map = std::map<Key, Value>;

  static void show(const Plain<PendingBatch>* first, std::size_t count, Visit visit) {
    for (std::size_t i = 0; i < count; ++i) {
      const PendingBatch batch = first[i];
      visit({&batch, 1});
    }
  }

  /// A compiler barrier, as on the machine: the explorer does not reorder.
  static void light_fence() {}

  /// The other threads pass it one by one, and not all at once.
  static void heavy_fence() {
    Explorer* const explorer = Explorer::running();
    if (explorer == nullptr || kHeavyFence == HeavyFence::kNone) {
      return;
    }
    explorer->before({.drains = true, .name = "fence"});
    if (!explorer->has_store_buffers() || kHeavyFence == HeavyFence::kOwnThread) {
      return;
    }
    for (std::size_t thread = 0, own = explorer->thread(); thread < explorer->threads(); ++thread) {
      if (thread != own) {
        explorer->await_buffer_of(thread);
      }
    }
  }
};

}  // namespace sequencer::model
