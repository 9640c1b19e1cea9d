//! Typed actors under supervision, on tokio.
//!
//! ```text
//! System ── spawn(Actor) ──> Address<M> ── tell, send, ask ──> mailbox ──> one task: Actor::handle
//!   └─ registry                                                               │ panic, failure, end
//! Spec ── child(Child), child(Child::tree(..)) ── start ──> Supervisor <──────┘ restarts, in order, through factories
//! Topic ── publish(Arc) ──> one log ──> Subscription, Subscription, ... each at its own pace
//! ```
//!
//! What it promises is in the crate's README.
//!
//! There is no unsafe code here. The locks are held for a few instructions, the order of events does not depend on
//! memory orderings, and the models in `tests/unit/models` check with loom what the comments of [the mailbox](Address)
//! claim.
//!
//! # Memory
//!
//! An actor that waits is one task, one cell with its mailbox, and one entry of the registry: about 500 bytes, of which 256 are
//! the task, as long as the futures of its handlers are small. A message that comes alone lies in the mailbox itself, for which
//! each cell has `size_of::<M>()` bytes: box large messages. A burst makes a buffer, which is given back when the
//! mailbox is empty again, unless it is small.
//!
//! # Examples
//!
//! The [`supervisor`] module shows a tree; [`Actor`] an actor; [`broker::Topic`] a broadcast.

#![forbid(unsafe_code)]

mod actor;
mod address;
mod ask;
pub mod broker;
pub mod channel;
mod exit;
mod id;
mod mailbox;
#[cfg(all(test, supervisor_loom))]
#[path = "../tests/unit/models/mod.rs"]
mod models;
mod quiet;
mod refusal;
mod registry;
mod rt;
mod shutdown;
mod spawn;
pub mod supervisor;
mod sync;
mod system;

pub use actor::{Actor, Context};
pub use address::Address;
pub use ask::{AskError, Reply};
pub use exit::{End, Exit, Failure};
pub use mailbox::Sending;
pub use quiet::silence_actor_panics;
pub use refusal::{Closed, Refusal};
pub use shutdown::Shutdown;
pub use spawn::ActorBuilder;
pub use system::System;
