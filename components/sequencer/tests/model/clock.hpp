#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace sequencer::model {

/// Threads of a program, and their store buffers, each of which acts by itself.
inline constexpr std::size_t kMaxThreads = 4;
inline constexpr std::size_t kMaxProcesses = 2 * kMaxThreads;

/// A vector clock: of each process, how many of its steps are known.
struct VectorClock {
  std::array<int, kMaxProcesses> at{};

  bool knows(std::size_t process, int time) const { return at[process] >= time; }

  void join(const VectorClock& other) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      at[i] = std::max(at[i], other.at[i]);
    }
  }
};

}  // namespace sequencer::model
