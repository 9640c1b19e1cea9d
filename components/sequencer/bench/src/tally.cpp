#include "tally.hpp"

namespace sequencer_bench {

std::uint64_t Tally::came() const {
  std::uint64_t all = strangers_;
  for (const Scanner& scanner : scanners_) {
    all += scanner.came;
  }
  return all;
}

std::string Tally::objection(std::uint64_t each) const {
  if (strangers_ != 0) {
    return std::to_string(strangers_) + " batches are of no scanner";
  }
  for (std::size_t i = 0; i < scanners_.size(); ++i) {
    const Scanner& scanner = scanners_[i];
    if (scanner.came != each || scanner.out_of_turn != 0) {
      return "of scanner " + std::to_string(i) + "'s " + std::to_string(each) + " batches " +
             std::to_string(scanner.came) + " came, " + std::to_string(scanner.out_of_turn) + " out of turn";
    }
  }
  return skipped_ == 0 ? "" : std::to_string(skipped_) + " epochs did not follow the one before";
}

void Tally::require(perflab::Checks& checks, std::uint64_t each) const {
  const std::string wrong = objection(each);
  checks.require("every batch is taken once, in its scanner's order, in consecutive epochs", wrong.empty(),
                 [&] { return wrong; });
}

}  // namespace sequencer_bench
