//! Locks and atomics, from `std` or, under `--cfg supervisor_loom`, from loom.
//!
//! All that two threads share in this crate goes through this module, so that the models in `tests/unit/models` check
//! the code that runs and not a copy of it. The name of the flag is not loom's own `loom`, because tokio, which is not part
//! of the models, reacts to that one.

#[cfg(not(supervisor_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

#[cfg(supervisor_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

/// Locks, whether or not somebody panicked with the lock in hand.
///
/// No code of a user runs under a lock of this crate, but for the clone of a waker and the hash and equality of a topic's name:
/// messages, wakers and actors are dropped, and wakers woken, after it is released. What can still panic there is an allocation
/// that is too large, before anything was changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
