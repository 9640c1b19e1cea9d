//! How long a restart waits.

use std::time::Duration;

/// The time between the end of a child and its restart.
///
/// Under anything but [`None`](Self::None), a child that lived for `settled` is taken for healthy: its next restart counts
/// as its first again. While a supervisor waits, the others of the group are stopped already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backoff {
    /// Every restart at once; the [intensity](super::Intensity) is what limits them.
    #[default]
    None,
    /// The first restart at once, the second after `first`, and then twice as long each time.
    Exponential {
        /// The shortest time.
        first: Duration,
        /// The longest time.
        longest: Duration,
        /// A life of this length makes the next restart the first.
        settled: Duration,
    },
}

impl Backoff {
    /// How long restart `attempt`, counted from 0, waits.
    #[must_use]
    pub fn delay(&self, attempt: u32) -> Duration {
        match (*self, attempt) {
            (Self::None, _) | (_, 0) => Duration::ZERO,
            (Self::Exponential { first, longest, .. }, _) => {
                first.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(longest)
            }
        }
    }

    /// Whether a child that lived for `life` is healthy.
    pub(super) fn is_settled(&self, life: Duration) -> bool {
        match *self {
            Self::None => true,
            Self::Exponential { settled, .. } => life >= settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn exponential_doubles_up_to_the_longest() {
        let backoff = Backoff::Exponential {
            first: MS,
            longest: 6 * MS,
            settled: Duration::MAX,
        };
        assert_eq!(
            [0, 1, 2, 3, 4].map(|attempt| backoff.delay(attempt)),
            [0, 1, 2, 4, 6].map(|times| times * MS)
        );
        assert_eq!(Backoff::None.delay(7), Duration::ZERO);
    }

    #[test]
    fn no_attempt_overflows() {
        let backoff = Backoff::Exponential {
            first: Duration::MAX,
            longest: Duration::MAX,
            settled: Duration::MAX,
        };
        assert_eq!(backoff.delay(u32::MAX), Duration::MAX);
    }
}
