//! The publishers' side of a topic.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use super::log::Appended;
use super::publishing::Publishing;
use super::shared::Shared;
use super::slow::Slow;
use super::subscription::Subscription;
use crate::rt;
use crate::sync::lock;

/// Where payloads of type `T` are published; clones are the same topic.
///
/// When the last one is dropped, the subscribers read what is left and then the end.
///
/// # Examples
///
/// ```
/// use supervisor_lab::broker::{Received, Slow, Topic};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let topic = Topic::<str>::new(Slow::Lags(2.try_into().unwrap()));
/// let mut slow = topic.subscribe();
/// for price in ["1", "2", "3"] {
///     topic.publish(price).await;
/// }
/// drop(topic);
/// assert_eq!(slow.receive().await, Received::Lagged(1));
/// assert_eq!(slow.receive().await, Received::Payload("2".into()));
/// assert_eq!(slow.receive().await, Received::Payload("3".into()));
/// assert_eq!(slow.receive().await, Received::Closed);
/// # }
/// ```
pub struct Topic<T: ?Sized> {
    publishers: Arc<Publishers<T>>,
}

/// Closes the topic with its last publisher.
struct Publishers<T: ?Sized> {
    shared: Arc<Shared<T>>,
}

impl<T: ?Sized> Topic<T> {
    /// A topic without subscribers.
    #[must_use]
    pub fn new(slow: Slow) -> Self {
        let shared = Arc::new(Shared::new(slow));
        Self {
            publishers: Arc::new(Publishers { shared }),
        }
    }

    /// Subscribes to whatever is published from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription<T> {
        Subscription::new(Arc::clone(self.shared()))
    }

    /// Publishes; returns how many subscribers will read it. Waits only if the topic is [`Slow::HoldsUp`]; those who wait
    /// publish in turn.
    ///
    /// Each call takes a unit of its task's budget, as tokio's own futures do, so that whoever publishes in a loop lets the
    /// subscribers run.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, the future has published nothing, unless its turn came at the last moment.
    pub async fn publish(&self, payload: impl Into<Arc<T>>) -> usize {
        poll_fn(rt::poll_budget).await;
        match self.try_publish(payload) {
            Ok(readers) => readers,
            Err(payload) => Publishing::new(self.shared(), payload).await,
        }
    }

    /// Publishes; returns how many subscribers will read it.
    ///
    /// # Errors
    ///
    /// The payload, if the topic is [`Slow::HoldsUp`] and full.
    pub fn try_publish(&self, payload: impl Into<Arc<T>>) -> Result<usize, Arc<T>> {
        let shared = self.shared();
        let payload = payload.into();
        let mut log = lock(&shared.log);
        let appended = log.append(payload, matches!(shared.slow, Slow::Lags(_)));
        match appended {
            Appended::Yes { readers, oldest } => {
                let sleepers = log.sleepers.take();
                drop(log);
                drop(oldest);
                sleepers.wake();
                Ok(readers)
            }
            Appended::Unheard(payload) => {
                drop(log);
                drop(payload);
                Ok(0)
            }
            Appended::Full(payload) => Err(payload),
        }
    }

    /// Those who have subscribed and are still there.
    #[must_use]
    pub fn subscriptions(&self) -> usize {
        lock(&self.shared().log).readers()
    }

    /// Payloads that somebody has not read.
    #[must_use]
    pub fn backlog(&self) -> usize {
        lock(&self.shared().log).len()
    }

    pub(super) fn is_used(&self) -> bool {
        Arc::strong_count(&self.publishers) > 1 || self.subscriptions() > 0
    }

    fn shared(&self) -> &Arc<Shared<T>> {
        &self.publishers.shared
    }
}

impl<T: ?Sized> Drop for Publishers<T> {
    fn drop(&mut self) {
        let mut log = lock(&self.shared.log);
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
        formatter
            .debug_struct("Topic")
            .field("slow", &self.shared().slow)
            .finish_non_exhaustive()
    }
}
