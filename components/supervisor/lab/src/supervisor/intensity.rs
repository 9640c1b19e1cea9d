//! How many restarts are too many.

use std::collections::VecDeque;
use std::time::Duration;

/// A supervisor that would have to restart more than `restarts` times within `within` gives up instead.
///
/// It then stops its children and fails, which is its own supervisor's business. A restart of a group counts once, and so
/// does a start that failed during a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intensity {
    /// The restarts that are allowed.
    pub restarts: u32,
    /// The time in which they are counted, which slides.
    pub within: Duration,
}

/// Three in five seconds.
impl Default for Intensity {
    fn default() -> Self {
        Self {
            restarts: 3,
            within: Duration::from_secs(5),
        }
    }
}

/// The restarts of late, none older than the window by the time of the last one.
#[derive(Debug)]
pub(super) struct Window {
    intensity: Intensity,
    restarts: VecDeque<Duration>,
}

impl Window {
    pub(super) fn new(intensity: Intensity) -> Self {
        Self {
            intensity,
            restarts: VecDeque::new(),
        }
    }

    /// Counts a restart; `false` if it is one too many.
    pub(super) fn admit(&mut self, now: Duration) -> bool {
        let within = self.intensity.within;
        while self
            .restarts
            .front()
            .is_some_and(|&then| now.saturating_sub(then) >= within)
        {
            self.restarts.pop_front();
        }
        if self.restarts.len() >= self.intensity.restarts as usize {
            return false;
        }
        self.restarts.push_back(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(restarts: u32) -> Window {
        Window::new(Intensity {
            restarts,
            within: Duration::from_secs(10),
        })
    }

    #[test]
    fn one_more_than_allowed_is_refused() {
        let mut window = window(2);
        assert_eq!(
            [0, 1, 2].map(|at| window.admit(Duration::from_secs(at))),
            [true, true, false]
        );
    }

    #[test]
    fn the_window_slides() {
        let mut window = window(2);
        assert_eq!(
            [0, 9, 10, 11, 19].map(|at| window.admit(Duration::from_secs(at))),
            [true, true, true, false, true]
        );
    }

    #[test]
    fn none_allowed_refuses_the_first() {
        assert!(!window(0).admit(Duration::ZERO));
    }
}
