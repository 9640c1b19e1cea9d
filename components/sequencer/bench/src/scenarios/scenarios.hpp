#pragma once

#include "perflab/bench/bench.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

using Program = perflab::Bench<Subject>;

// What is measured, a file each.

void add_publish(Program& program);
void add_push(Program& program);
void add_flush(Program& program);
void add_merge(Program& program);
void add_latency(Program& program);
void add_lag(Program& program);
void add_skew(Program& program);

}  // namespace sequencer_bench
