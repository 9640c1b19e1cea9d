// Calls a function over and over: `loop NAME WARMUP_MS SAMPLE_MS SAMPLES`.
//
// Each sample is a line: how many calls, their nanoseconds, how many empty calls one takes at least, no bytes, and its CPU
// time in nanoseconds. It takes SAMPLE_MS by both clocks, but at most four times as long on the wall; if that is 0, each is one
// call of the clock around more calls than in the sample before. See functions.py.

#include "functions.cpp"

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold them.
extern "C" {
[[gnu::noinline, gnu::used]] void perflab_timed_begin() { asm volatile("# begin" ::: "memory"); }
[[gnu::noinline, gnu::used]] void perflab_timed_end() { asm volatile("nop" ::: "memory"); }
}

namespace perflab_loop {

using Nanoseconds = std::chrono::nanoseconds;

/// Of calls between two looks at the clock.
constexpr Nanoseconds kShortest = std::chrono::milliseconds(1);

/// Of empty calls; the shortest counts.
constexpr int kBatches = 5;

/// Views of what is worked out already.
template <class T>
constexpr bool kPlainView = false;
template <class C, class Traits>
constexpr bool kPlainView<std::basic_string_view<C, Traits>> = true;
template <class T, std::size_t N>
constexpr bool kPlainView<std::span<T, N>> = true;
template <class I, class S, std::ranges::subrange_kind K>
constexpr bool kPlainView<std::ranges::subrange<I, S, K>> = true;

/// What a type is that does its work later; random engines can be called, too, but compared besides.
template <class T>
constexpr const char* deferred() {
  if constexpr (std::ranges::view<T> && !kPlainView<T>) return "view";
  if constexpr (requires { typename T::promise_type; }) return "coroutine";
  if constexpr (requires(T value) { value.get(), value.wait(); }) return "future";
  if constexpr (requires { &T::operator(); } && (std::is_empty_v<T> || !std::equality_comparable<T>)) return "function";
  if constexpr (std::is_function_v<std::remove_pointer_t<T>>) return "function";
  return nullptr;
}

/// CPU time of the process, with its other threads.
inline Nanoseconds cpu() { return std::chrono::microseconds(std::clock()); }

inline long empty() { return 0; }

template <class T>
Nanoseconds time(T (*function)(), long calls) {
  const auto begun = std::chrono::steady_clock::now();
  for (long call = 0; call < calls; ++call) {
    static_cast<void>(function());
  }
  return std::chrono::steady_clock::now() - begun;
}

/// Returns how many calls take long enough to be timed.
template <class T>
long warm_up(T (*function)(), Nanoseconds length) {
  long calls = 1;
  for (Nanoseconds warm{};;) {
    const Nanoseconds took = time(function, calls);
    warm += took;
    if (took < kShortest) {
      calls *= 2;
    } else if (warm >= length) {
      return calls;
    }
  }
}

struct Length {
  Nanoseconds warmup;
  Nanoseconds sample;
  long samples;

  template <class T>
  void measure(T (*function)()) const {
    if (const char* what = deferred<std::remove_cvref_t<T>>()) {
      std::printf("deferred %s\n", what);
      return;
    }
    // The compiler does not know what these point at any more: it can neither inline a call nor leave it out.
    long (*nothing)() = empty;
    asm volatile("" : "+r"(function), "+r"(nothing));
    long calls = warm_up(nothing, Nanoseconds{});
    const auto per_call = [&calls](Nanoseconds took) { return static_cast<double>(took.count()) / static_cast<double>(calls); };
    Nanoseconds least = Nanoseconds::max();
    for (int batch = 0; batch < kBatches; ++batch) least = std::min(least, time(nothing, calls));
    const double empty_ns = per_call(least);
    calls = warm_up(function, warmup);
    for (long i = 0; i < samples; ++i) {
      long done = 0;
      Nanoseconds total{};
      Nanoseconds used{};
      const Nanoseconds begun = cpu();
      least = Nanoseconds::max();
      perflab_timed_begin();
      do {
        const long batch = sample.count() ? calls : (i + 1) * calls;
        const Nanoseconds took = time(function, batch);
        total += took;
        least = std::min(least, took);
        done += batch;
        used = cpu() - begun;
      } while (total < sample || (used < sample && total < 4 * sample));
      perflab_timed_end();
      std::printf("%ld %lld %.3f nan %lld\n", done, static_cast<long long>(total.count()), per_call(least) / empty_ns,
                  static_cast<long long>(used.count()));
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
