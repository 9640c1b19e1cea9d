#pragma once

#include <deque>

#include "sequencer/types.hpp"

namespace sequencer {

/// Positions done in any order, and up to where they are done without a gap.
class Prefix {
 public:
  /// False if it was done before.
  bool add(Position position) {
    if (position == end_ && done_.empty()) {
      ++end_;
      return true;
    }
    if (position < end_) {
      return false;
    }
    const std::size_t ahead = position - end_;
    if (ahead >= done_.size()) {
      done_.resize(ahead + 1, false);
    }
    if (done_[ahead]) {
      return false;
    }
    done_[ahead] = true;
    while (!done_.empty() && done_.front()) {
      done_.pop_front();
      ++end_;
    }
    return true;
  }

  /// All before it are done.
  Position end() const { return end_; }

 private:
  Position end_ = 0;
  std::deque<bool> done_;
};

}  // namespace sequencer
