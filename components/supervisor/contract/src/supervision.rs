//! Children that come back.

use std::future::Future;
use std::time::Duration;

use thiserror::Error;

use crate::{Behaviour, Message, Runtime, System};

/// A runtime that supervises.
pub trait Supervises: Runtime {
    /// What holds a supervised tree.
    type Supervisor<M: Message>: Supervisor<<Self::System<M> as System>::Address>;

    /// Starts a tree: children in the order in which they stand, each by its factory.
    ///
    /// # Errors
    ///
    /// [`Unsupported`] if the runtime has no such strategy, or no supervisors below a supervisor.
    fn supervise<M: Message, F: Makes<Self::System<M>>>(
        system: &Self::System<M>,
        tree: Branch<F>,
    ) -> impl Future<Output = Result<Self::Supervisor<M>, Unsupported>> + Send;
}

/// What makes the behaviour of a child each time it starts: any function that does.
pub trait Makes<S: System>: Clone + Send + Sync + 'static {
    /// What it makes.
    type Behaviour: Behaviour<S>;

    /// Makes one.
    fn make(&self) -> Self::Behaviour;
}

impl<S, B, F> Makes<S> for F
where
    S: System,
    B: Behaviour<S>,
    F: Fn() -> B + Clone + Send + Sync + 'static,
{
    type Behaviour = B;

    fn make(&self) -> B {
        self()
    }
}

/// A tree of supervisors, with children as its leaves.
#[derive(Clone, Debug)]
pub enum Branch<F> {
    /// A child, made by this factory each time it starts. It is restarted when it fails, not when it ends of its own
    /// will (OTP's `transient`).
    Child(F),
    /// A supervisor of what is below it.
    Supervisor {
        /// Who is restarted.
        strategy: Strategy,
        /// How often.
        restarts: Restarts,
        /// In the order in which they are started.
        branches: Vec<Branch<F>>,
    },
}

impl<F> Branch<F> {
    /// A supervisor of these.
    pub fn supervisor(strategy: Strategy, restarts: Restarts, branches: impl IntoIterator<Item = Self>) -> Self {
        Branch::Supervisor {
            strategy,
            restarts,
            branches: branches.into_iter().collect(),
        }
    }

    /// The strategy, the limit and the factories of a supervisor that has children and no supervisors below it.
    ///
    /// # Errors
    ///
    /// `otherwise` if the tree is another one.
    pub fn one_level(self, otherwise: Unsupported) -> Result<(Strategy, Restarts, Vec<F>), Unsupported> {
        let Branch::Supervisor {
            strategy,
            restarts,
            branches,
        } = self
        else {
            return Err(otherwise);
        };
        let child = |branch| match branch {
            Branch::Child(factory) => Ok(factory),
            Branch::Supervisor { .. } => Err(otherwise),
        };
        let factories = branches.into_iter().map(child).collect::<Result<_, _>>()?;
        Ok((strategy, restarts, factories))
    }
}

/// Who is restarted when a child fails, as in Erlang/OTP's `supervisor`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Strategy {
    /// The one that failed.
    OneForOne,
    /// All: they are stopped in the reverse order of their start, then started in order.
    OneForAll,
    /// The one that failed and those started after it, in the same way.
    RestForOne,
}

/// Restart intensity: one restart more than `at_most` within `within` is a failure of the supervisor itself.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Restarts {
    /// So many restarts.
    pub at_most: u32,
    /// In so long a time.
    pub within: Duration,
}

/// The runtime cannot supervise in this way; says in which it can.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("{0}")]
pub struct Unsupported(pub &'static str);

/// What holds a supervised tree.
pub trait Supervisor<A>: Send + Sync + 'static {
    /// The present address of a leaf, counted from zero in the order of the tree; `None` while it has none, or for good
    /// if its supervisor has given up.
    fn child(&self, leaf: usize) -> Option<A>;

    /// Stops the tree, children in the reverse order of their start.
    fn stop(self) -> impl Future<Output = ()> + Send;
}
