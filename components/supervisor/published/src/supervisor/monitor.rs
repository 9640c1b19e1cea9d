//! What a supervisor tells.

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// Who is told what a supervisor does. Each call allocates its future.
#[async_trait]
pub trait Monitor: Clone + Send + Sync + 'static {
    /// Takes an event.
    async fn record(&self, event: SupervisionEvent);
}

/// Drops what it is told, which was put together for it all the same: a time stamp, two texts of identifiers and a map.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoopMonitor;

#[async_trait]
impl Monitor for NoopMonitor {
    async fn record(&self, _event: SupervisionEvent) {}
}

/// Something that a supervisor did.
#[derive(Clone, Debug)]
pub struct SupervisionEvent {
    /// When.
    pub timestamp: DateTime<Utc>,
    /// The supervisor's identity.
    pub supervisor: String,
    /// The child's.
    pub child: String,
    /// What.
    pub kind: SupervisionEventKind,
    /// Whatever else; a supervisor adds nothing.
    pub metadata: HashMap<String, String>,
}

/// What a supervisor did. **Flaw:** that a child was stopped, or failed to start, it does not tell.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SupervisionEventKind {
    /// It started a child.
    ChildStarted,
    /// A child could not be stopped for its restart, which goes on.
    ChildFailed(String),
    /// It restarted a child, for so many times in all.
    ChildRestarted(u32),
    /// It decided by this strategy, and so many children are concerned.
    StrategyApplied(&'static str, usize),
}
