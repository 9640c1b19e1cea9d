//! What the two sides of a topic share.

use super::log::Log;
use super::slow::Slow;
use crate::sync::Mutex;

/// What subscriptions share with the topic.
pub(super) struct Shared<T: ?Sized> {
    pub(super) log: Mutex<Log<T>>,
    pub(super) slow: Slow,
}

impl<T: ?Sized> Shared<T> {
    pub(super) fn new(slow: Slow) -> Self {
        Self {
            log: Mutex::new(Log::new(slow.limit())),
            slow,
        }
    }
}
