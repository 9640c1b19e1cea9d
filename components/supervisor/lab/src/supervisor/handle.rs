//! A supervisor that runs, from outside.

use std::future::Future;
use std::sync::Arc;

use thiserror::Error;

use super::child::Child;
use super::event::{Event, Order};
use super::offspring::stop_supervisor;
use super::strategy::Manner;
use crate::address::Address;
use crate::exit::{End, Exit};
use crate::id::ActorId;
use crate::mailbox::{Cell, Entry};

/// A supervisor that was started; cheap to clone. Dropping it stops nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supervisor {
    address: Address<Event>,
}

impl Supervisor {
    pub(super) fn new(address: Address<Event>) -> Self {
        Self { address }
    }

    /// Adds a child after the others and waits until it has started.
    ///
    /// # Errors
    ///
    /// [`AddError`] if it did not start; it is not listed then.
    pub async fn add(&self, child: Child) -> Result<(), AddError> {
        let added = self.address.ask(|reply| Event::Order(Order::Add(child, reply))).await;
        added.unwrap_or(Err(AddError::Ended))
    }

    /// Stops a child, after all messages that it has accepted, and takes it off the list.
    ///
    /// Returns `false` if there is no such child.
    pub async fn remove(&self, child: ActorId) -> bool {
        self.address
            .ask(|reply| Event::Order(Order::Remove(child, reply)))
            .await
            .unwrap_or(false)
    }

    /// The children in the order of their start; none if the supervisor has ended.
    pub async fn children(&self) -> Vec<ChildStatus> {
        self.address
            .ask(|reply| Event::Order(Order::List(reply)))
            .await
            .unwrap_or_default()
    }

    /// Stops all children, the last one first, each after all messages that it has accepted, and then the supervisor.
    pub async fn stop(&self) -> End {
        stop_supervisor(&self.address.cell, Manner::Drain);
        self.ended().await
    }

    /// Waits until the supervisor has ended; at once if that is past.
    pub fn ended(&self) -> impl Future<Output = End> + Send + use<> {
        self.address.ended()
    }

    /// Who it is.
    #[must_use]
    pub fn id(&self) -> ActorId {
        self.address.id()
    }
}

/// A child of a supervisor at some point.
#[derive(Clone, Debug)]
pub struct ChildStatus {
    /// Its name.
    pub name: Arc<str>,
    /// Who it is.
    pub id: ActorId,
    /// The incarnation that runs, counted from 1; 0 if none does.
    pub incarnation: u32,
    /// How it ended, if it does not run.
    pub exit: Option<Exit>,
}

/// A child was not added.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum AddError {
    /// It did not start.
    #[error("the child did not start: it {0}")]
    NotStarted(Exit),
    /// The supervisor has ended, or did so meanwhile.
    #[error("the supervisor has ended")]
    Ended,
}

/// A supervisor without a supervisor, as the registry knows it: closing one is an orderly stop, for which it must still
/// be able to hear of its children.
pub(super) struct Root(pub(super) Arc<Cell<Event>>);

impl Entry for Root {
    fn id(&self) -> ActorId {
        self.0.id
    }

    fn is_named(&self) -> bool {
        false
    }

    fn is_supervised(&self) -> bool {
        false
    }

    fn close(&self) {
        stop_supervisor(&self.0, Manner::Drain);
    }

    fn halt(&self) {
        stop_supervisor(&self.0, Manner::Halt);
    }

    fn kill(&self) {
        self.0.kill();
    }
}
