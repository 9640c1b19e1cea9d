#pragma once

#include <vector>

#include "perflab/bench/scenario.hpp"
#include "sequencer/pipeline.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

// What scenarios share that run the whole pipeline.

/// How headers and index entries are flushed.
std::vector<perflab::Parameter> flush_knobs();

/// Throws perflab::Error of kind missing if the machine lacks the instruction.
sequencer::FlushPolicy flush_of(const perflab::Parameters& parameters);

/// How scanners look for batches.
perflab::Parameter scan_knob();
sequencer::Scan scan_of(const perflab::Parameters& parameters, const Subject& subject);

/// Of the pipeline itself: brokers, order level, epoch, commit, clients, pinning.
std::vector<perflab::Parameter> pipeline_knobs();

/// What these knobs say; sizes are left to the scenario.
sequencer::PipelineConfig pipeline_of(const perflab::Parameters& parameters, const Subject& subject);

/// Ends the pipeline and demands that all was as promised.
void require_order(sequencer::Pipeline& pipeline, perflab::Checks& checks);

}  // namespace sequencer_bench
