#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "interleaving/store_buffer.hpp"
#include "interleaving/turns.hpp"
#include "sequencer/epoch_buffer.hpp"
#include "sequencer/pending_batch.hpp"

/// What a buffer is made of, where each access of shared memory is a step of its own. A call that is one to the reader
/// of a source, such as push_back, is the accesses that it makes of memory.
namespace sequencer::python::stepped {

inline std::string text_of(const PendingBatch& batch) { return "batch " + std::to_string(batch.position); }

template <class T>
  requires std::is_integral_v<T>
std::string text_of(T value) {
  // Small negative numbers are how epochs look before they wrap around.
  const auto number = static_cast<std::make_signed_t<T>>(value);
  return std::to_string(number);
}

/// A word of memory, as the calling actor sees it.
template <class T>
class Word {
 public:
  Word() = default;
  explicit Word(T value) : value_(value) {}

  const T& get() const { return StoreBuffer::own() != nullptr && !waiting_.empty() ? waiting_.back() : value_; }

  void set(const T& value) {
    if (StoreBuffer* const buffer = StoreBuffer::own()) {
      waiting_.push_back(value);
      buffer->put([this] {
        value_ = waiting_.front();
        waiting_.pop_front();
        return text_of(value_) + " reaches memory";
      });
    } else {
      value_ = value;
    }
  }

 private:
  T value_{};
  /// In the store buffer of the one actor that has one.
  std::deque<T> waiting_;
};

inline std::string where_it_waits() { return StoreBuffer::own() != nullptr ? " (in the store buffer)" : ""; }

template <class T>
class Atomic {
 public:
  Atomic() = default;
  Atomic(T value) : word_(value) {}  // NOLINT(google-explicit-constructor): as std::atomic

  T load(std::memory_order /*order*/) const {
    return Turns::access([&] { return word_.get(); }, [](T value) { return "loads " + text_of(value); });
  }

  void store(T value, std::memory_order /*order*/) {
    Turns::access([&] { word_.set(value); }, [&] { return "stores " + text_of(value) + where_it_waits(); });
  }

  bool compare_exchange_strong(T& expected, T desired, std::memory_order /*success*/, std::memory_order /*failure*/) {
    return Turns::access(
        [&] {
          const T value = word_.get();
          const bool equal = value == expected;
          if (equal) {
            update(desired);
          } else {
            expected = value;
          }
          return equal;
        },
        [](bool equal) { return equal ? "compares and sets" : "compares, and finds another value"; },
        StoreBuffer::drained());
  }

  T fetch_or(T bits, std::memory_order /*order*/) {
    return Turns::access(
        [&] {
          const T value = word_.get();
          update(value | bits);
          return value;
        },
        [](T value) { return "sets bits of " + text_of(value); }, StoreBuffer::drained());
  }

 private:
  /// A read-modify-write waits for earlier stores, and is itself in memory at once.
  void update(T value) {
    word_.set(value);
    if (StoreBuffer* const buffer = StoreBuffer::own()) {
      buffer->write();
    }
  }

  Word<T> word_;
};

template <class T>
class Plain {
 public:
  Plain() = default;

  Plain& operator=(const T& value) {
    Turns::access([&] { word_.set(value); }, [&] { return "writes " + text_of(value) + where_it_waits(); });
    return *this;
  }

  operator T() const {  // NOLINT(google-explicit-constructor): as a T
    return Turns::access([&] { return word_.get(); }, [](const T& value) { return "reads " + text_of(value); });
  }

 private:
  Word<T> word_;
};

class Mutex {
 public:
  void lock() {
    if (StoreBuffer::own() != nullptr) {
      // Its unlock would have to wait for what was stored under the lock, and is no step.
      throw std::logic_error("no lock is modelled for an actor with a store buffer");
    }
    Turns::wait_until([this] { return !locked_; });
    locked_ = true;
    Turns::tell("locks");
  }

  /// No step: nobody can tell it from the end of the last one within the lock. Nor may it throw.
  void unlock() noexcept { locked_ = false; }

 private:
  bool locked_ = false;
};

/// Its elements stay where they are, so that a pointer into it never dangles, as one into a std::vector would.
template <class T>
class Vector {
 public:
  void push_back(const T& element) {
    const std::size_t at = size();
    if (at == kMost) {
      throw std::length_error("a vector for stepping holds " + std::to_string(kMost) + " elements");
    }
    Turns::access([&] { elements_[at] = element; },
                  [&] { return "writes " + text_of(element) + " as element " + std::to_string(at); });
    resize(at + 1);
  }

  T* begin() { return elements_.data(); }
  T* end() { return elements_.data() + size(); }
  T* data() { return elements_.data(); }
  void clear() { resize(0); }
  bool empty() const { return size() == 0; }

  std::size_t size() const {
    return Turns::access([&] { return size_; }, [](std::size_t size) { return "sees " + elements(size); });
  }

  void swap(Vector& other) {
    Turns::access(
        [&] {
          std::swap(elements_, other.elements_);
          std::swap(size_, other.size_);
        },
        [&] { return "takes away " + elements(size_); });
  }

 private:
  static constexpr std::size_t kMost = 64;

  static std::string elements(std::size_t size) {
    return std::to_string(size) + (size == 1 ? " element" : " elements");
  }

  void resize(std::size_t size) {
    Turns::access([&] { size_ = size; }, [&] { return "leaves " + elements(size); });
  }

  std::array<T, kMost> elements_{};
  std::size_t size_ = 0;
};

/// Its iterators stay valid, as those of std::unordered_map would not while another thread inserts.
template <class Key, class Value>
class Map {
 public:
  class Iterator {
   public:
    Iterator(typename std::map<Key, Value>::iterator at) : at_(at) {}  // NOLINT(google-explicit-constructor)

    auto& operator*() const { return *at_; }
    Iterator& operator++() {
      Turns::access([&] { ++at_; }, [] { return "goes to the next scanner's vector"; });
      return *this;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    typename std::map<Key, Value>::iterator at_;
  };

  Value& operator[](const Key& key) {
    Value* found = nullptr;
    Turns::access([&] { found = &map_[key]; }, [&] { return "looks up the vector of scanner " + std::to_string(key); });
    return *found;
  }

  Iterator begin() {
    Turns::access([] {}, [&] { return "walks over the vectors of " + std::to_string(map_.size()); });
    return map_.begin();
  }
  Iterator end() { return map_.end(); }

 private:
  std::map<Key, Value> map_;
};

}  // namespace sequencer::python::stepped

namespace sequencer::python {

struct SteppedPrimitives {
  template <class T>
  using Atomic = stepped::Atomic<T>;
  template <class T>
  using Plain = stepped::Plain<T>;
  using Mutex = stepped::Mutex;
  template <class T>
  using Vector = stepped::Vector<T>;
  template <class Key, class Value>
  using Map = stepped::Map<Key, Value>;

  static void show(const stepped::Plain<PendingBatch>* first, std::size_t count, Visit visit) {
    const std::vector<PendingBatch> run(first, first + count);
    visit({run.data(), run.size()});
  }

  // For the compiler, which does not reorder turns.
  static void light_fence() noexcept {}

  /// Waits for the caller's own stores; the others' are in memory at once. Without a store buffer it is no step.
  static void heavy_fence() {
    if (const StoreBuffer* const own = StoreBuffer::own(); own != nullptr && own->has_fences()) {
      Turns::access([] {}, [] { return "passes the fence"; }, StoreBuffer::drained());
    }
  }
};

}  // namespace sequencer::python
