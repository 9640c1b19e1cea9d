#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "contract.hpp"
#include "crew.hpp"
#include "sequencing.hpp"

namespace sequencer_bench {
namespace {

using perflab::Evidence;
using std::chrono::microseconds;

/// Short, so that many end while somebody pushes.
constexpr microseconds kEpoch{50};

Evidence unless_empty(const std::string& objection) { return objection.empty() ? Evidence() : objection; }

}  // namespace

Evidence everything_comes_once(const Subject& subject) {
  constexpr std::uint64_t kEach = 200'000;
  for (const std::size_t scanners : {1, 2, 4}) {
    AnyEpochBuffer buffer = subject.make({.scanners = scanners, .capacity = 1 << 14, .first_epoch = 0});
    Tally tally(scanners, 0);
    Sequencing sequencing(buffer, tally, kEpoch);
    Crew crew(scanners, [&](std::size_t scanner) {
      PendingBatch first;
      first.broker = static_cast<sequencer::BrokerId>(scanner);
      buffer.push_run(scanner, first, kEach);
    });
    crew.go();
    crew.join();
    sequencing.finish();
    if (auto objection = tally.objection(kEach); !objection.empty()) {
      return objection;
    }
  }
  return {};
}

Evidence order_holds_between_scanners(const Subject& subject) {
  // Two scanners push in turn: each waits until the other's push has returned. So all pushes have one order.
  constexpr std::uint64_t kTurns = 20'000;
  AnyEpochBuffer buffer = subject.make({.scanners = 2, .capacity = kTurns, .first_epoch = 0});
  std::atomic<std::uint64_t> turn{0};
  std::uint64_t latest = 0;
  std::uint64_t latest_before = 0;
  std::string wrong;
  // Of the batches of one epoch any order is right, so each is compared with the latest of the epochs before.
  const auto take_all = [&] {
    while (buffer.take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& batch : run) {
        if (batch.position + 1 < latest_before && wrong.empty()) {
          wrong = "push " + std::to_string(batch.position) + " was taken in a later epoch than push " +
                  std::to_string(latest_before - 1);
        }
        latest = std::max(latest, batch.position + 1);
      }
    })) {
      latest_before = latest;
    }
  };
  Crew crew(2, [&](std::size_t scanner) {
    PendingBatch batch;
    batch.broker = static_cast<sequencer::BrokerId>(scanner);
    for (std::uint64_t mine = scanner; mine < kTurns; mine += 2) {
      while (turn.load(std::memory_order_acquire) != mine) {
        std::this_thread::yield();
      }
      batch.position = mine;
      while (!buffer.push(scanner, batch)) {
        std::this_thread::yield();
      }
      turn.store(mine + 1, std::memory_order_release);
    }
  });
  crew.go();
  const auto pushes_go_on = [&](std::uint64_t since) {
    while (turn.load(std::memory_order_acquire) == since && since != kTurns) {
      std::this_thread::yield();
    }
  };
  while (turn.load(std::memory_order_acquire) != kTurns) {
    // Not after each epoch: a sequencer may lag.
    for (int epoch = 0; epoch < 5; ++epoch) {
      pushes_go_on(turn.load(std::memory_order_acquire));
      buffer.advance();
    }
    take_all();
  }
  crew.join();
  for (int i = 0; i < 2; ++i) {
    buffer.advance();
    take_all();
  }
  return unless_empty(wrong);
}

Evidence payloads_are_visible(const Subject& subject) {
  // Plain memory, written before the push and read at the take; under ThreadSanitizer any miss is a report.
  constexpr std::uint64_t kEach = 50'000;
  constexpr std::size_t kScanners = 2;
  AnyEpochBuffer buffer = subject.make({.scanners = kScanners, .capacity = 1 << 14, .first_epoch = 0});
  std::vector<std::vector<std::uint64_t>> payloads(kScanners, std::vector<std::uint64_t>(kEach));
  std::atomic<bool> done{false};
  std::string wrong;
  std::thread sequencer([&] {
    const auto take_all = [&] {
      buffer.advance();
      while (buffer.take([&](std::span<const PendingBatch> run) {
        for (const PendingBatch& batch : run) {
          if (payloads[batch.broker][batch.position] != batch.log_offset && wrong.empty()) {
            wrong = "the payload of batch " + std::to_string(batch.position) + " was not there";
          }
        }
      })) {
      }
    };
    while (!done.load(std::memory_order_acquire)) {
      take_all();
    }
    take_all();
    take_all();
  });
  {
    Crew crew(kScanners, [&](std::size_t scanner) {
      PendingBatch batch;
      batch.broker = static_cast<sequencer::BrokerId>(scanner);
      for (std::uint64_t i = 0; i < kEach; ++i) {
        batch.position = i;
        batch.log_offset = i * 7 + 1;
        payloads[scanner][i] = batch.log_offset;
        while (!buffer.push(scanner, batch)) {
          std::this_thread::yield();
        }
      }
    });
  }
  done.store(true, std::memory_order_release);
  sequencer.join();
  return unless_empty(wrong);
}

}  // namespace sequencer_bench
