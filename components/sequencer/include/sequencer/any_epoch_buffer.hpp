#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "sequencer/epoch_buffer.hpp"

namespace sequencer {

/// Any epoch buffer behind virtual calls (1-2 ns each), so that what drives one is compiled once. Measure a push
/// without it.
class AnyEpochBuffer {
 public:
  template <EpochBuffer B>
  static AnyEpochBuffer of(const BufferConfig& config) {
    return AnyEpochBuffer(std::make_unique<Model<B>>(config));
  }

  bool push(std::size_t scanner, const PendingBatch& batch) { return buffer_->push(scanner, batch); }
  bool advance() { return buffer_->advance(); }
  std::optional<Epoch> take(Visit visit) { return buffer_->take(visit); }

 private:
  struct Concept {
    virtual ~Concept() = default;
    virtual bool push(std::size_t scanner, const PendingBatch& batch) = 0;
    virtual bool advance() = 0;
    virtual std::optional<Epoch> take(Visit visit) = 0;
  };

  template <class B>
  struct Model final : Concept {
    explicit Model(const BufferConfig& config) : buffer(config) {}
    bool push(std::size_t scanner, const PendingBatch& batch) override { return buffer.push(scanner, batch); }
    bool advance() override { return buffer.advance(); }
    std::optional<Epoch> take(Visit visit) override { return buffer.take(visit); }
    B buffer;
  };

  explicit AnyEpochBuffer(std::unique_ptr<Concept> buffer) : buffer_(std::move(buffer)) {}

  std::unique_ptr<Concept> buffer_;
};

static_assert(!std::is_copy_constructible_v<AnyEpochBuffer>);

using BufferFactory = std::function<AnyEpochBuffer(const BufferConfig&)>;

}  // namespace sequencer
