//! An actor's [mailbox](queue), its [life](life) behind it, and the [senders](send) that wait for room.

mod life;
mod queue;
mod send;
mod state;
mod waiting;

pub(crate) use life::{Cell, Entry, FIRST, entry};
pub(crate) use queue::{Batch, Mailbox, UNBOUNDED};
pub use send::Sending;
