//! How long a restart waits.

use std::collections::VecDeque;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

const BASE: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(60);
const LARGEST_EXPONENT: u32 = 10;

/// Restarts in a sliding window of time. The delay starts at 100 ms and doubles; neither can be configured through the
/// supervisor.
#[derive(Clone, Debug)]
pub struct RestartBackoff {
    max_restarts: u32,
    window: TimeDelta,
    restarts: VecDeque<DateTime<Utc>>,
}

impl RestartBackoff {
    /// Nothing restarted yet.
    pub fn new(max_restarts: u32, window: TimeDelta) -> Self {
        RestartBackoff {
            max_restarts,
            window,
            restarts: VecDeque::new(),
        }
    }

    /// Whether there were as many restarts as there may be.
    pub fn is_limit_reached(&mut self) -> bool {
        self.forget_old();
        self.restarts.len() >= self.max_restarts as usize
    }

    /// Remembers a restart.
    pub fn record(&mut self) {
        self.restarts.push_front(Utc::now());
    }

    /// 100 ms x 2^n after n restarts within the window, up to a minute.
    pub fn delay(&mut self) -> Duration {
        self.forget_old();
        let restarts = u32::try_from(self.restarts.len()).unwrap_or(u32::MAX);
        (BASE * 2_u32.pow(restarts.min(LARGEST_EXPONENT))).min(LONGEST)
    }

    fn forget_old(&mut self) {
        let from = Utc::now() - self.window;
        while self.restarts.back().is_some_and(|oldest| *oldest < from) {
            self.restarts.pop_back();
        }
    }
}
