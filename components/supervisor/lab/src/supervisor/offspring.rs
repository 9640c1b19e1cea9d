//! What a supervisor can do with a child, whatever its type.

use std::sync::Arc;

use super::strategy::Manner;
use crate::actor::{Actor, Factory, Incarnation, Link};
use crate::exit::Exit;
use crate::mailbox::{Cell, Entry, entry};
use crate::system::System;

/// A child without its type; the virtual calls are for starts and stops, messages have none.
///
/// Dropping it ends the child for good: now, or when its last incarnation is gone.
pub(super) trait Offspring: Send {
    /// Starts the next incarnation and returns its number; an error if the system has shut down.
    fn start(&mut self, system: &System, link: Link) -> Result<u32, Exit>;

    fn stop(&self, manner: Manner);

    fn kill(&self);

    /// The child is gone: it takes no messages, nor do those below it, until it is started again. If it never will be,
    /// `for_good`, those who wait for its end are told.
    fn retire(&mut self, exit: Exit, for_good: bool);

    /// As [`retire`](Self::retire), or as soon as it is gone: its supervisor was killed, and may have been before it.
    fn release(&mut self, for_good: bool);
}

/// Where the children of a supervisor are while it does not run.
pub(super) trait Below: Send + Sync {
    /// Those below are nobody's while the supervisor is not to be started again, or `for_good`.
    fn retire(&self, for_good: bool);
}

/// Whether the registry knows the child.
enum Standing {
    NotStarted,
    Listed(System),
    /// It takes no messages, and may be started again.
    Resting,
    Retired,
}

pub(super) struct Worker<A: Actor, F> {
    cell: Arc<Cell<A::Message>>,
    factory: Arc<F>,
    stop: fn(&Cell<A::Message>, Manner),
    standing: Standing,
    /// Of a supervisor.
    below: Option<Arc<dyn Below>>,
}

impl<A: Actor, F: Fn() -> A> Worker<A, F> {
    pub(super) fn new(cell: Arc<Cell<A::Message>>, factory: F, stop: fn(&Cell<A::Message>, Manner)) -> Self {
        Self {
            cell,
            factory: Arc::new(factory),
            stop,
            standing: Standing::NotStarted,
            below: None,
        }
    }

    pub(super) fn above(mut self, below: Arc<dyn Below>) -> Self {
        self.below = Some(below);
        self
    }
}

/// How an actor is stopped: through its mailbox.
pub(super) fn stop_actor<M: Send + 'static>(cell: &Cell<M>, manner: Manner) {
    match manner {
        Manner::Halt => cell.halt(),
        Manner::Drain => cell.close(),
    }
}

impl<A: Actor, F: Fn() -> A + Send + Sync + 'static> Offspring for Worker<A, F> {
    fn start(&mut self, system: &System, link: Link) -> Result<u32, Exit> {
        if !matches!(self.standing, Standing::Listed(_)) {
            if !system.registry().enter(entry(&self.cell)) {
                return Err(Exit::Killed);
            }
            self.standing = Standing::Listed(system.clone());
        }
        let initial = Factory(Arc::clone(&self.factory));
        let number = self.cell.begin();
        Incarnation::start(&self.cell, number, system, Some(link), None, initial);
        Ok(number)
    }

    fn stop(&self, manner: Manner) {
        (self.stop)(&self.cell, manner);
    }

    fn kill(&self) {
        self.cell.kill();
    }

    fn retire(&mut self, exit: Exit, for_good: bool) {
        let next = if for_good { Standing::Retired } else { Standing::Resting };
        match std::mem::replace(&mut self.standing, next) {
            Standing::Listed(system) if for_good => system.retire(&*self.cell, exit),
            Standing::Listed(system) => system.rest(&*self.cell, exit),
            Standing::NotStarted if for_good => self.cell.end(exit),
            Standing::NotStarted => self.cell.rest(exit),
            Standing::Resting if for_good => self.cell.conclude(),
            Standing::Resting => {}
            Standing::Retired => self.standing = Standing::Retired,
        }
        if let Some(below) = &self.below {
            below.retire(for_good);
        }
    }

    fn release(&mut self, for_good: bool) {
        // One that still runs ends the actor by its departure.
        if matches!(self.standing, Standing::Listed(_)) && !self.cell.release() {
            self.standing = Standing::Retired;
        }
        self.retire(Exit::Killed, for_good);
    }
}

impl<A: Actor, F> Drop for Worker<A, F> {
    fn drop(&mut self) {
        match &self.standing {
            Standing::NotStarted => self.cell.end(Exit::Killed),
            Standing::Resting => self.cell.conclude(),
            Standing::Listed(system) => {
                if self.cell.release() {
                    system.retire(&*self.cell, Exit::Killed);
                } else {
                    self.cell.kill();
                }
            }
            Standing::Retired => {}
        }
    }
}
