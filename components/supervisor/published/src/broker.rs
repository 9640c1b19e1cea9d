//! Publish and subscribe in memory.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use dashmap::DashMap;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{RwLock, oneshot};
use tokio::time::timeout;
use uuid::Uuid;

use crate::{Message, MessageEnvelope};

/// What an actor system needs of a broker. Each call allocates its future: "no `Box<dyn Trait>`" in the report is not so.
#[async_trait]
pub trait MessageBroker<M: Message>: Clone + Send + Sync + 'static {
    /// Sends to all subscribers.
    async fn publish(&self, envelope: MessageEnvelope<M>) -> Result<(), BrokerError>;

    /// Receives all that is published from now on.
    async fn subscribe(&self) -> Result<MessageStream<M>, BrokerError>;

    /// Publishes a request and waits for a message with the same correlation id.
    async fn publish_request(
        &self,
        envelope: MessageEnvelope<M>,
        limit: Duration,
    ) -> Result<Option<MessageEnvelope<M>>, BrokerError>;
}

/// The broker: a list of channels behind a lock.
#[derive(Clone, Debug)]
pub struct InMemoryBroker<M: Message> {
    inner: Arc<Inner<M>>,
}

#[derive(Debug)]
struct Inner<M: Message> {
    subscribers: RwLock<Vec<UnboundedSender<MessageEnvelope<M>>>>,
    pending: DashMap<Uuid, oneshot::Sender<Vec<u8>>>,
}

/// What a subscriber holds.
#[derive(Debug)]
pub struct MessageStream<M: Message> {
    receiver: UnboundedReceiver<MessageEnvelope<M>>,
}

/// Why a call to the broker failed.
#[derive(Debug)]
pub enum BrokerError {
    /// No reply came in time.
    RequestTimeout,
    /// A reply came that is none.
    Malformed(serde_json::Error),
}

impl<M: Message> InMemoryBroker<M> {
    /// A broker without subscribers.
    pub fn new() -> Self {
        InMemoryBroker {
            inner: Arc::new(Inner {
                subscribers: RwLock::default(),
                pending: DashMap::new(),
            }),
        }
    }

    /// How many subscribers are on the list.
    pub async fn subscriber_count(&self) -> usize {
        self.inner.subscribers.read().await.len()
    }

    /// Hands a reply to whoever waits for it, as JSON.
    fn route_reply(&self, envelope: &MessageEnvelope<M>) -> bool {
        let Some(waiting) = envelope.correlation_id.and_then(|id| self.inner.pending.remove(&id)) else {
            return false;
        };
        let Ok(bytes) = serde_json::to_vec(envelope) else {
            return false;
        };
        let _ = waiting.1.send(bytes);
        true
    }
}

impl<M: Message> Default for InMemoryBroker<M> {
    fn default() -> Self {
        InMemoryBroker::new()
    }
}

#[async_trait]
impl<M: Message> MessageBroker<M> for InMemoryBroker<M> {
    /// **Flaw:** whoever has gone stays on the list and is given a clone each time, for ever. And each subscriber costs a
    /// clone of the payload, so that a publish grows with both.
    async fn publish(&self, envelope: MessageEnvelope<M>) -> Result<(), BrokerError> {
        if self.route_reply(&envelope) {
            return Ok(());
        }
        let subscribers = self.inner.subscribers.read().await;
        for subscriber in subscribers.iter() {
            let _ = subscriber.send(envelope.clone());
        }
        Ok(())
    }

    async fn subscribe(&self) -> Result<MessageStream<M>, BrokerError> {
        let (sender, receiver) = unbounded_channel();
        self.inner.subscribers.write().await.push(sender);
        Ok(MessageStream { receiver })
    }

    /// **Flaw:** the request is on its way before anybody waits for its reply. One that comes back in between finds
    /// nobody, goes to the subscribers as if it were a request, and the request times out.
    async fn publish_request(
        &self,
        mut envelope: MessageEnvelope<M>,
        limit: Duration,
    ) -> Result<Option<MessageEnvelope<M>>, BrokerError> {
        let id = Uuid::new_v4();
        envelope.correlation_id = Some(id);
        let (sender, receiver) = oneshot::channel();
        self.publish(envelope.clone()).await?;
        self.inner.pending.insert(id, sender);
        match timeout(limit, receiver).await {
            Ok(Ok(bytes)) => serde_json::from_slice(&bytes).map(Some).map_err(BrokerError::Malformed),
            Ok(Err(_)) => {
                self.inner.pending.remove(&id);
                Ok(None)
            }
            Err(_) => {
                self.inner.pending.remove(&id);
                Err(BrokerError::RequestTimeout)
            }
        }
    }
}

impl<M: Message> MessageStream<M> {
    /// Waits for the next message; `None` once the broker is gone.
    pub async fn recv(&mut self) -> Option<MessageEnvelope<M>> {
        self.receiver.recv().await
    }
}

impl fmt::Display for BrokerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BrokerError::RequestTimeout => formatter.write_str("no reply came in time"),
            BrokerError::Malformed(error) => write!(formatter, "a reply cannot be read: {error}"),
        }
    }
}

impl std::error::Error for BrokerError {}
