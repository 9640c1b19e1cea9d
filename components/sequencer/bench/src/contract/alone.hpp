#pragma once

#include "perflab/bench/check.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

// Statements that one thread can check, in all roles in turn: no schedule is left to chance.

perflab::Evidence epochs_have_no_gap(const Subject& subject);
perflab::Evidence epochs_are_complete(const Subject& subject);
perflab::Evidence nothing_is_early(const Subject& subject);
perflab::Evidence order_survives_a_lag(const Subject& subject);

}  // namespace sequencer_bench
