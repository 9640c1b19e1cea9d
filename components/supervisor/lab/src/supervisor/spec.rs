//! What a supervisor is told of its work.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::backoff::Backoff;
use super::child::Child;
use super::intensity::Intensity;
use super::notice::{Notice, Observer};
use super::offspring::Below;
use super::strategy::Strategy;
use crate::exit::Exit;
use crate::sync::{Mutex, lock};

/// A supervisor before its start: its strategy, its limits and its first children, in the order of their start.
#[must_use = "nothing runs before it is started"]
pub struct Spec {
    pub(super) strategy: Strategy,
    pub(super) intensity: Intensity,
    pub(super) backoff: Backoff,
    pub(super) children: Vec<Child>,
    pub(super) observer: Option<Observer>,
}

impl Spec {
    /// A supervisor without children, with the default [`Intensity`] and no [`Backoff`].
    pub fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            intensity: Intensity::default(),
            backoff: Backoff::default(),
            children: Vec::new(),
            observer: None,
        }
    }

    /// Adds a child after the others.
    pub fn child(mut self, child: Child) -> Self {
        self.children.push(child);
        self
    }

    /// How many restarts are too many.
    pub fn intensity(mut self, intensity: Intensity) -> Self {
        self.intensity = intensity;
        self
    }

    /// How long restarts wait.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Has `observer` told of whatever happens to the children. It runs in the supervisor's task, so it should be
    /// short, and its panics are the supervisor's.
    pub fn observe(mut self, observer: impl Fn(&Notice) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }
}

impl fmt::Debug for Spec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Spec")
            .field("strategy", &self.strategy)
            .field("intensity", &self.intensity)
            .field("backoff", &self.backoff)
            .field("children", &self.children)
            .finish_non_exhaustive()
    }
}

/// Where a supervisor finds its spec when it starts, and leaves it when it ends: for its next incarnation.
pub(super) struct Place(Mutex<Left>);

struct Left {
    spec: Option<Spec>,
    /// No next incarnation is in sight; whether there will be none for good.
    retired: Option<bool>,
}

impl Place {
    pub(super) fn new(spec: Spec) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Left {
            spec: Some(spec),
            retired: None,
        })))
    }

    pub(super) fn take(&self) -> Option<Spec> {
        let mut left = lock(&self.0);
        left.retired = None;
        left.spec.take()
    }

    pub(super) fn put(&self, spec: Spec) {
        let mut left = lock(&self.0);
        let before = left.spec.replace(spec);
        let retired = left.retired;
        drop(left);
        drop(before);
        if let Some(for_good) = retired {
            self.release_children(for_good);
        }
    }

    /// Not under the lock, since messages are dropped with a mailbox.
    fn release_children(&self, for_good: bool) {
        let Some(mut spec) = lock(&self.0).spec.take() else {
            return;
        };
        for child in spec.children.iter_mut().rev() {
            child.offspring.release(for_good);
        }
        lock(&self.0).spec = Some(spec);
    }
}

impl Below for Place {
    /// The supervisor is not to be started again for now: its children end, those included that one which still runs
    /// leaves here.
    fn retire(&self, for_good: bool) {
        lock(&self.0).retired = Some(for_good);
        self.release_children(for_good);
    }
}

/// A supervisor did not start; this is how it ended.
#[derive(Clone, Debug, Error)]
#[error("the supervisor did not start: it {0}")]
pub struct NotStarted(
    /// [`Exit::Failed`] with a [`GaveUp`] if one of its children did not start.
    pub Exit,
);

/// Why a supervisor ended by itself.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum GaveUp {
    /// A child did not start when all were started for the first time.
    #[error("child {child} did not start: it {exit}")]
    NotStarted {
        /// Its name.
        child: Arc<str>,
        /// How it ended.
        exit: Exit,
    },
    /// More restarts than the intensity allows.
    #[error("too many restarts: in the end, child {child} {exit}")]
    TooManyRestarts {
        /// The child that failed last.
        child: Arc<str>,
        /// How it ended.
        exit: Exit,
    },
}
