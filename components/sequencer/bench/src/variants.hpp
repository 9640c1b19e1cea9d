#pragma once

#include "perflab/bench/bench.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

/// Adds all that can be measured against each other.
void add_variants(perflab::Bench<Subject>& program);

}  // namespace sequencer_bench
