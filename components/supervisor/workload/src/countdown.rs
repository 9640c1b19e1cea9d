//! Waiting until so many things have happened.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts down from any thread; one task waits for zero.
#[derive(Debug)]
pub struct Countdown {
    left: AtomicUsize,
    zero: Notify,
}

impl Countdown {
    /// So many are left.
    pub fn from(count: usize) -> Self {
        Countdown {
            left: AtomicUsize::new(count),
            zero: Notify::new(),
        }
    }

    /// One more has happened.
    #[inline]
    pub fn count(&self) {
        // Release, and acquire in `wait`: what was done before the last count is seen after the wait.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Keeps a permit if nobody waits yet.
            self.zero.notify_one();
        }
    }

    /// Waits until all have happened.
    pub async fn wait(&self) {
        while self.left.load(Ordering::Acquire) != 0 {
            self.zero.notified().await;
        }
    }
}
