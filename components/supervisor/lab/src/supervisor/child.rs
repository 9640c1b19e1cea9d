//! What a supervisor is told of a child.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::offspring::{Offspring, Worker, stop_actor};
use super::strategy::Restart;
use crate::actor::Actor;
use crate::address::Address;
use crate::mailbox::{Cell, UNBOUNDED};

/// How long a child may take to stop before it is killed, unless it says otherwise; OTP's figure for workers.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// A child as a supervisor sees it: how it is made, when it is made again, how long it may take to stop.
///
/// Its address exists before it runs, and stays the same through all restarts, so that siblings can be given each other's
/// addresses by their factories. Messages sent before it is started wait for it. Dropped without having been given to a
/// supervisor, it ends: its mailbox is closed.
#[must_use = "runs only under a supervisor"]
pub struct Child {
    pub(super) name: Arc<str>,
    pub(super) restart: Restart,
    pub(super) stop_within: Option<Duration>,
    pub(super) offspring: Box<dyn Offspring>,
}

impl Child {
    /// A permanent child with an unbounded mailbox, and its address.
    ///
    /// The factory makes the state of each incarnation, in the child's own task.
    ///
    /// # Examples
    ///
    /// ```
    /// use supervisor_lab::supervisor::{Child, Spec, Strategy};
    /// use supervisor_lab::{Actor, Context, Failure, Reply, System};
    ///
    /// enum Ask {
    ///     Crash,
    ///     Handled(Reply<u32>),
    /// }
    ///
    /// struct Counter(u32);
    ///
    /// impl Actor for Counter {
    ///     type Message = Ask;
    ///
    ///     async fn handle(&mut self, message: Ask, _: &mut Context<Ask>) -> Result<(), Failure> {
    ///         self.0 += 1;
    ///         match message {
    ///             Ask::Crash => Err(Failure::new("as told")),
    ///             Ask::Handled(reply) => Ok(reply.send(self.0)),
    ///         }
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let (child, counter) = Child::new("counter", || Counter(0));
    /// let supervisor = Spec::new(Strategy::OneForOne).child(child).start(&System::new()).await.unwrap();
    /// assert_eq!(counter.ask(Ask::Handled).await, Ok(1));
    /// counter.tell(Ask::Crash).unwrap();
    /// assert_eq!(counter.ask(Ask::Handled).await, Ok(1), "asked of the next incarnation, which starts anew");
    /// supervisor.stop().await;
    /// # }
    /// ```
    pub fn new<A: Actor>(
        name: impl Into<Arc<str>>,
        factory: impl Fn() -> A + Send + Sync + 'static,
    ) -> (Self, Address<A::Message>) {
        Self::with_capacity(name.into(), UNBOUNDED, factory)
    }

    /// As [`new`](Self::new), with a mailbox for `capacity` messages.
    pub fn bounded<A: Actor>(
        name: impl Into<Arc<str>>,
        capacity: NonZeroUsize,
        factory: impl Fn() -> A + Send + Sync + 'static,
    ) -> (Self, Address<A::Message>) {
        Self::with_capacity(name.into(), capacity.get(), factory)
    }

    fn with_capacity<A: Actor>(
        name: Arc<str>,
        capacity: usize,
        factory: impl Fn() -> A + Send + Sync + 'static,
    ) -> (Self, Address<A::Message>) {
        let cell = Arc::new(Cell::of_child(capacity));
        let address = Address {
            cell: Arc::clone(&cell),
        };
        let offspring = Box::new(Worker::new(cell, factory, stop_actor));
        (
            Self {
                name,
                restart: Restart::default(),
                stop_within: Some(STOP_WITHIN),
                offspring,
            },
            address,
        )
    }

    /// When it is restarted.
    pub fn restart(mut self, restart: Restart) -> Self {
        self.restart = restart;
        self
    }

    /// How long it may take to stop before it is killed, 5 s unless told.
    pub fn stop_within(mut self, deadline: Duration) -> Self {
        self.stop_within = Some(deadline);
        self
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Child")
            .field("name", &self.name)
            .field("restart", &self.restart)
            .finish_non_exhaustive()
    }
}
