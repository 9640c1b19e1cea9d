//! Supervisors, which know nothing of the actor system's actors: a child is whatever can be started and stopped.

mod backoff;
mod child;
mod node;
mod strategy;

pub use backoff::RestartBackoff;
pub use child::{Child, ChildId, ChildState, RestartPolicy};
pub use node::{SupervisorError, SupervisorNode};
pub use strategy::{Decision, OneForAll, OneForOne, RestForOne, SupervisionStrategy};
