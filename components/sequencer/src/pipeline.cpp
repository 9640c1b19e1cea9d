#include "sequencer/pipeline.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sequencer/clock.hpp"
#include "sequencer/thread.hpp"

namespace sequencer {

namespace {

BrokerConfig broker_config(const PipelineConfig& config, std::size_t id) {
  return {.id = static_cast<BrokerId>(id),
          .slots = config.slots,
          .batch_bytes = config.batch_bytes,
          .log_bytes = config.log_bytes};
}

std::size_t region_bytes(const PipelineConfig& config) {
  return config.brokers * Broker::region_bytes(broker_config(config, 0)) +
         GlobalOrderIndex::region_bytes(config.index_entries);
}

std::vector<std::unique_ptr<Broker>> make_brokers(const PipelineConfig& config, Region& region) {
  std::vector<std::unique_ptr<Broker>> brokers;
  for (std::size_t id = 0; id < config.brokers; ++id) {
    brokers.push_back(std::make_unique<Broker>(broker_config(config, id), region));
  }
  return brokers;
}

std::vector<Broker*> pointers(const std::vector<std::unique_ptr<Broker>>& brokers) {
  std::vector<Broker*> all;
  for (const auto& broker : brokers) {
    all.push_back(broker.get());
  }
  return all;
}

}  // namespace

Pipeline::Pipeline(const PipelineConfig& config, const BufferFactory& buffer)
    : config_(config),
      region_(region_bytes(config)),
      brokers_(make_brokers(config, region_)),
      broker_pointers_(pointers(brokers_)),
      buffer_(buffer({.scanners = config.brokers, .capacity = config.buffer_capacity})),
      index_(config.index_entries, region_),
      sequencer_({.flush = config.flush,
                  .commit = config.commit,
                  .time_stamps = config.time_stamps,
                  .release = !config.read_payload},
                 buffer_, index_, broker_pointers_),
      subscriber_(index_, broker_pointers_, config.read_payload, config.on_read),
      clients_(config.clients),
      published_(config.brokers) {
  for (std::size_t id = 0; id < config.brokers; ++id) {
    scanners_.emplace_back(*brokers_[id], id, has_sequencer(config.order) ? &buffer_ : nullptr, config.scan,
                           config.flush);
    publishers_.emplace_back(*brokers_[id], config.message_bytes, config.batch_bytes, config.flush);
  }
  resume();
}

Pipeline::~Pipeline() { stop(); }

Pipeline::Published Pipeline::publish(std::span<const std::uint64_t> batches_per_broker, const Timed& timed) {
  if (has_sequencer(config_.order) && !reads_along() &&
      std::accumulate(batches_per_broker.begin(), batches_per_broker.end(), std::uint64_t{0}) > index_.capacity()) {
    throw std::invalid_argument("the index has no room for so many batches, and nobody reads along");
  }
  Published published{
      .elapsed = run_publishers(
          [&](std::size_t broker) {
            Publisher& publisher = publishers_[broker];
            const auto origin = [&] { return next_origin(publisher.position(), publisher.messages_per_batch()); };
            for (std::uint64_t i = 0; i < batches_per_broker[broker] && publisher.publish(origin, stop_); ++i) {
            }
            publisher.wait_until_acknowledged(stop_);
          },
          timed)};
  if (has_sequencer(config_.order) && !reads_along()) {
    // What is acknowledged has been committed before.
    subscriber_.read();
  }
  for (std::size_t broker = 0; broker < publishers_.size(); ++broker) {
    const std::uint64_t batches =
        publishers_[broker].position() - std::exchange(published_[broker], publishers_[broker].position());
    const std::uint64_t messages = batches * publishers_[broker].messages_per_batch();
    published.batches += batches;
    published.messages += messages;
    published.bytes += messages * config_.message_bytes;
  }
  return published;
}

std::chrono::nanoseconds Pipeline::copy(std::span<const std::uint64_t> batches_per_broker) {
  return run_publishers([&](std::size_t broker) { publishers_[broker].copy(batches_per_broker[broker]); }, {});
}

/// A thread for each publisher. The clock is read before any of them is let go, and not when the reader next gets a core.
std::chrono::nanoseconds Pipeline::run_publishers(const std::function<void(std::size_t)>& body, const Timed& timed) {
  using Clock = std::chrono::steady_clock;
  std::mutex mutex;
  std::condition_variable one_has_finished;
  std::size_t finished = 0;
  std::latch ready(static_cast<std::ptrdiff_t>(publishers_.size()));
  std::latch go(1);
  std::vector<std::thread> threads;
  for (std::size_t broker = 0; broker < publishers_.size(); ++broker) {
    threads.emplace_back([&, broker] {
      pin(threads_.size() + broker);
      ready.count_down();
      go.wait();
      body(broker);
      const std::lock_guard lock(mutex);
      ++finished;
      one_has_finished.notify_one();
    });
  }
  ready.wait();
  timed.begin();
  const auto begin = Clock::now();
  go.count_down();
  const auto all_finished = [&] { return finished == threads.size(); };
  std::uint64_t acknowledged = 0;
  for (std::unique_lock lock(mutex); !one_has_finished.wait_for(lock, config_.acknowledge_timeout, all_finished);) {
    if (std::exchange(acknowledged, sum_of_acknowledged()) == sum_of_acknowledged() && !all_acknowledged()) {
      give_up();
    }
  }
  const auto elapsed = Clock::now() - begin;
  timed.end();
  for (std::thread& thread : threads) {
    thread.join();
  }
  return elapsed;
}

void Pipeline::resume() {
  if (!threads_.empty() || !failures_.empty()) {
    return;
  }
  stop_.store(false);
  for (Scanner& scanner : scanners_) {
    start([this, &scanner] { scan(scanner); });
  }
  start([this] { drive(); });
  start([this] { sequence(); });
  if (reads_along()) {
    start([this] { subscribe(); });
  }
  for (std::size_t running = 0; (running = running_.load(std::memory_order_acquire)) != threads_.size();) {
    running_.wait(running, std::memory_order_acquire);
  }
}

std::vector<std::string> Pipeline::finish() {
  stop();
  std::vector<std::string> violations = failures_;
  if (has_sequencer(config_.order)) {
    // Whatever its thread has not come to.
    subscriber_.read();
    OrderCheck& check = subscriber_.check();
    check.finish(published_);
    violations.insert(violations.end(), check.violations().begin(), check.violations().end());
  }
  return violations;
}

PipelineStats Pipeline::stats() const {
  PipelineStats stats{.scanners = {}, .sequencer = sequencer_.stats(), .epochs_held_open = epochs_held_open_};
  for (const Scanner& scanner : scanners_) {
    stats.scanners.push_back(scanner.stats());
  }
  return stats;
}

void Pipeline::start(std::function<void()> body) {
  threads_.emplace_back([this, body = std::move(body), number = threads_.size()] {
    try {
      pin(number);
      running_.fetch_add(1, std::memory_order_release);
      running_.notify_all();
      body();
    } catch (const std::exception& failure) {
      failed(failure.what());
      tell_all_to_stop();
    }
  });
}

void Pipeline::pin(std::size_t number) const {
  if (!config_.cpus.empty()) {
    pin_to_cpu(config_.cpus[number % config_.cpus.size()]);
  }
}

void Pipeline::scan(Scanner& scanner) {
  while (!stopped()) {
    if (scanner.scan() != 0) {
      continue;
    }
    if (scanner.mode() == Scan::kDoorbell && !scanner.rung()) {
      scanner.broker().rung.wait([&] { return scanner.rung() || stopped(); });
    } else {
      // An empty slot that is to be polled, or an epoch buffer that is full.
      std::this_thread::yield();
    }
  }
}

void Pipeline::drive() {
  sleep_precisely();
  auto due = std::chrono::steady_clock::now();
  while (!stopped()) {
    due = next_in_step(due, config_.epoch, std::chrono::steady_clock::now());
    std::this_thread::sleep_until(due);
    const bool may_end = config_.most_epochs_behind == 0 ||
                         epochs_ended_ - taken_.load(std::memory_order_acquire) < config_.most_epochs_behind;
    if (may_end && buffer_.advance()) {
      ++epochs_ended_;
      ended_.notify();
    } else {
      ++epochs_held_open_;
    }
  }
}

void Pipeline::sequence() {
  std::uint64_t until_stall = config_.stall_every;
  while (!stopped()) {
    ended_.wait([&] { return sequencer_.step(stop_) || stopped(); });
    taken_.store(sequencer_.stats().epochs, std::memory_order_release);
    if (config_.stall.count() != 0 && --until_stall == 0) {
      until_stall = config_.stall_every;
      std::this_thread::sleep_for(config_.stall);
    }
  }
}

void Pipeline::subscribe() {
  while (!stopped()) {
    index_.grown.wait([&] { return subscriber_.behind() || stopped(); });
    subscriber_.read();
  }
}

Origin Pipeline::next_origin(std::uint64_t batch, std::uint32_t messages) {
  const auto client = static_cast<ClientId>(batch % clients_.size());
  const ClientSequence sequence = clients_[client].next.fetch_add(1, std::memory_order_relaxed);
  return {.client = client, .sequence = sequence, .first_message = sequence * messages};
}

std::uint64_t Pipeline::sum_of_acknowledged() const {
  std::uint64_t sum = 0;
  for (const Broker* broker : broker_pointers_) {
    sum += broker->acknowledged.load(std::memory_order_acquire);
  }
  return sum;
}

bool Pipeline::all_acknowledged() const {
  return std::all_of(broker_pointers_.begin(), broker_pointers_.end(), [](const Broker* broker) {
    return broker->acknowledged.load(std::memory_order_acquire) == broker->doorbell.load(std::memory_order_acquire);
  });
}

/// Nothing has been acknowledged for too long.
void Pipeline::give_up() {
  for (const Broker* broker : broker_pointers_) {
    const Position filled = broker->doorbell.load(std::memory_order_acquire);
    const Position acknowledged = broker->acknowledged.load(std::memory_order_acquire);
    if (acknowledged != filled) {
      failed("not acknowledged: " + std::to_string(filled - acknowledged) + " of " + std::to_string(filled) +
             " batches of broker " + std::to_string(broker->id()));
    }
  }
  tell_all_to_stop();
}

void Pipeline::failed(std::string what) {
  const std::lock_guard lock(failures_mutex_);
  failures_.push_back(std::move(what));
}

void Pipeline::tell_all_to_stop() {
  stop_.store(true);
  ended_.notify();
  index_.grown.notify();
  index_.drained.notify();
  for (Broker* broker : broker_pointers_) {
    broker->rung.notify();
    broker->moved.notify();
  }
}

void Pipeline::stop() {
  tell_all_to_stop();
  for (std::thread& thread : threads_) {
    thread.join();
  }
  threads_.clear();
  running_.store(0);
}

}  // namespace sequencer
