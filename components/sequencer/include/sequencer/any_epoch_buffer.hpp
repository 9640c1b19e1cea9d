#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/**
 * Any epoch buffer behind virtual calls (1-2 ns each), so that what drives one is compiled once, and a reader's own
 * compiles in seconds. Where that is much, in the measurement of a push, the loop is on the buffer's side.
 */
class AnyEpochBuffer {
 public:
  template <EpochBuffer B>
  static AnyEpochBuffer of(const BufferConfig& config) {
    return AnyEpochBuffer(std::make_unique<Model<B>>(config));
  }

  bool push(std::size_t scanner, const PendingBatch& batch) { return buffer_->push(scanner, batch); }
  bool advance() { return buffer_->advance(); }
  std::optional<Epoch> take(Visit visit) { return buffer_->take(visit); }

  /// Pushes so many batches in a row, with positions from that of `first` on; gives its core away while there is no
  /// room. Returns how often there was none.
  std::uint64_t push_run(std::size_t scanner, const PendingBatch& first, std::uint64_t count) {
    return buffer_->push_run(scanner, first, count);
  }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual bool push(std::size_t scanner, const PendingBatch& batch) = 0;
    virtual bool advance() = 0;
    virtual std::optional<Epoch> take(Visit visit) = 0;
    virtual std::uint64_t push_run(std::size_t scanner, PendingBatch batch, std::uint64_t count) = 0;
  };

  template <class B>
  struct Model final : Concept {
    explicit Model(const BufferConfig& config) : buffer(config) {}
    bool push(std::size_t scanner, const PendingBatch& batch) override { return buffer.push(scanner, batch); }
    bool advance() override { return buffer.advance(); }
    std::optional<Epoch> take(Visit visit) override { return buffer.take(visit); }
    std::uint64_t push_run(std::size_t scanner, PendingBatch batch, std::uint64_t count) override {
      std::uint64_t refused = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        while (!buffer.push(scanner, batch)) {
          ++refused;
          std::this_thread::yield();
        }
        ++batch.position;
      }
      return refused;
    }
    B buffer;
  };

  explicit AnyEpochBuffer(std::unique_ptr<Concept> buffer) : buffer_(std::move(buffer)) {}

  std::unique_ptr<Concept> buffer_;
};

static_assert(!std::is_copy_constructible_v<AnyEpochBuffer>);

using BufferFactory = std::function<AnyEpochBuffer(const BufferConfig&)>;

}  // namespace sequencer
