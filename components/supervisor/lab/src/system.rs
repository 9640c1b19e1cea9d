//! Where actors live.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::exit::Exit;
use crate::mailbox::Cell;
use crate::registry::Registry;
use crate::rt::Runtime;
use crate::shutdown::{self, Shutdown};

/// A set of actors on a tokio runtime, with their registry; cheap to clone.
#[derive(Clone)]
pub struct System {
    inner: Arc<Inner>,
}

struct Inner {
    runtime: Runtime,
    registry: Registry,
}

impl System {
    /// A system on the current runtime, whose time must be enabled (`enable_time` or `enable_all` of its builder): supervisors and
    /// shutdowns use it.
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
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the actors ending, as [`close`](Self::close) does; nobody is killed.
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
        self.inner.registry.leave(cell.id);
        cell.end(exit);
    }

    /// The actor leaves the registry, and may come back: nobody is told of an end.
    pub(crate) fn rest<M: Send + 'static>(&self, cell: &Cell<M>, exit: Exit) {
        self.inner.registry.leave(cell.id);
        cell.rest(exit);
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
