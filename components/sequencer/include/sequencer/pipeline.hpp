#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "sequencer/any_epoch_buffer.hpp"
#include "sequencer/broker.hpp"
#include "sequencer/flush.hpp"
#include "sequencer/global_order.hpp"
#include "sequencer/order.hpp"
#include "sequencer/publisher.hpp"
#include "sequencer/scanner.hpp"
#include "sequencer/sequencer.hpp"
#include "sequencer/subscriber.hpp"

namespace sequencer {

struct PipelineConfig {
  std::size_t brokers = 4;
  std::size_t message_bytes = 1024;
  std::size_t batch_bytes = 2 << 20;
  /// Per broker.
  std::size_t log_bytes = 64 << 20;
  std::size_t slots = 81'920;
  std::size_t index_entries = 1 << 16;
  /// Batches per scanner in the epoch buffer.
  std::size_t buffer_capacity = 1 << 14;

  Order order = Order::kTotal;
  /// Each sends through every broker in turn.
  std::size_t clients = 4;
  std::chrono::microseconds epoch{500};

  Scan scan = Scan::kDoorbell;
  FlushPolicy flush;
  Commit commit = Commit::kPerEpoch;

  /// A subscriber follows the index all the while. If not, publish() reads what has come when all is acknowledged, and
  /// the index must have room for it; but where payloads are read or `on_read` is told, one does in any case.
  bool reads_along = true;
  bool read_payload = false;
  bool time_stamps = false;
  Subscriber::OnRead on_read;

  /// The driver lets no more epochs than that end before they are taken; any number, if 0. Upstream's driver does not
  /// look, which its three buffers survive up to 2: as long as the sequencer has a core to itself.
  Epoch most_epochs_behind = 0;

  /// The sequencer sleeps that long before every such take, to lag. Never, if 0.
  std::chrono::microseconds stall{0};
  std::uint64_t stall_every = 1;

  /// How long a publisher waits for its last acknowledgement before that counts as a violation.
  std::chrono::milliseconds acknowledge_timeout{30'000};

  /// Cores for scanners, driver, sequencer, subscriber and publishers, dealt out in turn. Not pinned, if empty.
  std::vector<int> cpus;
};

struct PipelineStats {
  std::vector<ScannerStats> scanners;
  SequencerStats sequencer;
  /// Ends that did not come: the buffer had no room for another epoch, or too many were waiting to be taken.
  std::uint64_t epochs_held_open = 0;
};

/**
 * All of it in one process: brokers in a shared region, a publisher and a scanner per broker, a driver, the sequencer,
 * a subscriber that checks.
 *
 *     publisher -> ring + log -> scanner -> epoch buffer -> sequencer -> global order index -> subscriber
 *         ^                                     ^ driver        |
 *         +-------------- acknowledged -------------------------+
 *
 * Threads sleep when they have nothing to do (but for scanners that poll through the flush, which yield): there are
 * 2 * brokers + 3 of them, or 2 if no subscriber reads along, and seldom as many cores. They are the same at every
 * order: where nothing is ordered the driver ends epochs that are empty, and the sequencer takes them.
 */
class Pipeline {
 public:
  Pipeline(const PipelineConfig& config, const BufferFactory& buffer);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  struct Published {
    std::uint64_t batches = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    /// From when the publishers are let go to the last acknowledgement.
    std::chrono::nanoseconds elapsed{0};
  };

  /// What the caller does at the two ends of the time that counts.
  struct Timed {
    /// All publishers stand ready, and none has begun.
    std::function<void()> begin = [] {};
    /// All have finished.
    std::function<void()> end = [] {};
  };

  /// So many batches per broker, from all publishers at once; returns when all are acknowledged, or when something has
  /// failed.
  /// @throws std::invalid_argument if nobody reads along and the index has no room for them.
  Published publish(std::span<const std::uint64_t> batches_per_broker, const Timed& timed);
  Published publish(std::span<const std::uint64_t> batches_per_broker) { return publish(batches_per_broker, {}); }

  /// Copies so many batches into the logs, by the same threads, in the same manner, into the same memory as publish()
  /// does, and does nothing else: the most that publish() could be. Returns how long it took, from when they are let go
  /// to when the last one has finished. While paused.
  std::chrono::nanoseconds copy(std::span<const std::uint64_t> batches_per_broker);

  /// Ends every thread, so that nothing of this pipeline runs, polls or wakes up; resume() starts them where they were.
  /// Not while publish() is under way.
  void pause() { stop(); }

  /// Returns when all threads run. Without effect if they do, or if something has failed: that is for finish() to tell.
  void resume();

  /// Stops everything and returns what was not as promised; empty if all was. Once.
  std::vector<std::string> finish();

  /// After finish() or pause().
  PipelineStats stats() const;

 private:
  std::chrono::nanoseconds run_publishers(const std::function<void(std::size_t)>& body, const Timed& timed);
  bool reads_along() const { return config_.reads_along || config_.read_payload || config_.on_read; }
  void start(std::function<void()> body);
  void pin(std::size_t number) const;
  void scan(Scanner& scanner);
  void drive();
  void sequence();
  void subscribe();
  Origin next_origin(std::uint64_t batch, std::uint32_t messages);
  std::uint64_t sum_of_acknowledged() const;
  bool all_acknowledged() const;
  void give_up();
  void failed(std::string what);
  void tell_all_to_stop();
  void stop();
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

  const PipelineConfig config_;
  Region region_;
  std::vector<std::unique_ptr<Broker>> brokers_;
  std::vector<Broker*> broker_pointers_;
  AnyEpochBuffer buffer_;
  GlobalOrderIndex index_;
  Sequencer sequencer_;
  Subscriber subscriber_;
  std::vector<Scanner> scanners_;
  std::vector<Publisher> publishers_;

  struct alignas(kCacheLine) Client {
    std::atomic<ClientSequence> next{0};
  };
  std::vector<Client> clients_;
  std::vector<std::uint64_t> published_;

  std::atomic<bool> stop_{false};
  Signal ended_;
  std::atomic<Epoch> taken_{0};
  // The driver's.
  Epoch epochs_ended_ = 0;
  std::uint64_t epochs_held_open_ = 0;
  std::mutex failures_mutex_;
  std::vector<std::string> failures_;
  /// Of the threads, how many have begun.
  std::atomic<std::size_t> running_{0};
  std::vector<std::thread> threads_;
};

}  // namespace sequencer
