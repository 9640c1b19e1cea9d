//! What happens to those who do not keep up.

use std::num::NonZeroUsize;

/// What a topic does about a subscriber that does not keep up. It is measured in payloads that one has not taken;
/// what a subscriber has taken as a batch counts as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slow {
    /// Keeps everything until the slowest has read it.
    Unlimited,
    /// Keeps this many payloads. A subscriber that is further behind loses the oldest, and is
    /// [told how many](super::Received::Lagged).
    Lags(NonZeroUsize),
    /// Keeps this many payloads. Publishers wait for the slowest subscriber.
    HoldsUp(NonZeroUsize),
}

impl Slow {
    /// What the log may hold.
    pub(super) fn limit(self) -> usize {
        match self {
            Self::Unlimited => usize::MAX,
            Self::Lags(kept) | Self::HoldsUp(kept) => kept.get(),
        }
    }
}
