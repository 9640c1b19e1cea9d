//! AirsSys-RT as its report found it (airsstack/airssys at e78c629): the `before` of this topic.
//!
//! Re-implemented from a description of what upstream's code does, flaws included, and with the types that its costs
//! come from: `async_trait` futures, a time stamp per message, UUIDs as identities, a clone of the envelope for each
//! subscriber. What nothing of the report's concerns depends on is left out: priorities,
//! health checks, monitors of anything but supervisors.
//!
//! ```text
//! context.send(m) ──> broker.publish ──clone for each subscriber──> router task ──map of actors──> mailbox ──> actor
//! ```
//!
//! What it promises and does not keep is told where it happens, under the word **Flaw**, and shown in `tests/`.

mod actor;
mod address;
mod broker;
mod envelope;
mod mailbox;
mod supervisor;
mod system;

pub use actor::{Actor, ActorContext, ErrorAction};
pub use address::ActorAddress;
pub use broker::{BrokerError, InMemoryBroker, MessageBroker, MessageStream};
pub use envelope::{Message, MessageEnvelope};
pub use mailbox::{
    BoundedMailbox, BoundedSender, MailboxMetrics, MailboxReceiver, MailboxSender, UnboundedMailbox, UnboundedSender,
};
pub use supervisor::{
    Child, ChildBuilder, ChildId, ChildSpec, ChildState, ChildrenBuilder, Decision, Monitor, NoopMonitor, OneForAll,
    OneForOne, RestForOne, RestartBackoff, RestartPolicy, SupervisionEvent, SupervisionEventKind, SupervisionStrategy,
    Supervisor, SupervisorError, SupervisorNode,
};
pub use system::{ActorSystem, SystemConfig, SystemError};
