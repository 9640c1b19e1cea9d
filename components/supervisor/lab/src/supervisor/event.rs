//! What a supervisor hears.

pub(crate) use super::machine::Key;
use super::strategy::Manner;
use crate::exit::Exit;
use crate::mailbox::Cell;

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
}

/// How a supervisor is stopped: it still has to hear of its children.
pub(super) fn stop_supervisor(cell: &Cell<Event>, manner: Manner) {
    // Refused only if it has ended.
    let _ = cell.mailbox.push(Event::Stop {
        number: cell.number(),
        manner,
    });
}
