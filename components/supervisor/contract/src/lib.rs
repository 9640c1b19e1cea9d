//! What a system of actors is to this topic: a trait for each thing that it can do.
//!
//! ```text
//! Runtime ── start ──> System<Message = M> ── spawn(Behaviour) ──> Address ── tell(M)
//!   ├─ Bounds       try_tell(M), which a full mailbox refuses
//!   ├─ Mailboxes    mailbox ──> Sender, put(M) and Receiver, take
//!   ├─ ShutsDown    shutdown, with a deadline
//!   ├─ Publishes    topic ──> Topic, publish(P) and subscribe ──> Subscription, receive
//!   └─ Supervises   supervise(Branch) ──> Supervisor: children that come back after a panic
//! ```
//!
//! A scenario is generic over the runtime and names what it needs of it. Everything is dispatched statically and nothing
//! is boxed here, so that what is measured is the system and not this crate: a system whose own interface is dynamic
//! (async-trait, boxed handlers) pays for that in its adapter as its users do.
//!
//! The traits promise what the contract suite of the bench program checks; where a system does not keep one of the
//! promises, the suite says so by name.

mod broker;
#[doc(hidden)]
pub mod gather;
mod mailbox;
mod message;
mod supervision;
mod system;

pub use broker::{Publishes, Received};
pub use gather::Gathers;
pub use mailbox::Mailboxes;
pub use message::Message;
pub use supervision::{Branch, Makes, Restarts, Strategy, Supervises, Supervisor, Unsupported};
pub use system::{
    Address, Behaviour, Bounds, Closed, Flow, Mailbox, Refused, Runtime, ShutsDown, StillRunning, System,
};
