//! What the holder of a supervisor wants, and is told.

use std::sync::Arc;

use thiserror::Error;

use super::child::Child;
use crate::ask::Reply;
use crate::exit::Exit;
use crate::id::ActorId;

/// What the holder of a supervisor wants.
pub(super) enum Order {
    Add(Child, Reply<Result<(), AddError>>),
    Remove(ActorId, Reply<bool>),
    List(Reply<Vec<ChildStatus>>),
}

/// A child of a supervisor at some point.
#[derive(Clone, Debug)]
pub struct ChildStatus {
    /// Its name.
    pub name: Arc<str>,
    /// Who it is.
    pub id: ActorId,
    /// The incarnation that runs, counted from 1; 0 if none does.
    pub incarnation: u32,
    /// How it ended, if it does not run.
    pub exit: Option<Exit>,
}

/// A child was not added.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum AddError {
    /// It did not start.
    #[error("the child did not start: it {0}")]
    NotStarted(Exit),
    /// The supervisor has ended, or did so meanwhile.
    #[error("the supervisor has ended")]
    Ended,
}
