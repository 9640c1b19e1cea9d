//! Who is who.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies an actor within this process; never used twice. A restart keeps it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ActorId(u64);

impl ActorId {
    /// Relaxed: only the uniqueness of the number matters.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for ActorId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}
