//! What an actor knows of itself.

use std::future::{Future, poll_fn};
use std::mem;
use std::sync::Arc;

use crate::address::Address;
use crate::exit::Exit;
use crate::mailbox::{Batch, Cell};
use crate::supervisor::event::{Event, Key};
use crate::system::System;

/// The way to an actor's supervisor.
pub(crate) struct Link {
    pub(crate) supervisor: Address<Event>,
    pub(crate) key: Key,
}

/// An actor's view of itself, given to each of its functions.
///
/// An incarnation departs once, at the latest when this is dropped, however that came about: return, panic, or a future that was
/// dropped because it was aborted or its runtime ended.
///
/// 1. The state of the actor has been dropped (the fields of `Incarnation` are dropped in order).
/// 2. The messages taken and not begun go back to the mailbox.
/// 3. The task is let go.
/// 4. A supervised actor reports to its supervisor, which decides. One without a supervisor, or whose supervisor is gone,
///    leaves the registry, its mailbox is closed and emptied, and those who wait for its end are told.
pub struct Context<M: Send + 'static> {
    /// Taken from the mailbox and not begun.
    batch: Batch<M>,
    cell: Arc<Cell<M>>,
    system: System,
    /// Boxed, as most actors have none.
    link: Option<Box<Link>>,
    /// Of this incarnation.
    number: u32,
    stopping: bool,
    departed: bool,
}

impl<M: Send + 'static> Context<M> {
    pub(super) fn new(cell: Arc<Cell<M>>, number: u32, system: System, link: Option<Link>) -> Self {
        Self {
            batch: None,
            cell,
            system,
            link: link.map(Box::new),
            number,
            stopping: false,
            departed: false,
        }
    }

    /// The actor's own address.
    #[must_use]
    pub fn address(&self) -> Address<M> {
        Address {
            cell: Arc::clone(&self.cell),
        }
    }

    pub(crate) fn system(&self) -> &System {
        &self.system
    }

    /// How often this actor has been started, from 1.
    #[must_use]
    pub fn incarnation(&self) -> u32 {
        self.number
    }

    /// Ends the actor normally after this message. Others that wait count as unhandled.
    pub fn stop(&mut self) {
        self.stopping = true;
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// The next message, or `None` if there will be no more for this incarnation.
    pub(crate) fn next(&mut self) -> impl Future<Output = Option<M>> + Send {
        poll_fn(|context| self.cell.mailbox.poll_take(self.number, &mut self.batch, context))
    }

    /// Tells the supervisor that the actor has started.
    pub(super) fn announce(&self) {
        if let Some(link) = &self.link {
            // A supervisor that is gone starts nobody else.
            let _ = link.supervisor.tell(Event::Started {
                key: link.key,
                number: self.number,
            });
        }
    }
}

impl<M: Send + 'static> Context<M> {
    /// The departure, once.
    pub(super) fn depart(&mut self, exit: Exit) {
        if mem::replace(&mut self.departed, true) {
            return;
        }
        if let Some(batch) = self.batch.take() {
            self.cell.mailbox.give_back(self.number, *batch);
        }
        let released = self.cell.depart(self.number);
        match self.link.take() {
            Some(link) if !released => {
                let Link { supervisor, key } = *link;
                // Refused by a supervisor that ended in between, which has released this actor or is about to: in the
                // latter case it finds that the incarnation has departed.
                let _ = supervisor.tell(Event::Exited {
                    key,
                    number: self.number,
                    exit,
                });
            }
            _ => self.system.retire(&*self.cell, exit),
        }
    }
}

/// As long as nothing else is known, an incarnation that departs was killed.
impl<M: Send + 'static> Drop for Context<M> {
    fn drop(&mut self) {
        self.depart(Exit::Killed);
    }
}
