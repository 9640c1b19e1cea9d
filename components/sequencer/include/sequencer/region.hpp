#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "sequencer/types.hpp"

namespace sequencer {

/// A shared mapping that stands for the CXL device: zeroed, its pages present, cut into pieces in the order asked for,
/// given back as a whole.
class Region {
 public:
  /// Throws std::bad_alloc if the machine has not that much.
  explicit Region(std::size_t bytes);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// Room that `count` of T take, for the sum that a region is made with.
  template <class T>
  static constexpr std::size_t bytes_for(std::size_t count) {
    return (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// On lines of its own. T's destructor is not run. Throws std::bad_alloc if the region is used up.
  template <class T>
  std::span<T> allocate(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    T* const first = reinterpret_cast<T*>(carve(bytes_for<T>(count)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  /// As it is mapped: zeros that nobody has written.
  std::span<std::byte> allocate_bytes(std::size_t count) { return {carve(bytes_for<std::byte>(count)), count}; }

 private:
  /// Of every piece: what a header and an index entry ask for.
  static constexpr std::size_t kAlignment = 2 * kCacheLine;

  std::byte* carve(std::size_t bytes);

  std::size_t bytes_;
  std::byte* memory_;
  std::size_t used_ = 0;
};

}  // namespace sequencer
