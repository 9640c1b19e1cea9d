//! The two sides of a topic.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::log::Log;
use super::sleepers::Place;
use crate::rt;
use crate::sync::{Mutex, lock};

/// Where payloads of type `T` are published; clones are the same topic.
///
/// When the last one is dropped, the subscribers read what is left and then the end.
///
/// # Examples
///
/// ```
/// use supervisor_lab::broker::{Received, Topic};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let topic = Topic::<str>::new();
/// let mut prices = topic.subscribe();
/// topic.publish("42").await;
/// drop(topic);
/// assert_eq!(prices.receive().await, Received::Payload("42".into()));
/// assert_eq!(prices.receive().await, Received::Closed);
/// # }
/// ```
pub struct Topic<T: ?Sized> {
    publishers: Arc<Publishers<T>>,
}

/// Closes the topic with its last publisher.
struct Publishers<T: ?Sized> {
    log: Arc<Mutex<Log<T>>>,
}

/// What came of waiting for a payload.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<T: ?Sized> {
    /// The next payload, shared with the other subscribers.
    Payload(Arc<T>),
    /// There will be no more.
    Closed,
}

/// A subscriber's place in a topic.
///
/// Dropping it unsubscribes, which costs as much as it has not read.
pub struct Subscription<T: ?Sized> {
    log: Arc<Mutex<Log<T>>>,
    /// Where its waker is, if it sleeps.
    place: Option<Place>,
    /// The number of the entry that is read next.
    next: u64,
    /// Read, and not handed out.
    batch: VecDeque<Arc<T>>,
}

impl<T: ?Sized> Topic<T> {
    /// A topic without subscribers.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "a topic is made for its subscribers")]
    pub fn new() -> Self {
        let log = Arc::new(Mutex::new(Log::new()));
        Self {
            publishers: Arc::new(Publishers { log }),
        }
    }

    /// Subscribes to whatever is published from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription<T> {
        let log = Arc::clone(&self.publishers.log);
        let next = lock(&log).enter();
        Subscription {
            log,
            place: None,
            next,
            batch: VecDeque::new(),
        }
    }

    /// Publishes; returns how many subscribers will read it.
    ///
    /// Each call takes a unit of its task's budget, as tokio's own futures do, so that whoever publishes in a loop lets the
    /// subscribers run.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, the future has published nothing.
    pub async fn publish(&self, payload: impl Into<Arc<T>>) -> usize {
        poll_fn(rt::poll_budget).await;
        let payload = payload.into();
        let mut log = lock(&self.publishers.log);
        match log.append(payload) {
            Ok(readers) => {
                let sleepers = log.sleepers.take();
                drop(log);
                sleepers.wake();
                readers
            }
            Err(payload) => {
                drop(log);
                drop(payload);
                0
            }
        }
    }

    /// Those who have subscribed and are still there.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        lock(&self.publishers.log).readers()
    }

    /// Payloads that somebody has not read.
    #[must_use]
    pub fn backlog(&self) -> usize {
        lock(&self.publishers.log).len()
    }
}

impl<T: ?Sized> Drop for Publishers<T> {
    fn drop(&mut self) {
        let mut log = lock(&self.log);
        log.closed = true;
        let sleepers = log.sleepers.take();
        drop(log);
        sleepers.wake();
    }
}

impl<T: ?Sized> Clone for Topic<T> {
    fn clone(&self) -> Self {
        Self {
            publishers: Arc::clone(&self.publishers),
        }
    }
}

impl<T: ?Sized> fmt::Debug for Topic<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Topic(..)")
    }
}

impl<T: ?Sized> Subscription<T> {
    /// Waits for the next payload.
    ///
    /// # Cancel safety
    ///
    /// Safe in `tokio::select!`: dropped before it is done, the future has taken nothing.
    pub fn receive(&mut self) -> impl Future<Output = Received<T>> {
        poll_fn(|context| self.poll_receive(context))
    }

    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<Received<T>> {
        ready!(rt::poll_budget(context));
        if let Some(payload) = self.batch.pop_front() {
            return Poll::Ready(Received::Payload(payload));
        }
        let mut log = lock(&self.log);
        if let Some(payload) = log.read(&mut self.next, &mut self.batch) {
            let buffer = log.shrink();
            drop(log);
            drop(buffer);
            Poll::Ready(Received::Payload(payload))
        } else if log.closed {
            Poll::Ready(Received::Closed)
        } else {
            let previous = log.sleepers.sleep(&mut self.place, context.waker());
            drop(log);
            drop(previous);
            Poll::Pending
        }
    }
}

impl<T: ?Sized> Drop for Subscription<T> {
    fn drop(&mut self) {
        let mut log = lock(&self.log);
        let waker = log.sleepers.leave(self.place);
        let left = log.leave(self.next);
        drop(log);
        drop((waker, left));
    }
}

impl<T: ?Sized> fmt::Debug for Subscription<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Subscription(..)")
    }
}
