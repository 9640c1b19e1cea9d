#include "contract.hpp"

namespace sequencer_bench {

void add_contract(perflab::Bench<Subject>& program) {
  program.check({statements::kNoGap, epochs_have_no_gap})
      .check({statements::kComplete, epochs_are_complete})
      .check({statements::kNotEarly, nothing_is_early})
      .check({statements::kFifo, order_survives_a_lag})
      .check({statements::kOnce, everything_comes_once})
      .check({statements::kInOrder, order_holds_between_scanners})
      .check({statements::kVisible, payloads_are_visible});
}

}  // namespace sequencer_bench
