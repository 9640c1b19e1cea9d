//! Actors and what they see of their system.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::{ActorAddress, BrokerError, InMemoryBroker, Message, MessageBroker, MessageEnvelope};

/// An actor. Each call of a method allocates its future.
#[async_trait]
pub trait Actor: Send + 'static {
    /// What it takes.
    type Message: Message;
    /// Why handling a message failed.
    type Error: Error + Send + Sync + 'static;

    /// Called once, before the first message.
    async fn pre_start(&mut self, _context: &mut ActorContext<Self::Message>) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Handles a message.
    async fn handle_message(
        &mut self,
        message: Self::Message,
        context: &mut ActorContext<Self::Message>,
    ) -> Result<(), Self::Error>;

    /// Decides what becomes of the actor after an error.
    async fn on_error(&mut self, _error: Self::Error, _context: &mut ActorContext<Self::Message>) -> ErrorAction {
        ErrorAction::Stop
    }

    /// Called when its loop has ended.
    async fn post_stop(&mut self, _context: &mut ActorContext<Self::Message>) {}
}

/// What becomes of an actor after an error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ErrorAction {
    /// It ends.
    Stop,
    /// **Flaw:** it ends; nothing restarts it.
    Restart,
    /// **Flaw:** it ends; nobody is told.
    Escalate,
    /// It takes the next message.
    Resume,
}

/// What an actor knows of itself, and its way to others.
#[derive(Debug)]
pub struct ActorContext<M: Message> {
    address: ActorAddress,
    created_at: DateTime<Utc>,
    last_message_at: Option<DateTime<Utc>>,
    message_count: u64,
    broker: InMemoryBroker<M>,
}

impl<M: Message> ActorContext<M> {
    /// A context of an actor with this address, with this way to others.
    pub fn new(address: ActorAddress, broker: InMemoryBroker<M>) -> Self {
        ActorContext {
            address,
            created_at: Utc::now(),
            last_message_at: None,
            message_count: 0,
            broker,
        }
    }

    /// The actor's own address.
    pub fn address(&self) -> &ActorAddress {
        &self.address
    }

    /// Its way to others.
    pub fn broker(&self) -> &InMemoryBroker<M> {
        &self.broker
    }

    /// When it was made.
    pub fn created_at(&self) -> DateTime<Utc> {
        self.created_at
    }

    /// How many messages were recorded, and when the last one was.
    pub fn messages(&self) -> (u64, Option<DateTime<Utc>>) {
        (self.message_count, self.last_message_at)
    }

    /// Records that a message was handled. The system does not do it: the actor must.
    pub fn record_message(&mut self) {
        self.last_message_at = Some(Utc::now());
        self.message_count += 1;
    }

    /// Sends a message by way of the broker. That it was published says nothing about whether there is a recipient.
    ///
    /// # Errors
    ///
    /// Those of the broker.
    pub async fn send(&self, message: M, recipient: ActorAddress) -> Result<(), BrokerError> {
        let mut envelope = MessageEnvelope::new(message);
        envelope.reply_to = Some(recipient);
        self.broker.publish(envelope).await
    }

    /// Sends a request by way of the broker and waits for its reply; see
    /// [`publish_request`](MessageBroker::publish_request).
    ///
    /// # Errors
    ///
    /// Those of the broker.
    pub async fn request(
        &self,
        message: M,
        recipient: ActorAddress,
        limit: Duration,
    ) -> Result<Option<MessageEnvelope<M>>, BrokerError> {
        let mut envelope = MessageEnvelope::new(message);
        envelope.reply_to = Some(recipient);
        self.broker.publish_request(envelope, limit).await
    }
}
