//! What is supervised.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

/// What can be started and stopped. Each call of a method allocates its future.
#[async_trait]
pub trait Child: Send + Sync + 'static {
    /// Why it could not be started or stopped.
    type Error: Error + Send + Sync + 'static;

    /// Starts it; called again for a restart.
    async fn start(&mut self) -> Result<(), Self::Error>;

    /// Stops it.
    async fn stop(&mut self, limit: Duration) -> Result<(), Self::Error>;
}

/// A child's identity.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ChildId(pub(super) Uuid);

impl fmt::Display for ChildId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Where a child is in its life.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ChildState {
    /// Its `start` has been called.
    Starting,
    /// Its `start` has returned.
    Running,
    /// Its restart waits or is under way.
    Restarting,
    /// Its `stop` has been called.
    Stopping,
    /// Its `start` or `stop` has failed.
    Failed,
}

/// Whether a child that has ended is started again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RestartPolicy {
    /// Always.
    Permanent,
    /// If it failed; which is what every end counts as.
    Transient,
    /// Never.
    Temporary,
}
