#include "perflab/bench/benchmark_loop.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <exception>

#include "perflab/bench/error.hpp"

namespace perflab {
namespace {

/// Keeps the one run that Google Benchmark reports, and prints nothing.
class Keeper : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& reported) override {
    for (const Run& one : reported) {
      if (one.run_type == Run::RT_Iteration) {
        iterations += static_cast<double>(one.iterations);
        seconds += one.real_accumulated_time;
      }
    }
  }

  double iterations = 0;
  double seconds = 0;
};

}  // namespace

void benchmark_sample(Sample& sample, Nanoseconds time, double operations, const Repeated& body) {
  std::exception_ptr problem;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("sample",
                               [&](benchmark::State& state) {
                                 try {
                                   while (state.KeepRunningBatch(state.max_iterations)) {
                                     body(state.max_iterations);
                                   }
                                 } catch (...) {
                                   problem = std::current_exception();
                                   state.SkipWithError("threw");
                                 }
                               })
      ->UseRealTime()
      ->MinTime(std::chrono::duration<double>(time).count());
  Keeper keeper;
  benchmark::RunSpecifiedBenchmarks(&keeper, "all");
  if (problem) {
    std::rethrow_exception(problem);
  }
  sample.add(keeper.iterations * operations, Nanoseconds(std::llround(keeper.seconds * 1e9)));
}

}  // namespace perflab
