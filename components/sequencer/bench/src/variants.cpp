#include "variants.hpp"

#include "contract/contract.hpp"
#include "sequencer/buffers/lab_buffer.hpp"
#include "sequencer/buffers/mutex_buffer.hpp"
#include "sequencer/buffers/per_scanner_locked_buffer.hpp"
#include "sequencer/buffers/per_scanner_published_buffer.hpp"
#include "sequencer/buffers/sealed_epochs_buffer.hpp"
#include "sequencer/buffers/sequenced_rings_buffer.hpp"
#if defined(SEQUENCER_PEERS)
#include "sequencer/buffers/peers/absl_mutex.hpp"
#include "sequencer/buffers/peers/atomic_queue.hpp"
#include "sequencer/buffers/peers/boost_queue.hpp"
#include "sequencer/buffers/peers/moodycamel.hpp"
#endif

namespace sequencer_bench {

using perflab::Role;

void add_variants(perflab::Bench<Subject>& program) {
  const std::string folder = "include/sequencer/buffers/";
  program
      .variant({.name = "mutex",
                .role = Role::kBefore,
                .description = "three buffers behind one lock, taken once per batch",
                .source = folder + "mutex_buffer.hpp",
                .findings = {statements::kFifo, statements::kNotEarly, statements::kInOrder}},
               subject_with_locks<sequencer::MutexBuffer>())
      .variant({.name = "per-scanner-published",
                .role = Role::kAfter,
                .description = "a buffer per scanner without a lock, as published: a data race",
                .source = folder + "per_scanner_published_buffer.hpp",
                .findings = {statements::kOnce, statements::kFifo, statements::kNotEarly, statements::kInOrder,
                             statements::kVisible}},
               subject_of<sequencer::PerScannerPublishedBuffer<>>())
      .variant({.name = "per-scanner-locked",
                .role = Role::kAfter,
                .description = "the published one, repaired with a lock per scanner",
                .source = folder + "per_scanner_locked_buffer.hpp",
                .without = {"flush"}},
               subject_with_locks<sequencer::PerScannerLockedBuffer>())
      .variant({.name = "sealed-epochs",
                .role = Role::kPeer,
                .description = "a buffer per scanner and epoch, closed by a seal; no lock",
                .source = folder + "sealed_epochs_buffer.hpp",
                .without = {"flush"}},
               subject_of<sequencer::SealedEpochsBuffer<>>())
      .variant({.name = "sequenced-rings",
                .role = Role::kPeer,
                .description = "a ring per scanner, merged by a sequence that all scanners draw from",
                .source = folder + "sequenced_rings_buffer.hpp",
                .without = {"flush"}},
               subject_of<sequencer::SequencedRingsBuffer<>>())
      .variant({.name = "lab",
                .role = Role::kLab,
                .description = "a ring per scanner, epochs are cuts through the rings; wait-free push; doorbells",
                .source = folder + "lab_buffer.hpp"},
               subject_of<sequencer::LabBuffer<>>(sequencer::Scan::kDoorbell));
#if defined(SEQUENCER_PEERS)
  program
      .variant({.name = "absl-mutex",
                .role = Role::kPeer,
                .description = "mutex with upstream's lock, absl::Mutex, which spins before it sleeps",
                .source = folder + "peers/absl_mutex.hpp",
                .without = {"flush"},
                .findings = {statements::kFifo, statements::kNotEarly, statements::kInOrder}},
               subject_of<sequencer::AbslMutexBuffer>())
      .variant({.name = "boost-queue",
                .role = Role::kPeer,
                .description = "boost::lockfree::queue for all scanners; a mark ends an epoch",
                .source = folder + "peers/boost_queue.hpp",
                .without = {"flush"}},
               subject_of<sequencer::BoostQueueBuffer>())
      .variant(
          {.name = "moodycamel",
           .role = Role::kPeer,
           .description = "moodycamel::ConcurrentQueue for all scanners; a sequence that all draw from cuts epochs",
           .source = folder + "peers/moodycamel.hpp",
           .without = {"flush"}},
          subject_of<sequencer::MoodycamelBuffer>())
      .variant({.name = "atomic-queue",
                .role = Role::kPeer,
                .description = "Egorushkin's atomic_queue for all scanners; a mark ends an epoch",
                .source = folder + "peers/atomic_queue.hpp",
                .without = {"flush"}},
               subject_of<sequencer::AtomicQueueBuffer>());
#endif
}

}  // namespace sequencer_bench
