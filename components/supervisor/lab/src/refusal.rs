//! Messages that were not accepted, handed back to whom they belong.

use std::fmt;

use thiserror::Error;

/// Why a message was not accepted, and the message.
#[derive(Clone, Copy, Error, PartialEq, Eq)]
pub enum Refusal<M> {
    /// The mailbox holds as many messages as it may.
    #[error("the mailbox is full")]
    Full(M),
    /// The actor takes no more messages.
    #[error("the mailbox is closed")]
    Closed(M),
}

impl<M> Refusal<M> {
    /// The message.
    pub fn into_inner(self) -> M {
        match self {
            Self::Full(message) | Self::Closed(message) => message,
        }
    }
}

/// The actor takes no more messages; this is the one that it did not take.
#[derive(Clone, Copy, Error, PartialEq, Eq)]
#[error("the mailbox is closed")]
pub struct Closed<M>(
    /// The message.
    pub M,
);

/// Written by hand, so that a message need not be `Debug` for a refusal to be unwrapped.
impl<M> fmt::Debug for Refusal<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Full(_) => "Full(..)",
            Self::Closed(_) => "Closed(..)",
        })
    }
}

/// As for [`Refusal`].
impl<M> fmt::Debug for Closed<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Closed(..)")
    }
}
