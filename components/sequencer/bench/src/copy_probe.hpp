#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "sequencer/region.hpp"

namespace sequencer_bench {

/**
 * The roofline of `publish`: threads that copy and do nothing else, in the manner of STREAM's copy, with the
 * publishers' geometry. Each copies a batch that has been received into a ring of batches, over and over. So what the
 * caches do for the one they do for the other.
 */
class CopyProbe {
 public:
  CopyProbe(std::size_t threads, std::size_t batch_bytes, std::size_t ring_bytes);

  /// Bytes per second, of at least so many bytes.
  double measure(std::size_t bytes);

 private:
  const std::size_t batch_bytes_;
  sequencer::Region region_;
  const std::vector<std::byte> received_;
  std::vector<std::span<std::byte>> rings_;
};

}  // namespace sequencer_bench
