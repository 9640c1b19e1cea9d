#include "options.hpp"

#include <limits>

namespace perflab {

RunOptions RunOptions::read(const CommandLine& line) {
  const auto ms = [&](const char* option, std::int64_t least) {
    return std::chrono::milliseconds(line.whole(option, 1'000, least));
  };
  return {ms("--warmup-ms", 0), ms("--sample-ms", 1), line.whole("--samples", 5, 1),
          line.whole("--seed", 1, std::numeric_limits<std::int64_t>::min())};
}

}  // namespace perflab
