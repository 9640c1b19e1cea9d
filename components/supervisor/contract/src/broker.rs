//! Publishing to whoever listens.

use std::borrow::Borrow;
use std::future::Future;

use crate::{Message, Runtime};

/// A runtime with a broker.
pub trait Publishes: Runtime {
    /// What is published to, for one type of payload. Its clones are the same topic.
    type Topic<P: Message>: Clone + Send + Sync + 'static;

    /// A subscriber's end. Dropping it unsubscribes.
    type Subscription<P: Message>: Send + 'static;

    /// A payload as it is handed over: the subscriber's own, or shared.
    type Item<P: Message>: Borrow<P> + Send;

    /// A topic without subscribers.
    fn topic<P: Message>() -> Self::Topic<P>;

    /// Subscribes: whatever is published from now on is received, in the order of each publisher.
    fn subscribe<P: Message>(topic: &Self::Topic<P>) -> impl Future<Output = Self::Subscription<P>> + Send;

    /// Publishes to all who have subscribed. A subscriber that does not keep up does not hold up the others.
    fn publish<P: Message>(topic: &Self::Topic<P>, payload: P) -> impl Future<Output = ()> + Send;

    /// How many subscriptions the topic keeps, those included that it does not know to be gone.
    fn subscriptions<P: Message>(topic: &Self::Topic<P>) -> impl Future<Output = usize> + Send;

    /// Waits for the next payload.
    fn receive<P: Message>(
        subscription: &mut Self::Subscription<P>,
    ) -> impl Future<Output = Received<Self::Item<P>>> + Send;
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
