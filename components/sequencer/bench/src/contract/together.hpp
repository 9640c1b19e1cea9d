#pragma once

#include "perflab/bench/check.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

// Statements that take threads. They leave the schedule to the machine and try often: what they do not find may be
// there all the same, and is what the model checker in `tests` is for.

perflab::Evidence everything_comes_once(const Subject& subject);
perflab::Evidence order_holds_between_scanners(const Subject& subject);
perflab::Evidence payloads_are_visible(const Subject& subject);

}  // namespace sequencer_bench
