#pragma once

#include "perflab/bench/bench.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

/// The bench program of the sequencer topic: all scenarios, all variants, and the contract.
perflab::Bench<Subject> bench();

}  // namespace sequencer_bench
