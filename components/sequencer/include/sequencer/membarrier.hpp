#pragma once

namespace sequencer {

/// Whether the kernel can have all threads of this process pass a fence, by an interrupt of those that run
/// (MEMBARRIER_CMD_PRIVATE_EXPEDITED, Linux 4.14), and this process is registered for it. False until this library has
/// been initialised.
extern const bool kHasMembarrier;

/// Every thread of this process passes a full fence between the call and the return. Precondition: kHasMembarrier.
void membarrier() noexcept;

/// atomic_thread_fence(seq_cst). ThreadSanitizer does not know it, and sees no order in it.
void full_thread_fence() noexcept;

}  // namespace sequencer
