#pragma once

#include <chrono>
#include <cstdint>

namespace sequencer {

inline std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// When a thread that wakes up once per period is due next: the first of due + period, due + 2 * period, ... after now.
/// What it has overslept is left out, and what follows is as long as ever.
template <class TimePoint>
constexpr TimePoint next_in_step(TimePoint due, typename TimePoint::duration period, TimePoint now) noexcept {
  return due + period * (now < due ? 1 : (now - due) / period + 1);
}

}  // namespace sequencer
