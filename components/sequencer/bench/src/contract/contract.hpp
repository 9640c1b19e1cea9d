#pragma once

#include "perflab/bench/bench.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

/// What every epoch buffer promises, in the words of `sequencer/epoch_buffer.hpp`. Tests, findings and the ledger cite
/// them. A statement that a variant is known to break is a *finding* about it, named in `variants.cpp`.
namespace statements {
inline constexpr const char* kOnce = "every accepted batch is taken exactly once";
inline constexpr const char* kNoGap = "epochs are taken one after the other, without a gap";
inline constexpr const char* kFifo =
    "a scanner's batches are taken in the order pushed, however far the sequencer lags";
inline constexpr const char* kComplete = "what was pushed before an epoch ended is taken with it";
inline constexpr const char* kNotEarly = "what is pushed after an epoch ended is not taken with it";
inline constexpr const char* kInOrder = "what was pushed first is not taken in a later epoch";
inline constexpr const char* kVisible = "what a scanner wrote before its push is there when the batch is taken";
}  // namespace statements

// Statements that one thread can check, in all roles in turn: no schedule is left to chance.
perflab::Evidence epochs_have_no_gap(const Subject& subject);
perflab::Evidence epochs_are_complete(const Subject& subject);
perflab::Evidence nothing_is_early(const Subject& subject);
perflab::Evidence order_survives_a_lag(const Subject& subject);

// Statements that take threads. They leave the schedule to the machine and try often: what they do not find may be
// there all the same, and is what the model checker in `tests` is for.
perflab::Evidence everything_comes_once(const Subject& subject);
perflab::Evidence order_holds_between_scanners(const Subject& subject);
perflab::Evidence payloads_are_visible(const Subject& subject);

/// Adds the checks of the contract.
void add_contract(perflab::Bench<Subject>& program);

}  // namespace sequencer_bench
