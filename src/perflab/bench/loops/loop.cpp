// Calls a function over and over: `loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, and their nanoseconds. See functions.py.

#include "functions.cpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold them.
extern "C" {
[[gnu::noinline, gnu::used]] void perflab_timed_begin() { asm volatile("# begin" ::: "memory"); }
[[gnu::noinline, gnu::used]] void perflab_timed_end() { asm volatile("nop" ::: "memory"); }
}

namespace perflab_loop {

using Nanoseconds = std::chrono::nanoseconds;

/// Of calls between two looks at the clock.
constexpr Nanoseconds kShortest = std::chrono::milliseconds(1);

struct Length {
  Nanoseconds warmup;
  Nanoseconds sample;
  long samples;

  template <class T>
  void measure(T (*function)()) const {
    // The compiler does not know what this points at any more: it can neither inline a call nor leave it out.
    asm volatile("" : "+r"(function));
    const auto time = [function](long calls) -> Nanoseconds {
      const auto begun = std::chrono::steady_clock::now();
      for (long call = 0; call < calls; ++call) {
        static_cast<void>(function());
      }
      return std::chrono::steady_clock::now() - begun;
    };
    long calls = 1;
    for (Nanoseconds warm{};;) {
      const Nanoseconds took = time(calls);
      warm += took;
      if (took < kShortest) {
        calls *= 2;
      } else if (warm >= warmup) {
        break;
      }
    }
    for (long i = 0; i < samples; ++i) {
      long done = 0;
      Nanoseconds total{};
      perflab_timed_begin();
      while (total < sample) {
        total += time(calls);
        done += calls;
      }
      perflab_timed_end();
      std::printf("%ld %lld\n", done, static_cast<long long>(total.count()));
    }
  }
};

}  // namespace perflab_loop

int main(int, char** words) {
  const std::string_view name = words[1];
  const auto ms = [](const char* text) { return std::chrono::milliseconds(std::atol(text)); };
  const perflab_loop::Length length{ms(words[2]), ms(words[3]), std::atol(words[4])};
  @TABLE@
  return 2;
}
