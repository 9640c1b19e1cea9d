#include "copy_probe.hpp"

#include <algorithm>
#include <cstring>

#include "crew.hpp"
#include "perflab/bench/usage.hpp"

namespace sequencer_bench {

CopyProbe::CopyProbe(std::size_t threads, std::size_t batch_bytes, std::size_t ring_bytes)
    : batch_bytes_(batch_bytes),
      region_(threads * sequencer::Region::bytes_for<std::byte>(std::max(ring_bytes, batch_bytes))),
      received_(threads * batch_bytes, std::byte{0x5a}) {
  for (std::size_t thread = 0; thread < threads; ++thread) {
    rings_.push_back(region_.allocate_bytes(std::max(ring_bytes, batch_bytes)));
  }
}

double CopyProbe::measure(std::size_t bytes) {
  const std::size_t batches = bytes / (rings_.size() * batch_bytes_) + 1;
  Crew crew(rings_.size(), [&](std::size_t thread) {
    const std::byte* const from = &received_[thread * batch_bytes_];
    std::byte* const ring = rings_[thread].data();
    const std::size_t cells = rings_[thread].size() / batch_bytes_;
    for (std::size_t i = 0; i < batches; ++i) {
      std::byte* const to = ring + i % cells * batch_bytes_;
      std::memcpy(to, from, batch_bytes_);
      // What was copied counts as read, or the copies before the last round would be none.
      asm volatile("" : : "r"(to) : "memory");
    }
  });
  const auto begun = perflab::Clock::now();
  crew.go();
  crew.join();
  const std::chrono::duration<double> time = perflab::Clock::now() - begun;
  return static_cast<double>(batches * rings_.size() * batch_bytes_) / time.count();
}

}  // namespace sequencer_bench
