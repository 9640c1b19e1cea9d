//! How actors without a supervisor come into a system.

use std::num::NonZeroUsize;
use std::sync::Arc;

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
        let cell = Arc::new(Cell::of_actor(self.capacity));
        if self.system.registry().enter(entry(&cell)) {
            Incarnation::start(&cell, FIRST, self.system, None, Some(self.actor), Given);
        } else {
            self.system.retire(&*cell, Exit::Killed);
        }
        Address { cell }
    }
}
