#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perflab/bench/checks.hpp"
#include "sequencer_bench/subject.hpp"

namespace sequencer_bench {

/// Looks at every batch that is taken: once, in its scanner's order, in consecutive epochs. The sequencer's own.
class Tally {
 public:
  /// Scanners push positions from zero on.
  Tally(std::size_t scanners, Epoch first_epoch) : next_epoch_(first_epoch), scanners_(scanners) {}

  void operator()(std::span<const PendingBatch> run) {
    for (const PendingBatch& batch : run) {
      if (batch.broker >= scanners_.size()) {
        ++strangers_;
        continue;
      }
      Scanner& scanner = scanners_[batch.broker];
      ++scanner.came;
      scanner.out_of_turn += batch.position == scanner.next ? 0 : 1;
      scanner.next = batch.position + 1;
    }
  }

  void took(Epoch epoch) {
    skipped_ += epoch == next_epoch_ ? 0 : 1;
    next_epoch_ = epoch + 1;
    ++epochs_;
  }

  std::uint64_t epochs() const noexcept { return epochs_; }
  std::uint64_t came() const;

  /// Demands that each scanner's first `each` batches came, and nothing else.
  void require(perflab::Checks& checks, std::uint64_t each) const;

  /// What contradicts that; empty if nothing does.
  std::string objection(std::uint64_t each) const;

 private:
  struct Scanner {
    std::uint64_t next = 0;
    std::uint64_t came = 0;
    std::uint64_t out_of_turn = 0;
  };

  Epoch next_epoch_;
  std::uint64_t epochs_ = 0;
  std::uint64_t skipped_ = 0;
  std::uint64_t strangers_ = 0;
  std::vector<Scanner> scanners_;
};

}  // namespace sequencer_bench
