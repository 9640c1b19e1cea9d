#pragma once

#include <absl/base/thread_annotations.h>
#include <absl/synchronization/mutex.h>

#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/primitives.hpp"

namespace sequencer {

/// absl::Mutex, which spins for a while before it sleeps, by the standard's names.
class ABSL_LOCKABLE AbslMutex {
 public:
  /// A build with assertions, as the distributions', would search for cycles at each lock; a release build has no search.
  AbslMutex() { absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore); }

  void lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.Lock(); }
  void unlock() ABSL_UNLOCK_FUNCTION() { mutex_.Unlock(); }

 private:
  absl::Mutex mutex_;
};

struct AbslPrimitives : Primitives {
  using Mutex = AbslMutex;
};

/// `absl-mutex`: the report's "before" with upstream's own lock.
using AbslMutexBuffer = MutexBuffer<AbslPrimitives>;

}  // namespace sequencer
