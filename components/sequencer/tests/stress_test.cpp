#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "hammer.hpp"
#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"

namespace sequencer {
namespace {

/// SEQUENCER_STRESS_BATCHES, over all scanners; a billion in the long run.
std::uint64_t batches() {
  const char* const told = std::getenv("SEQUENCER_STRESS_BATCHES");
#if defined(__SANITIZE_THREAD__)
  constexpr std::uint64_t kUsually = 100'000;
#else
  constexpr std::uint64_t kUsually = 1'000'000;
#endif
  return told != nullptr ? std::stoull(told) : kUsually;
}

template <class Buffer>
class StressTest : public testing::Test {
 protected:
  /// Epochs (and the lab's tickets) wrap around on the way.
  static constexpr Epoch kFirst = static_cast<Epoch>(-100);

  void hammer_with(std::size_t scanners, std::size_t capacity, std::uint64_t total) {
    Buffer buffer(BufferConfig{.scanners = scanners, .capacity = capacity, .first_epoch = kFirst});
    EXPECT_EQ(hammer(buffer, scanners, total / scanners, kFirst, /*seed=*/7), "");
  }
};

using Buffers = testing::Types<PerScannerLockedBuffer<>, SealedEpochsBuffer<>, SequencedRingsBuffer<>, LabBuffer<>>;
TYPED_TEST_SUITE(StressTest, Buffers);

TYPED_TEST(StressTest, OneScanner) { this->hammer_with(1, 1024, batches()); }
TYPED_TEST(StressTest, MoreScannersThanCores) { this->hammer_with(8, 1024, batches()); }
/// Most pushes are refused, so fewer of them have to do.
TYPED_TEST(StressTest, HardlyAnyRoom) { this->hammer_with(3, 2, batches() / 100); }

}  // namespace
}  // namespace sequencer
