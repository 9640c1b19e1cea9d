%%cpp sequencer MyBuffer
// The cell of the class in "Exercise: a hand-over of your own".
//
// A lock for each scanner, so that scanners never wait for each other. No lock stops all of them at once, and none has to: a scanner reads the epoch
// *under its lock*, and the sequencer comes for an epoch only after it has ended. A scanner that read the old epoch has finished before the sequencer gets
// that lock; one that locks later reads the new one.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>
using namespace sequencer;

class MyBuffer {
 public:
  explicit MyBuffer(const BufferConfig& config)
      : lanes_(config.scanners), epoch_(config.first_epoch), next_(config.first_epoch) {}

  bool push(std::size_t scanner, PendingBatch batch) {
    Lane& lane = lanes_[scanner];
    const std::lock_guard lock(lane.mutex);
    batch.epoch = epoch_.load(std::memory_order_acquire);
    lane.batches.push_back(batch);
    return true;
  }

  bool advance() {
    epoch_.store(epoch_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return true;
  }

  std::optional<Epoch> take(Visit visit) {
    if (next_ == epoch_.load(std::memory_order_acquire)) return std::nullopt;
    for (Lane& lane : lanes_) {
      taken_.clear();
      {
        const std::lock_guard lock(lane.mutex);
        const auto begin = lane.batches.begin();
        const auto end = std::find_if(begin, lane.batches.end(), [&](auto& one) { return one.epoch != next_; });
        if (end == lane.batches.end()) {
          taken_.swap(lane.batches);
        } else {
          taken_.assign(begin, end);
          lane.batches.erase(begin, end);
        }
      }
      if (!taken_.empty()) visit({taken_.begin(), taken_.end()});
    }
    return next_++;
  }

 private:
  struct alignas(64) Lane {
    std::mutex mutex;
    std::vector<PendingBatch> batches;
  };

  std::vector<Lane> lanes_;
  alignas(64) std::atomic<Epoch> epoch_;
  Epoch next_;
  std::vector<PendingBatch> taken_;
};
