//! Actors that start others, and start them again.
//!
//! A supervisor is an actor itself: its messages are the news of its children, it can be a child, and what it does with
//! the news is decided by a machine that knows nothing of tasks, so that its decisions can be tested against a
//! specification without running anything.
//!
//! A child keeps its address, its mailbox and its place in the registry through all restarts. What starts anew is its state,
//! which its factory makes in the child's own task: a factory that panics is a start that failed. Messages that wait
//! are handled by the next incarnation; the one in hand at a panic is not, and an
//! [ask](crate::Address::ask) for it ends at once with [`Unanswered`](crate::AskError::Unanswered).
//!
//! # From panic to restart
//!
//! 1. The child's task catches the panic, drops the state and then the context, which tells the supervisor.
//! 2. The supervisor asks the machine, which has the others of the group stopped: the last one first, each after the
//!    message it has in hand, and killed if that takes longer than [`Child::stop_within`].
//! 3. If the back-off says so, the group waits. By default nothing does.
//! 4. The group is started, the first one first, each when the one before it has started.

mod backoff;
mod child;
pub(crate) mod event;
mod intensity;
mod machine;
#[cfg(all(test, not(supervisor_loom)))]
#[path = "../../tests/unit/machine_spec.rs"]
mod machine_spec;
mod notice;
mod offspring;
mod spec;
mod start;
mod strategy;
mod tree;

pub use backoff::Backoff;
pub use child::Child;
pub use intensity::Intensity;
pub use notice::{News, Notice};
pub use spec::{GaveUp, NotStarted, Spec};
pub use start::Supervisor;
pub use strategy::{Restart, Strategy};
