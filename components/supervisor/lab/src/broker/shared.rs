//! What the two sides of a topic share.

use std::task::Waker;

use tokio::sync::Notify;

use super::log::Log;
use super::slow::Slow;
use crate::sync::{Mutex, lock};

/// Sleepers that are woken after one visit to the lock.
const WAKES: usize = 32;

/// What subscriptions share with the topic.
pub(super) struct Shared<T: ?Sized> {
    pub(super) log: Mutex<Log<T>>,
    pub(super) slow: Slow,
    /// Told when an entry is gone.
    pub(super) room: Notify,
}

impl<T: ?Sized> Shared<T> {
    pub(super) fn new(slow: Slow) -> Self {
        Self {
            log: Mutex::new(Log::new()),
            slow,
            room: Notify::new(),
        }
    }

    /// An entry is gone.
    pub(super) fn make_room(&self) {
        if matches!(self.slow, Slow::HoldsUp(_)) {
            self.room.notify_waiters();
        }
    }

    /// Wakes this many sleepers, without the lock. Those who fall asleep meanwhile have read everything.
    pub(super) fn rouse(&self, mut sleepers: usize) {
        while sleepers > 0 {
            let mut wakers = [const { None::<Waker> }; WAKES];
            let woken = sleepers.min(WAKES);
            let mut log = lock(&self.log);
            wakers[..woken].fill_with(|| log.rouse());
            drop(log);
            wakers.into_iter().flatten().for_each(Waker::wake);
            sleepers -= woken;
        }
    }
}
