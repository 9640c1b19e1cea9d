#pragma once

#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/// How far scanners may be ahead of the sequencer where the buffer has no bound: a billion batches have no room.
inline constexpr Position kMostAhead = 1 << 20;

/// Scanners, a driver and a sequencer at a buffer with all they have, until so many batches have been pushed. Returns
/// what was violated, or nothing.
template <EpochBuffer Buffer>
std::string hammer(Buffer& buffer, std::size_t scanners, std::uint64_t batches_per_scanner, Epoch first_epoch,
                   unsigned seed) {
  std::atomic<std::size_t> pushing{scanners};
  std::atomic<std::uint64_t> failed{0};
  // Relaxed throughout: it orders nothing that the buffer would have to.
  std::vector<std::atomic<Position>> taken_of(scanners);
  std::vector<std::thread> threads;
  for (std::size_t scanner = 0; scanner < scanners; ++scanner) {
    threads.emplace_back([&, scanner] {
      PendingBatch batch;
      batch.broker = static_cast<BrokerId>(scanner);
      while (batch.position < batches_per_scanner && failed.load(std::memory_order_relaxed) == 0) {
        const bool is_ahead = batch.position - taken_of[scanner].load(std::memory_order_relaxed) >= kMostAhead;
        if (!is_ahead && buffer.push(scanner, batch)) {
          ++batch.position;
        } else {
          std::this_thread::yield();
        }
      }
      pushing.fetch_sub(1, std::memory_order_release);
    });
  }
  threads.emplace_back([&, random = std::mt19937(seed)]() mutable {
    // Epochs of every length, down to none at all.
    while (pushing.load(std::memory_order_acquire) != 0) {
      for (unsigned pause = random() % 4096; pause != 0; --pause) {
        std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      if (!buffer.advance()) {
        std::this_thread::yield();
      }
    }
  });

  std::string violation;
  std::vector<Position> next(scanners, 0);
  Epoch due = first_epoch;
  const auto take = [&] {
    const auto taken = buffer.take([&](std::span<const PendingBatch> run) {
      for (const PendingBatch& batch : run) {
        if (violation.empty() && (batch.broker >= scanners || batch.position != next[batch.broker])) {
          violation = "scanner " + std::to_string(batch.broker) + ": batch " + std::to_string(batch.position) +
                      " was shown in the wrong place";
          failed.store(1);
        }
        if (batch.broker < scanners) {
          next[batch.broker] = batch.position + 1;
          taken_of[batch.broker].store(batch.position + 1, std::memory_order_relaxed);
        }
      }
    });
    if (taken && *taken != due++ && violation.empty()) {
      violation = "epoch " + std::to_string(*taken) + " was not due";
      failed.store(1);
    }
    return taken.has_value();
  };
  while (pushing.load(std::memory_order_acquire) != 0) {
    if (!take()) {
      std::this_thread::yield();
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  while (take()) {
  }
  buffer.advance();
  while (take()) {
  }
  for (std::size_t scanner = 0; scanner < scanners && violation.empty(); ++scanner) {
    if (next[scanner] != batches_per_scanner) {
      violation = "scanner " + std::to_string(scanner) + ": " + std::to_string(next[scanner]) + " of " +
                  std::to_string(batches_per_scanner) + " batches were shown";
    }
  }
  return violation;
}

}  // namespace sequencer
