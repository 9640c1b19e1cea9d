//! A supervisor that runs, from outside.

use std::future::Future;

use super::child::Child;
use super::event::{Event, stop_supervisor};
use super::order::{AddError, ChildStatus, Order};
use super::strategy::Manner;
use crate::address::Address;
use crate::ask::{AskError, Reply};
use crate::exit::End;
use crate::id::ActorId;

/// A supervisor at the top of a tree, or [below another one](Child::tree); cheap to clone. Dropping it stops nothing.
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
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the child to the supervisor, which goes on.
    pub async fn add(&self, child: Child) -> Result<(), AddError> {
        let added = self.ask(|reply| Order::Add(child, reply)).await;
        added.unwrap_or(Err(AddError::Ended))
    }

    /// Stops a child, after all messages that it has accepted, and takes it off the list.
    ///
    /// Returns `false` if there is no such child.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the order with the supervisor, which goes on.
    pub async fn remove(&self, child: ActorId) -> bool {
        self.ask(|reply| Order::Remove(child, reply)).await.unwrap_or(false)
    }

    /// The children in the order of their start; none if the supervisor has ended.
    ///
    /// # Cancel safety
    ///
    /// Safe: it changes nothing.
    pub async fn children(&self) -> Vec<ChildStatus> {
        self.ask(Order::List).await.unwrap_or_default()
    }

    /// Stops all children, the last one first, each after all messages that it has accepted, and then the supervisor.
    ///
    /// One below another supervisor is stopped by [`remove`](Self::remove) there. Stopped here it is restarted, if it is
    /// permanent, and this waits until it will not be.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the supervisor stopping.
    pub async fn stop(&self) -> End {
        stop_supervisor(&self.address.cell, Manner::Drain);
        self.ended().await
    }

    /// Waits until the supervisor has ended; at once if that is past.
    ///
    /// # Cancel safety
    ///
    /// Safe: each call is told.
    pub fn ended(&self) -> impl Future<Output = End> + Send + use<> {
        self.address.ended()
    }

    /// Who it is.
    #[must_use]
    pub fn id(&self) -> ActorId {
        self.address.id()
    }

    fn ask<T: Send + 'static>(
        &self,
        order: impl FnOnce(Reply<T>) -> Order,
    ) -> impl Future<Output = Result<T, AskError>> + Send {
        self.address.ask(|reply| Event::Order(Box::new(order(reply))))
    }
}
