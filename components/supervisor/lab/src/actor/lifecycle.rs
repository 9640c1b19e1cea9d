//! The life of an actor, as its author writes it.

use std::future::Future;

use super::context::Context;
use crate::exit::Failure;

/// A state that is changed by messages only, one at a time.
///
/// A panic in any of its functions is caught, ends the actor and is reported as
/// [`Exit::Panicked`](crate::Exit::Panicked) to its supervisor and to those who wait for its [end](crate::Address::ended).
/// The state is dropped then, before anybody is told, so that no two incarnations live at the same time; unless the first is
/// abandoned because it neither stops nor dies, or its supervisor is killed before it.
///
/// # Examples
///
/// ```
/// use supervisor_lab::{Actor, Context, Failure, Reply, System};
///
/// enum Tally {
///     Add(u32),
///     Total(Reply<u32>),
/// }
///
/// struct Counter(u32);
///
/// impl Actor for Counter {
///     type Message = Tally;
///
///     async fn handle(&mut self, message: Tally, _: &mut Context<Tally>) -> Result<(), Failure> {
///         match message {
///             Tally::Add(more) => self.0 = self.0.checked_add(more).ok_or_else(|| Failure::new("overflow"))?,
///             Tally::Total(reply) => reply.send(self.0),
///         }
///         Ok(())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let counter = System::new().spawn(Counter(40));
/// counter.tell(Tally::Add(2)).unwrap();
/// assert_eq!(counter.ask(Tally::Total).await, Ok(42));
/// # }
/// ```
pub trait Actor: Sized + Send + 'static {
    /// What it understands.
    type Message: Send + 'static;

    /// Runs before the first message, in the actor's own task. A supervisor starts the next child after it.
    ///
    /// # Errors
    ///
    /// An error ends the actor before it has handled anything. Of a supervised one, that is a start that failed.
    fn started(&mut self, context: &mut Context<Self::Message>) -> impl Future<Output = Result<(), Failure>> + Send {
        let _ = context;
        async { Ok(()) }
    }

    /// Handles one message.
    ///
    /// # Errors
    ///
    /// An error ends the actor, as a panic does.
    fn handle(
        &mut self,
        message: Self::Message,
        context: &mut Context<Self::Message>,
    ) -> impl Future<Output = Result<(), Failure>> + Send;
}
