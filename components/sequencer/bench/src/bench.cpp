#include "sequencer_bench/bench.hpp"

#include "contract/contract.hpp"
#include "scenarios/scenarios.hpp"
#include "variants.hpp"

namespace sequencer_bench {

perflab::Bench<Subject> bench() {
  perflab::Bench<Subject> program("sequencer");
  add_publish(program);
  add_push(program);
  add_flush(program);
  add_merge(program);
  add_latency(program);
  add_lag(program);
  add_skew(program);
  add_contract(program);
  add_variants(program);
  return program;
}

}  // namespace sequencer_bench
