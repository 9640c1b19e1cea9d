//! Mailboxes, which the actor system does not use: its actors have bare channels.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use tokio::sync::mpsc;

use crate::{Message, MessageEnvelope};

/// What passed through a mailbox.
#[derive(Debug, Default)]
pub struct MailboxMetrics {
    /// Messages put in.
    pub sent: AtomicU64,
    /// Messages taken out.
    pub received: AtomicU64,
    /// Messages dropped because their time had passed.
    pub dropped: AtomicU64,
    last_message_at: RwLock<Option<DateTime<Utc>>>,
}

/// The end that messages are put into. Each call allocates its future.
#[async_trait]
pub trait MailboxSender<M: Message>: Clone + Send + Sync {
    /// Puts a message in, waiting for room; gives it back if nobody is there to take it out.
    async fn send(&self, envelope: MessageEnvelope<M>) -> Result<(), MessageEnvelope<M>>;
}

/// The end that messages are taken out of. Each call allocates its future.
#[async_trait]
pub trait MailboxReceiver<M: Message>: Send {
    /// Takes the next message out; `None` once it is empty and nobody can put one in.
    async fn recv(&mut self) -> Option<MessageEnvelope<M>>;
}

/// A mailbox with a capacity.
#[derive(Debug)]
pub struct BoundedMailbox<M: Message> {
    receiver: mpsc::Receiver<MessageEnvelope<M>>,
    metrics: Arc<MailboxMetrics>,
}

/// What puts messages into a [`BoundedMailbox`].
#[derive(Clone, Debug)]
pub struct BoundedSender<M: Message> {
    sender: mpsc::Sender<MessageEnvelope<M>>,
    metrics: Arc<MailboxMetrics>,
}

/// A mailbox that holds as much as memory does.
#[derive(Debug)]
pub struct UnboundedMailbox<M: Message> {
    receiver: mpsc::UnboundedReceiver<MessageEnvelope<M>>,
    metrics: Arc<MailboxMetrics>,
}

/// What puts messages into an [`UnboundedMailbox`].
#[derive(Clone, Debug)]
pub struct UnboundedSender<M: Message> {
    sender: mpsc::UnboundedSender<MessageEnvelope<M>>,
    metrics: Arc<MailboxMetrics>,
}

impl<M: Message> BoundedMailbox<M> {
    /// An empty mailbox and its other end.
    pub fn with_capacity(capacity: usize) -> (Self, BoundedSender<M>) {
        let (sender, receiver) = mpsc::channel(capacity);
        let metrics = Arc::<MailboxMetrics>::default();
        (
            BoundedMailbox {
                receiver,
                metrics: Arc::clone(&metrics),
            },
            BoundedSender { sender, metrics },
        )
    }
}

impl<M: Message> UnboundedMailbox<M> {
    /// An empty mailbox and its other end.
    pub fn create() -> (Self, UnboundedSender<M>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let metrics = Arc::<MailboxMetrics>::default();
        (
            UnboundedMailbox {
                receiver,
                metrics: Arc::clone(&metrics),
            },
            UnboundedSender { sender, metrics },
        )
    }
}

#[async_trait]
impl<M: Message> MailboxSender<M> for BoundedSender<M> {
    async fn send(&self, envelope: MessageEnvelope<M>) -> Result<(), MessageEnvelope<M>> {
        self.sender.send(envelope).await.map_err(|refused| refused.0)?;
        self.metrics.sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[async_trait]
impl<M: Message> MailboxSender<M> for UnboundedSender<M> {
    async fn send(&self, envelope: MessageEnvelope<M>) -> Result<(), MessageEnvelope<M>> {
        self.sender.send(envelope).map_err(|refused| refused.0)?;
        self.metrics.sent.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

#[async_trait]
impl<M: Message> MailboxReceiver<M> for BoundedMailbox<M> {
    async fn recv(&mut self) -> Option<MessageEnvelope<M>> {
        while let Some(envelope) = self.receiver.recv().await {
            let age = Utc::now().signed_duration_since(envelope.timestamp).num_seconds();
            if envelope.ttl.is_none_or(|ttl| age.unsigned_abs() <= ttl) {
                self.metrics.took_one();
                return Some(envelope);
            }
            self.metrics.dropped.fetch_add(1, Ordering::Relaxed);
        }
        None
    }
}

#[async_trait]
impl<M: Message> MailboxReceiver<M> for UnboundedMailbox<M> {
    async fn recv(&mut self) -> Option<MessageEnvelope<M>> {
        let envelope = self.receiver.recv().await?;
        self.metrics.took_one();
        Some(envelope)
    }
}

impl MailboxMetrics {
    fn took_one(&self) {
        self.received.fetch_add(1, Ordering::Relaxed);
        *self.last_message_at.write() = Some(Utc::now());
    }
}
