#include "interleaving/interleaving.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

#include "variants.hpp"

namespace sequencer::python {
namespace {

// What anybody can follow, and what the primitives have room for.
constexpr std::size_t kMostScanners = 4;
constexpr std::size_t kMostOfEach = 16;

// So that even a batch in a buffer that is three epochs away comes out.
constexpr int kEpochsUntilAllIsOut = 6;

const Bounds& checked(const Bounds& bounds) {
  const auto within = [](std::size_t value, std::size_t most) { return value >= 1 && value <= most; };
  if (!within(bounds.scanners, kMostScanners) || !within(bounds.pushes, kMostOfEach) ||
      !within(bounds.epochs, kMostOfEach) || !within(bounds.capacity, kMostOfEach)) {
    throw std::invalid_argument("1 to " + std::to_string(kMostScanners) + " scanners, and 1 to " +
                                std::to_string(kMostOfEach) + " pushes, epochs and places");
  }
  return bounds;
}

std::string name_of(const PendingBatch& batch) {
  return "S" + std::to_string(batch.broker) + "'s batch " + std::to_string(batch.position);
}

}  // namespace

Interleaving::Interleaving(const std::string& variant, const Bounds& bounds, DriverStores stores)
    : buffer_(make_stepped_buffer(variant, {.scanners = checked(bounds).scanners, .capacity = bounds.capacity})),
      pushed_(bounds.scanners),
      order_(bounds.scanners),
      begins_(bounds.scanners + 3) {
  for (std::size_t scanner = 0; scanner < bounds.scanners; ++scanner) {
    names_.push_back("S" + std::to_string(scanner));
    turns_.add([this, scanner, pushes = bounds.pushes] {
      for (Position position = 0; position < pushes; ++position) {
        push(scanner, position);
      }
    });
  }
  names_.emplace_back("D");
  turns_.add([this, stores, driver = bounds.scanners, epochs = bounds.epochs] {
    if (stores != DriverStores::kInMemory) {
      driver_stores_.attach(stores == DriverStores::kBuffered);
    }
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      begins_[driver] = [this] { ++begun_; };
      advance();
    }
  });
  names_.emplace_back("Q");
  turns_.add([this, epochs = bounds.epochs] {
    for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
      take();
    }
  });
  if (stores != DriverStores::kInMemory) {
    names_.emplace_back("B");
    turns_.add([this] {
      for (;;) {  // until it is abandoned
        Turns::access([this] { return driver_stores_.write(); }, [](const std::string& what) { return what; },
                      [this] { return !driver_stores_.empty(); });
      }
    });
  }
}

std::vector<std::string> Interleaving::enabled() const {
  std::vector<std::string> found;
  for (std::size_t actor = 0; actor < names_.size(); ++actor) {
    if (!violations_ && turns_.enabled(actor)) {
      found.push_back(names_[actor]);
    }
  }
  return found;
}

std::string Interleaving::step(const std::string& actor) {
  const auto at = std::find(names_.begin(), names_.end(), actor);
  if (at == names_.end()) {
    throw std::invalid_argument("no actor '" + actor + "'; there are S0 to " + names_[pushed_.size() - 1] +
                                ", D and Q");
  }
  const auto number = static_cast<std::size_t>(at - names_.begin());
  if (violations_ || !turns_.enabled(number)) {
    throw std::logic_error(actor + (violations_ || turns_.ended(number) ? " has reached its end"
                                    : actor == "B"                      ? " has nothing to write"
                                                                        : " waits for a lock, or for its stores"));
  }
  if (const auto begins = std::exchange(begins_[number], nullptr)) {
    begins();
  }
  std::string did = turns_.step(number);
  history_.emplace_back(actor, did);
  return did;
}

const std::vector<std::string>& Interleaving::finish() {
  if (!violations_) {
    for (std::vector<std::string> left = enabled(); !left.empty(); left = enabled()) {
      step(left.front());
    }
    for (int epoch = 0; epoch < kEpochsUntilAllIsOut; ++epoch) {
      ++begun_;
      advance();
      while (take()) {
      }
    }
    violations_.emplace();
    judge();
  }
  return *violations_;
}

void Interleaving::push(std::size_t scanner, Position position) {
  Pushed one;
  one.batch.position = position;
  one.batch.broker = static_cast<BrokerId>(scanner);
  // Noted before it is pushed: the sequencer may show it before push has returned.
  const std::size_t at = pushed_[scanner].size();
  pushed_[scanner].push_back(one);
  begins_[scanner] = [this, scanner, at] {
    pushed_[scanner][at].ended_before = ended_;
    pushed_[scanner][at].called = pushes_called_or_returned_++;
  };
  if (buffer_.push(scanner, one.batch)) {
    pushed_[scanner][at].begun_after = begun_;
    pushed_[scanner][at].returned = pushes_called_or_returned_++;
  } else {
    pushed_[scanner].pop_back();
  }
}

void Interleaving::advance() {
  if (buffer_.advance()) {
    // Others can know of it no sooner than of its last store.
    driver_stores_.when_written([this] { ++ended_; });
  } else {
    // The epoch goes on, and the next advance is to end it.
    --begun_;
  }
}

bool Interleaving::take() {
  std::vector<PendingBatch> batches;
  const auto epoch =
      buffer_.take([&](std::span<const PendingBatch> run) { batches.insert(batches.end(), run.begin(), run.end()); });
  if (!epoch) {
    return false;
  }
  gap_ = gap_ || *epoch != next_epoch_;
  next_epoch_ = *epoch + 1;
  for (const PendingBatch& batch : batches) {
    shown(batch, *epoch);
  }
  return true;
}

void Interleaving::shown(const PendingBatch& batch, Epoch epoch) {
  order_[batch.broker].push_back(batch.position);
  for (Pushed& one : pushed_[batch.broker]) {
    if (one.batch.position == batch.position) {
      one.shown.push_back(epoch);
    }
  }
}

void Interleaving::judge() {
  if (gap_) {
    violations_->emplace_back("an epoch is left out, or taken twice");
  }
  for (const auto& scanner : pushed_) {
    for (const Pushed& one : scanner) {
      const std::string name = name_of(one.batch);
      if (one.shown.empty()) {
        violations_->push_back(name + " is lost");
        continue;
      }
      if (one.shown.size() > 1) {
        violations_->push_back(name + " is shown " + std::to_string(one.shown.size()) + " times");
      }
      // Guarantees 4 and 5 of EpochBuffer; epochs count from 0 here.
      if (one.shown.front() > one.begun_after) {
        violations_->push_back(name + " is shown in epoch " + std::to_string(one.shown.front()) +
                               ", and had been pushed when epoch " + std::to_string(one.begun_after) + " ended");
      }
      if (one.shown.front() < one.ended_before) {
        violations_->push_back(name + " is shown in epoch " + std::to_string(one.shown.front()) +
                               ", which had ended when it was pushed");
      }
    }
  }
  for (std::size_t scanner = 0; scanner < order_.size(); ++scanner) {
    if (!std::is_sorted(order_[scanner].begin(), order_[scanner].end())) {
      violations_->push_back("S" + std::to_string(scanner) + "'s batches are shown out of order");
    }
  }
  judge_order_between_scanners();
}

/// Guarantee 6 of EpochBuffer. Of one scanner's batches it says nothing that their own order does not say.
void Interleaving::judge_order_between_scanners() {
  for (std::size_t first = 0; first < pushed_.size(); ++first) {
    for (std::size_t second = 0; second < pushed_.size(); ++second) {
      for (const Pushed& a : pushed_[first]) {
        for (const Pushed& b : pushed_[second]) {
          if (first != second && !a.shown.empty() && !b.shown.empty() && a.returned < b.called &&
              a.shown.front() > b.shown.front()) {
            violations_->push_back(name_of(a.batch) + " is shown in epoch " + std::to_string(a.shown.front()) +
                                   ", and had been pushed before " + name_of(b.batch) + ", which is shown in epoch " +
                                   std::to_string(b.shown.front()));
          }
        }
      }
    }
  }
}

}  // namespace sequencer::python
