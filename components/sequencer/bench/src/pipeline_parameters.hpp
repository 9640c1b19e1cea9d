#pragma once

#include <string>
#include <vector>

#include "perflab/bench/scenario.hpp"
#include "sequencer/pipeline.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

// What scenarios share that run the whole pipeline.

/// How headers and index entries are flushed.
std::vector<perflab::Parameter> flush_parameters(const std::vector<std::string>& fences = {"once", "per-line"});

/// Throws perflab::Error of kind missing if the machine lacks the instruction.
sequencer::FlushPolicy flush_of(const perflab::Parameters& parameters);

/// How scanners look for batches.
perflab::Parameter scan_parameter();
sequencer::Scan scan_of(const perflab::Parameters& parameters, const Subject& subject);

/// Of the pipeline itself: brokers, order level, epoch, commit, clients, pinning.
std::vector<perflab::Parameter> pipeline_parameters(const std::vector<std::string>& orders = {"2", "0", "1"});

/// What these parameters say; sizes are left to the scenario.
sequencer::PipelineConfig pipeline_of(const perflab::Parameters& parameters, const Subject& subject);

/// Ends the pipeline and demands that all was as promised.
void require_order(sequencer::Pipeline& pipeline, perflab::Checks& checks);

}  // namespace sequencer_bench
