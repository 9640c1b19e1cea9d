//! What travels.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ActorAddress;

/// What the broker demands of a message: clones for its subscribers, JSON for replies.
pub trait Message: Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {}

impl<M: Clone + Debug + Send + Sync + Serialize + DeserializeOwned + 'static> Message for M {}

/// A message and what is known about it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(bound = "M: Message")]
pub struct MessageEnvelope<M: Message> {
    /// The message.
    pub payload: M,
    /// Who sent it.
    pub sender: Option<ActorAddress>,
    /// Who it is **for**: upstream's router reads the recipient out of the field of this name.
    pub reply_to: Option<ActorAddress>,
    /// When it was made.
    pub timestamp: DateTime<Utc>,
    /// What ties a reply to its request.
    pub correlation_id: Option<Uuid>,
    /// In seconds; only [`BoundedMailbox`](crate::BoundedMailbox) looks at it.
    pub ttl: Option<u64>,
}

impl<M: Message> MessageEnvelope<M> {
    /// An envelope without addresses.
    pub fn new(payload: M) -> Self {
        MessageEnvelope {
            payload,
            sender: None,
            reply_to: None,
            timestamp: Utc::now(),
            correlation_id: None,
            ttl: None,
        }
    }
}
