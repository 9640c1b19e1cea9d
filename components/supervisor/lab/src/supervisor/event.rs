//! What a supervisor hears.

use super::child::Child;
use super::handle::{AddError, ChildStatus};
use super::machine::Key;
use super::strategy::Manner;
use crate::ask::Reply;
use crate::exit::Exit;
use crate::id::ActorId;

/// A message to a supervisor. News of a child carry the number of its incarnation, so that late ones are known as such.
pub(crate) enum Event {
    /// The child takes messages.
    Started { key: Key, number: u32 },
    /// The child's state is gone.
    Exited { key: Key, number: u32, exit: Exit },
    /// The child has not stopped in time.
    Overdue { key: Key, number: u32 },
    /// The delay of a restart is over.
    Elapsed { key: Key, ticket: u32 },
    /// The supervisor, if this is its incarnation, is to stop its children and then itself.
    Stop { number: u32, manner: Manner },
    /// Asked from outside.
    Order(Order),
}

/// What the holder of a supervisor wants.
pub(crate) enum Order {
    Add(Child, Reply<Result<(), AddError>>),
    Remove(ActorId, Reply<bool>),
    List(Reply<Vec<ChildStatus>>),
}
