//! How actors without a supervisor come into a system.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use thiserror::Error;

use crate::actor::{Actor, Given, Incarnation};
use crate::address::Address;
use crate::exit::Exit;
use crate::mailbox::{Cell, FIRST, UNBOUNDED, entry};
use crate::system::System;

impl System {
    /// Starts an actor with an unbounded mailbox.
    ///
    /// After a [`shutdown`](Self::shutdown) the actor is dropped and its address is that of one that was killed: it refuses
    /// each message.
    pub fn spawn<A: Actor>(&self, actor: A) -> Address<A::Message> {
        self.actor(actor).spawn()
    }

    /// An actor that is not started yet.
    pub fn actor<A: Actor>(&self, actor: A) -> ActorBuilder<'_, A> {
        ActorBuilder {
            system: self,
            actor,
            capacity: UNBOUNDED,
        }
    }
}

/// An actor before its start.
#[must_use = "nothing runs before it is spawned"]
pub struct ActorBuilder<'a, A> {
    system: &'a System,
    actor: A,
    capacity: usize,
}

impl<A: Actor> ActorBuilder<'_, A> {
    /// Bounds the mailbox: at most this many messages wait, besides the one in hand.
    pub fn bounded(mut self, capacity: NonZeroUsize) -> Self {
        self.capacity = capacity.get();
        self
    }

    /// Starts it.
    pub fn spawn(self) -> Address<A::Message> {
        let cell = Arc::new(Cell::of_actor(self.capacity, false));
        self.start(cell)
    }

    /// Starts it under a name, which is free again when it has ended.
    ///
    /// # Errors
    ///
    /// [`NameTaken`] with the actor, if another one that is alive has the name.
    pub fn spawn_as(self, name: impl Into<Arc<str>>) -> Result<Address<A::Message>, NameTaken<A>> {
        let name = name.into();
        let cell = Arc::new(Cell::of_actor(self.capacity, true));
        if !self.system.registry().name(&name, cell.id) {
            return Err(NameTaken {
                name,
                actor: self.actor,
            });
        }
        Ok(self.start(cell))
    }

    fn start(self, cell: Arc<Cell<A::Message>>) -> Address<A::Message> {
        if self.system.registry().enter(entry(&cell)) {
            Incarnation::start(&cell, FIRST, self.system, None, Some(self.actor), Given);
        } else {
            self.system.retire(&*cell, Exit::Killed);
        }
        Address { cell }
    }
}

/// Another actor that is alive has the name.
#[derive(Error)]
#[error("another actor is called {name}")]
pub struct NameTaken<A> {
    /// The name.
    pub name: Arc<str>,
    /// The actor that was not started.
    pub actor: A,
}

/// Written by hand, so that an actor need not be `Debug`.
impl<A> fmt::Debug for NameTaken<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NameTaken({:?})", self.name)
    }
}
