#pragma once

#include "command_line.hpp"
#include "perflab/bench/bench.hpp"
#include "protocol.hpp"

namespace perflab {

/// Measures one scenario of one variant: a `start` line, `sample` lines, an `end` line.
int run(const Program& program, const CommandLine& line, ProtocolWriter& writer);

/// Checks a variant, or the reader's own, against the component's contract: a `check` line each, then an `end` line.
/// Exit status 4 if a check failed that is no known finding about its variant.
int contract(const Program& program, const CommandLine& line, ProtocolWriter& writer);

}  // namespace perflab
