//! Restarts within a time, for systems that leave counting them to their users.

use std::collections::VecDeque;
use std::time::Instant;

use supervisor_contract::Restarts;

/// Restarts of the time that counts.
#[derive(Debug)]
pub(super) struct Intensity {
    allowed: Restarts,
    restarts: VecDeque<Instant>,
}

impl Intensity {
    pub(super) fn new(allowed: Restarts) -> Self {
        Intensity {
            allowed,
            restarts: VecDeque::new(),
        }
    }

    /// Whether one more restart is within what is allowed; counts it if so.
    pub(super) fn allows_another(&mut self) -> bool {
        let now = Instant::now();
        while self
            .restarts
            .front()
            .is_some_and(|restart| now.duration_since(*restart) > self.allowed.within)
        {
            self.restarts.pop_front();
        }
        let allowed = self.restarts.len() < self.allowed.at_most as usize;
        if allowed {
            self.restarts.push_back(now);
        }
        allowed
    }
}
