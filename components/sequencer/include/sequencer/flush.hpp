#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "sequencer/spin.hpp"
#include "sequencer/types.hpp"

namespace sequencer {

/// How a cache line is written back to where another host could see it. clwb may keep it in the cache, the others evict
/// it.
enum class FlushInstruction { kNone, kClflush, kClflushopt, kClwb };

/// Whether this machine has the instruction. kNone always, the rest on x86-64 as CPUID says.
bool has(FlushInstruction instruction) noexcept;

enum class Fence { kOnce, kPerLine };

/// The policy.
struct FlushPolicy {
  FlushInstruction instruction = FlushInstruction::kNone;
  Fence fence = Fence::kOnce;
  /// Simulation: what each fence after a flush, and each read of a line that was flushed, takes on top. 0-1000 ns; CXL
  /// memory is said to be at 200-400.
  std::chrono::nanoseconds device_latency{0};
};

/// One instruction, chosen when compiled. Precondition: has(I).
template <FlushInstruction I>
inline void flush_line(const void* address) noexcept {
#if defined(__x86_64__)
  // As assembly rather than as intrinsics, which are inlined only into functions compiled for a CPU that has them all.
  const volatile char& line = *static_cast<const volatile char*>(address);
  if constexpr (I == FlushInstruction::kClflush) {
    asm volatile("clflush %0" : : "m"(line) : "memory");
  } else if constexpr (I == FlushInstruction::kClflushopt) {
    asm volatile("clflushopt %0" : : "m"(line) : "memory");
  } else if constexpr (I == FlushInstruction::kClwb) {
    asm volatile("clwb %0" : : "m"(line) : "memory");
  }
#else
  static_cast<void>(address);
#endif
}

/// Until it returns, no later store passes an earlier flush.
inline void store_fence() noexcept {
#if defined(__x86_64__)
  asm volatile("sfence" : : : "memory");
#endif
}

/// What upstream puts between clflushopt and the load that is to see memory. It does not order them: only mfence does.
inline void load_fence() noexcept {
#if defined(__x86_64__)
  asm volatile("lfence" : : : "memory");
#endif
}

/// Until it returns, no later load is answered from what an earlier flush has evicted.
inline void full_fence() noexcept {
#if defined(__x86_64__)
  asm volatile("mfence" : : : "memory");
#endif
}

/// The policy at work: flushes ranges of lines, fences as told, simulates the device. Cheap to copy; one per thread.
class Flusher {
 public:
  explicit Flusher(const FlushPolicy& policy) noexcept : policy_(policy) {}

  bool active() const noexcept { return policy_.instruction != FlushInstruction::kNone; }

  /// Writes back every line that [address, address + bytes) touches. The last fence is left to the caller: see fence().
  void flush(const void* address, std::size_t bytes) noexcept {
    const auto first = reinterpret_cast<std::uintptr_t>(address) & ~(kCacheLine - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(address) + bytes;
    for (std::uintptr_t line = first; line < end; line += kCacheLine) {
      if (line != first && policy_.fence == Fence::kPerLine) {
        fence();
      }
      flush_one(reinterpret_cast<const void*>(line));
    }
  }

  /// Everything flushed so far is out.
  void fence() noexcept {
    if (active()) {
      store_fence();
    }
    device();
  }

  /// Evicts a line that another host may have written meanwhile, so that the next load goes to memory.
  void invalidate(const void* address) noexcept { flush_one(address); }

  /// After invalidating some lines, before reading them.
  void invalidated() noexcept {
    if (active()) {
      full_fence();
    }
    device();
  }

  /// Likewise, as published: with a fence that does not order it.
  void invalidated_as_published() noexcept {
    if (active()) {
      load_fence();
    }
    device();
  }

 private:
  void flush_one(const void* line) noexcept {
    switch (policy_.instruction) {
      case FlushInstruction::kNone:
        break;
      case FlushInstruction::kClflush:
        flush_line<FlushInstruction::kClflush>(line);
        break;
      case FlushInstruction::kClflushopt:
        flush_line<FlushInstruction::kClflushopt>(line);
        break;
      case FlushInstruction::kClwb:
        flush_line<FlushInstruction::kClwb>(line);
        break;
    }
  }

  void device() noexcept {
    if (policy_.device_latency.count() != 0) {
      spin_for(policy_.device_latency);
    }
  }

  FlushPolicy policy_;
};

}  // namespace sequencer
