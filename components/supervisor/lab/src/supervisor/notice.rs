//! What a supervisor did, for those who look on.

use std::sync::Arc;
use std::time::Duration;

use crate::exit::Exit;

/// News of a child.
#[derive(Clone, Debug)]
pub struct Notice {
    /// Its name.
    pub child: Arc<str>,
    /// What happened.
    pub news: News,
}

/// What happened to a child.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum News {
    /// It is being started.
    Starting,
    /// It has started: this incarnation, counted from 1.
    Started(u32),
    /// It is gone.
    Exited(Exit),
    /// It is told to stop.
    Stopping,
    /// It did not stop in time and is killed.
    Overdue,
    /// It did not even die in time and is left to itself: what it still does is not supervised. It begins no further
    /// message, and those that it has taken as a batch are dropped when it returns.
    Abandoned,
    /// Its restart waits for so long.
    Delayed(Duration),
    /// It failed once too often: its supervisor gives up.
    GaveUp,
}

/// Somebody who looks on.
pub(super) type Observer = Arc<dyn Fn(&Notice) + Send + Sync>;
