//! What an actor is, and how one runs.
//!
//! An actor is a state and a handler. It runs as one task on tokio, which takes one message after the other from the
//! actor's mailbox. Nothing on that way is boxed and nothing is called through a table: the handler's future is part of the
//! task's.

mod context;
mod incarnation;
mod lifecycle;

pub use context::Context;
pub(crate) use context::Link;
pub(crate) use incarnation::{Factory, Given, Incarnation};
pub use lifecycle::Actor;
