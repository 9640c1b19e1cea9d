#pragma once

#include "sequencer/epoch_buffer.hpp"
#include "sequencer/primitives.hpp"
#include "sequencer_bench/bench.hpp"

namespace sequencer_bench {

/// The `main` of a plug-in: the bench program with a reader's own buffer as one more variant.
template <class Buffer>
int run_with(const char* name, int argc, char** argv) {
  static_assert(sequencer::EpochBuffer<Buffer>, "see sequencer/epoch_buffer.hpp for what a buffer has to have");
  return bench().variant({name, perflab::Role::kYours, "the reader's own", ""}, subject_of<Buffer>()).main(argc, argv);
}

}  // namespace sequencer_bench
