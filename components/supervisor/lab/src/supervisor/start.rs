//! How supervisors start, at the top of a tree or below another one, and stop.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::child::Child;
use super::event::{Event, stop_supervisor};
use super::offspring::Worker;
use super::spec::{NotStarted, Place, Spec};
use super::strategy::{Manner, Restart};
use super::tree::Tree;
use crate::actor::{Given, Incarnation};
use crate::address::Address;
use crate::exit::{End, Exit};
use crate::id::ActorId;
use crate::mailbox::{Cell, Entry, FIRST, UNBOUNDED};
use crate::system::System;

/// A supervisor at the top of a tree. Dropping it stops nothing.
#[derive(Clone, Debug)]
pub struct Supervisor {
    address: Address<Event>,
}

impl Supervisor {
    /// Stops all children, the last one first, each after all messages that it has accepted, and then the supervisor.
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
}

impl Spec {
    /// Starts the supervisor and its children, and waits until all have started.
    ///
    /// # Errors
    ///
    /// [`NotStarted`] if a child did not start; those before it have been stopped again, the last one first.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, the future leaves a supervisor that goes on starting, and that only
    /// [`System::shutdown`] stops. Not for `tokio::select!`.
    pub async fn start(self, system: &System) -> Result<Supervisor, NotStarted> {
        let (established, start) = oneshot::channel();
        let cell = Arc::new(Cell::of_actor(UNBOUNDED));
        let address = Address {
            cell: Arc::clone(&cell),
        };
        let tree = Tree::new(Place::new(self), false, Some(established));
        if system.registry().enter(Arc::new(Root(Arc::clone(&cell)))) {
            Incarnation::start(&cell, FIRST, system, None, Some(tree), Given);
        } else {
            drop(tree);
            system.retire(&*cell, Exit::Killed);
        }
        match start.await {
            Ok(()) => Ok(Supervisor { address }),
            Err(_) => Err(NotStarted(address.ended().await.exit)),
        }
    }
}

impl Child {
    /// A supervisor as a child, which is given the time that its own children take to stop. Restarted, it begins with the
    /// children of `spec`.
    pub fn tree(name: impl Into<Arc<str>>, spec: Spec) -> Self {
        let cell = Arc::new(Cell::of_child(UNBOUNDED));
        let place = Place::new(spec);
        let below = Arc::clone(&place);
        let worker = Worker::new(cell, move || Tree::new(Arc::clone(&place), true, None), stop_supervisor);
        let offspring = Box::new(worker.above(below));
        Self {
            name: name.into(),
            restart: Restart::default(),
            stop_within: None,
            offspring,
        }
    }
}

/// A supervisor without a supervisor, as the registry knows it: closing one is an orderly stop, for which it must still
/// be able to hear of its children.
struct Root(Arc<Cell<Event>>);

impl Entry for Root {
    fn id(&self) -> ActorId {
        self.0.id
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
