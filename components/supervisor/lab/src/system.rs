//! Where actors live.

use std::any::Any;
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::actor::{Actor, Given, Incarnation};
use crate::address::Address;
use crate::exit::Exit;
use crate::mailbox::{Cell, FIRST, UNBOUNDED, entry};
use crate::registry::Registry;
use crate::rt::Runtime;
use crate::shutdown::{self, Shutdown};

/// A set of actors on a tokio runtime, with their registry; cheap to clone.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// # use supervisor_lab::{Actor, Context, Failure, System};
/// # struct Idle;
/// # impl Actor for Idle {
/// #     type Message = ();
/// #     async fn handle(&mut self, (): (), _: &mut Context<()>) -> Result<(), Failure> { Ok(()) }
/// # }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let system = System::new();
/// system.spawn(Idle);
/// assert_eq!(system.len(), 1);
/// let shutdown = system.shutdown(Duration::from_secs(1)).await;
/// assert_eq!((shutdown.stopped, shutdown.killed, shutdown.stuck), (1, 0, 0));
/// # }
/// ```
#[derive(Clone)]
pub struct System {
    inner: Arc<Inner>,
}

struct Inner {
    runtime: Runtime,
    registry: Registry,
}

impl System {
    /// A system on the current runtime.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "a default that panics would surprise")]
    pub fn new() -> Self {
        Self {
            inner: Arc::new(Inner {
                runtime: Runtime::current(),
                registry: Registry::default(),
            }),
        }
    }

    /// Starts an actor with an unbounded mailbox.
    ///
    /// After a [`shutdown`](Self::shutdown) the actor is dropped and its address is that of one that was killed: it refuses
    /// each message.
    pub fn spawn<A: Actor>(&self, actor: A) -> Address<A::Message> {
        self.actor(actor).spawn()
    }

    /// An actor that is not started yet.
    pub fn actor<A: Actor>(&self, actor: A) -> Unborn<'_, A> {
        Unborn {
            system: self,
            actor,
            capacity: UNBOUNDED,
        }
    }

    /// The actor of that name, if it is alive and takes messages of type `M`.
    #[must_use]
    pub fn find<M: Send + 'static>(&self, name: &str) -> Option<Address<M>> {
        let entry: Arc<dyn Any + Send + Sync> = self.inner.registry.find(name)?;
        entry.downcast().ok().map(|cell| Address { cell })
    }

    /// Actors that are alive, supervisors included. A child that waits to be restarted is alive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.registry.len()
    }

    /// Whether no actor is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stops everything within `deadline`; what has not stopped by then is killed.
    ///
    /// Actors take no more messages and handle those that they have; supervisors stop their children in reverse order.
    /// It always comes to an end, and tells what it had to do.
    pub async fn shutdown(&self, deadline: Duration) -> Shutdown {
        shutdown::run(&self.inner.registry, deadline).await
    }

    /// Begins what [`shutdown`](Self::shutdown) does, and does not wait: nobody is born any more, and whoever is alive ends
    /// after what it has accepted.
    pub fn close(&self) {
        shutdown::close(&self.inner.registry);
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.inner.runtime
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// The actor is over: it leaves the registry, and then whoever waits for its end is told.
    pub(crate) fn retire<M: Send + 'static>(&self, cell: &Cell<M>, exit: Exit) {
        self.inner.registry.leave(cell);
        cell.end(exit);
    }
}

impl fmt::Debug for System {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("System")
            .field("actors", &self.len())
            .finish_non_exhaustive()
    }
}

/// An actor before its start.
#[must_use = "nothing runs before it is spawned"]
pub struct Unborn<'a, A> {
    system: &'a System,
    actor: A,
    capacity: usize,
}

impl<A: Actor> Unborn<'_, A> {
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
