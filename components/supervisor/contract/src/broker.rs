//! Publishing to whoever listens.

use std::borrow::Borrow;
use std::future::Future;

use crate::{Message, Runtime};

/// A runtime with a broker.
pub trait Publishes: Runtime {
    /// What is published to, for one type of payload.
    type Topic<P: Message>: Topic<P>;

    /// A topic without subscribers.
    fn topic<P: Message>() -> Self::Topic<P>;
}

/// What is published to. Its clones are the same topic.
pub trait Topic<P>: Clone + Send + Sync + 'static {
    /// What a subscriber holds.
    type Subscription: Subscription<P>;

    /// Subscribes: whatever is published from now on is received, in the order of each publisher.
    fn subscribe(&self) -> impl Future<Output = Self::Subscription> + Send;

    /// Publishes to all who have subscribed. A subscriber that does not keep up does not hold up the others.
    fn publish(&self, payload: P) -> impl Future<Output = ()> + Send;

    /// How many subscriptions the topic keeps, those included that it does not know to be gone.
    fn subscriptions(&self) -> impl Future<Output = usize> + Send;
}

/// A subscriber's end. Dropping it unsubscribes.
pub trait Subscription<P>: Send + 'static {
    /// A payload as it is handed over: the subscriber's own, or shared.
    type Item: Borrow<P> + Send;

    /// Waits for the next payload.
    fn receive(&mut self) -> impl Future<Output = Received<Self::Item>> + Send;
}

/// What came of waiting for a payload.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Received<T> {
    /// The next payload.
    Payload(T),
    /// So many payloads were dropped, because the subscriber did not keep up with a topic of limited length.
    Lagged(u64),
    /// The topic is gone.
    Closed,
}
