//! Supervisors, which know nothing of the actor system's actors: a child is whatever can be started and stopped.

mod backoff;
mod builder;
mod child;
mod monitor;
mod node;
mod strategy;

pub use backoff::RestartBackoff;
pub use builder::{ChildBuilder, ChildSpec, ChildrenBuilder};
pub use child::{Child, ChildId, ChildState, RestartPolicy};
pub use monitor::{Monitor, NoopMonitor, SupervisionEvent, SupervisionEventKind};
pub use node::{Supervisor, SupervisorError, SupervisorNode};
pub use strategy::{Decision, OneForAll, OneForOne, RestForOne, SupervisionStrategy};
