//! The subscribers' side of a topic.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::log::{Found, Freed};
use super::shared::Shared;
use super::sleepers::Place;
use crate::rt;
use crate::sync::lock;

/// What came of waiting for a payload.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<T: ?Sized> {
    /// The next payload, shared with the other subscribers.
    Payload(Arc<T>),
    /// This many payloads were dropped because this subscriber did not keep up. The next one is the oldest that is kept.
    Lagged(u64),
    /// There will be no more.
    Closed,
}

/// A subscriber's place in a topic.
///
/// Dropping it unsubscribes, which costs as much as it has not read.
pub struct Subscription<T: ?Sized> {
    shared: Arc<Shared<T>>,
    /// Where its waker is, if it sleeps.
    place: Option<Place>,
    /// The number of the entry that is read next.
    next: u64,
    /// Read, and not handed out.
    batch: VecDeque<Arc<T>>,
}

impl<T: ?Sized> Subscription<T> {
    pub(super) fn new(shared: Arc<Shared<T>>) -> Self {
        let next = lock(&shared.log).enter();
        Self {
            shared,
            place: None,
            next,
            batch: VecDeque::new(),
        }
    }

    /// Waits for the next payload.
    ///
    /// # Cancel safety
    ///
    /// Safe in `tokio::select!`: dropped before it is done, the future has taken nothing.
    pub fn receive(&mut self) -> impl Future<Output = Received<T>> {
        poll_fn(|context| self.poll_receive(context))
    }

    /// As [`receive`](Self::receive), for hand-written futures. Each call takes a unit of the task's budget.
    pub fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Received<T>> {
        ready!(rt::poll_budget(context));
        if let Some(payload) = self.batch.pop_front() {
            return Poll::Ready(Received::Payload(payload));
        }
        let mut log = lock(&self.shared.log);
        match log.read(&mut self.next, &mut self.batch) {
            Found::Payload(payload) => {
                let freed = log.settle();
                drop(log);
                freed.into_iter().for_each(Freed::release);
                Poll::Ready(Received::Payload(payload))
            }
            Found::Lagged(missed) => Poll::Ready(Received::Lagged(missed)),
            Found::Closed => Poll::Ready(Received::Closed),
            Found::Nothing => {
                let previous = log.sleepers.sleep(&mut self.place, context.waker());
                drop(log);
                drop(previous);
                Poll::Pending
            }
        }
    }
}

impl<T: ?Sized> Drop for Subscription<T> {
    fn drop(&mut self) {
        let mut log = lock(&self.shared.log);
        let waker = log.sleepers.leave(self.place);
        let freed = log.leave(self.next);
        drop(log);
        drop(waker);
        freed.release();
    }
}

impl<T: ?Sized> fmt::Debug for Subscription<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Subscription")
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
