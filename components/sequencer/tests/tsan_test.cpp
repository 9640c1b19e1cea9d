#include <gtest/gtest.h>

#include "hammer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"

/// The first report ends the process: a variant that is called correct must not get away with one.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "halt_on_error=1"; }

namespace sequencer {
namespace {

template <class Buffer>
void hammer_once() {
  Buffer buffer(BufferConfig{.scanners = 2});
  hammer(buffer, 2, 20'000, 0, /*seed=*/7);
}

/// Its fault is the aliasing of epochs, not a race.
TEST(ThreadSanitizer, FindsNothingInTheMutex) { hammer_once<MutexBuffer<>>(); }

TEST(ThreadSanitizerDeathTest, ReportsThePublishedBuffer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(hammer_once<PerScannerPublishedBuffer<>>(), "data race");
}

}  // namespace
}  // namespace sequencer
