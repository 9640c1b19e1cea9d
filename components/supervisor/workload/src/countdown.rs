//! Waiting until so many things have happened.

use std::fmt;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts down from any thread; one task waits for zero.
#[derive(Debug)]
pub struct Countdown {
    /// Below zero if more has happened than was to be.
    left: AtomicIsize,
    disorder: AtomicUsize,
    zero: Notify,
}

impl Countdown {
    /// So many are left.
    pub fn from(count: usize) -> Self {
        Countdown {
            left: AtomicIsize::new(count.cast_signed()),
            disorder: AtomicUsize::new(0),
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

    /// What is counted next was not the next to happen.
    #[cold]
    pub fn disorder(&self) {
        self.disorder.fetch_add(1, Ordering::Relaxed);
    }

    /// Waits until all have happened.
    pub async fn wait(&self) {
        while self.left.load(Ordering::Acquire) > 0 {
            self.zero.notified().await;
        }
    }

    /// What has gone wrong by now. What is late shows only after its actor was stopped.
    pub fn faults(&self) -> Faults {
        let left = self.left.load(Ordering::Acquire);
        Faults {
            lost: left.max(0).unsigned_abs(),
            surplus: left.min(0).unsigned_abs(),
            disorder: self.disorder.load(Ordering::Relaxed),
        }
    }
}

/// What should have happened once and in order, and did not.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Faults {
    /// Fewer than were to happen.
    pub lost: usize,
    /// More than were to happen.
    pub surplus: usize,
    /// Not the next: one before it was lost, came later, or was the same.
    pub disorder: usize,
}

impl Faults {
    /// All is well.
    pub fn is_none(&self) -> bool {
        *self == Faults::default()
    }
}

impl AddAssign for Faults {
    fn add_assign(&mut self, more: Self) {
        self.lost += more.lost;
        self.surplus += more.surplus;
        self.disorder += more.disorder;
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Faults {
            lost,
            surplus,
            disorder,
        } = self;
        write!(formatter, "{lost} too few, {surplus} too many, {disorder} not the next")
    }
}
