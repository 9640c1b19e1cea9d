#include <string>
#include <vector>

#include "contract.hpp"

namespace sequencer_bench {
namespace {

using perflab::Evidence;

constexpr std::size_t kScanners = 3;
constexpr Epoch kFirst = 1'000;

/// A buffer, and what was pushed into and taken out of it.
class Alone {
 public:
  explicit Alone(const Subject& subject)
      : buffer_(subject.make({.scanners = kScanners, .capacity = 1 << 10, .first_epoch = kFirst})) {}

  bool push(std::size_t scanner) {
    PendingBatch batch;
    batch.broker = static_cast<sequencer::BrokerId>(scanner);
    batch.position = next_[scanner];
    const bool accepted = buffer_.push(scanner, batch);
    next_[scanner] += accepted ? 1 : 0;
    return accepted;
  }

  bool push_all() {
    bool accepted = true;
    for (std::size_t scanner = 0; scanner < kScanners; ++scanner) {
      accepted &= push(scanner);
    }
    return accepted;
  }

  bool advance() { return buffer_.advance(); }

  std::optional<Epoch> take() {
    taken.clear();
    return buffer_.take([&](std::span<const PendingBatch> run) { taken.insert(taken.end(), run.begin(), run.end()); });
  }

  std::vector<PendingBatch> taken;

 private:
  AnyEpochBuffer buffer_;
  std::vector<std::uint64_t> next_ = std::vector<std::uint64_t>(kScanners);
};

std::string shown(const std::optional<Epoch>& epoch) { return epoch ? "epoch " + std::to_string(*epoch) : "nothing"; }

}  // namespace

Evidence epochs_have_no_gap(const Subject& subject) {
  Alone alone(subject);
  Epoch expected = kFirst;
  for (int round = 0; round < 20; ++round) {
    if (const auto epoch = alone.take()) {
      return shown(epoch) + " was taken before it had ended";
    }
    // Empty ones, single ones and two at a time.
    const int ended = round % 2 + 1;
    for (int i = 0; i < ended; ++i) {
      if (round % 3 != 0 && !alone.push_all()) {
        return "an empty buffer had no room";
      }
      if (!alone.advance()) {
        return "an epoch could not end with " + std::to_string(i) + " waiting";
      }
    }
    for (int i = 0; i < ended; ++i, ++expected) {
      if (const auto epoch = alone.take(); epoch != expected) {
        return shown(epoch) + " was taken and not epoch " + std::to_string(expected);
      }
    }
  }
  return {};
}

Evidence epochs_are_complete(const Subject& subject) {
  Alone alone(subject);
  for (int round = 0; round < 20; ++round) {
    if (!alone.push_all() || !alone.advance() || !alone.take()) {
      return "an epoch of one batch per scanner did not come";
    }
    if (alone.taken.size() != kScanners) {
      return std::to_string(alone.taken.size()) + " batches came with the epoch and not " + std::to_string(kScanners);
    }
  }
  return {};
}

Evidence nothing_is_early(const Subject& subject) {
  constexpr int kRounds = 20;
  // A buffer by the epoch's remainder confuses no epochs before the lag is that divisor.
  constexpr int kMostLag = 8;
  for (int lag = 1; lag <= kMostLag; ++lag) {
    Alone alone(subject);
    std::uint64_t ended = 0;
    // How many epochs had ended when a scanner's batch was pushed, by its position; the same for all scanners.
    std::vector<std::uint64_t> ended_before;
    for (std::uint64_t taken = 0; taken < kRounds;) {
      // A buffer may say no; then the epoch goes on, and that is right.
      ended += alone.advance() ? 1 : 0;
      ended_before.push_back(ended);
      if (!alone.push_all()) {
        return "there was no room for " + std::to_string(ended_before.size()) + " batches";
      }
      if (ended_before.size() < static_cast<std::size_t>(lag)) {
        continue;
      }
      if (!alone.take()) {
        return "an epoch that has ended could not be taken";
      }
      for (const PendingBatch& batch : alone.taken) {
        if (batch.position >= ended_before.size() || ended_before[batch.position] > taken) {
          return "after a lag of " + std::to_string(lag) + " epochs, batch " + std::to_string(batch.position) +
                 " of scanner " + std::to_string(batch.broker) + " was taken with epoch " +
                 std::to_string(kFirst + taken) + ", which had ended when it was pushed";
        }
      }
      ++taken;
    }
  }
  return {};
}

Evidence order_survives_a_lag(const Subject& subject) {
  for (int lag = 1; lag <= 200; ++lag) {
    Alone alone(subject);
    int ended = 0;
    for (int i = 0; i < lag; ++i) {
      if (!alone.push_all()) {
        return "there was no room for " + std::to_string(i) + " batches";
      }
      // A buffer may say no; then the epoch goes on, and that is right.
      ended += alone.advance() ? 1 : 0;
    }
    std::vector<std::uint64_t> next(kScanners);
    Epoch expected = kFirst;
    const auto objection = [&]() -> Evidence {
      for (const PendingBatch& batch : alone.taken) {
        if (batch.position != next[batch.broker]++) {
          return "after a lag of " + std::to_string(lag) + " epochs, batch " + std::to_string(batch.position) +
                 " of scanner " + std::to_string(batch.broker) + " was taken in place of batch " +
                 std::to_string(next[batch.broker] - 1);
        }
      }
      return {};
    };
    for (; ended > 0; --ended, ++expected) {
      if (const auto epoch = alone.take(); epoch != expected) {
        return shown(epoch) + " was taken and not epoch " + std::to_string(expected);
      }
      if (auto wrong = objection()) {
        return wrong;
      }
    }
    if (!alone.advance() || !alone.take()) {
      return "the epoch after a lag of " + std::to_string(lag) + " could not end";
    }
    if (auto wrong = objection()) {
      return wrong;
    }
    for (const std::uint64_t came : next) {
      if (came != static_cast<std::uint64_t>(lag)) {
        return "after a lag of " + std::to_string(lag) + " epochs, " + std::to_string(came) +
               " batches of a scanner came";
      }
    }
  }
  return {};
}

}  // namespace sequencer_bench
