//! Who would have to be restarted.

use super::ChildId;

/// What a supervisor decides when a child fails. **Flaw:** it is told to the caller, and nobody carries it out.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Decision {
    /// This one should be restarted.
    RestartChild(ChildId),
    /// All should be.
    RestartAll(Vec<ChildId>),
    /// These should be.
    RestartSubset(Vec<ChildId>),
    /// It should stay stopped.
    StopChild(ChildId),
    /// The supervisor's own supervisor should decide.
    Escalate(String),
}

/// Which children a failure concerns, chosen by type.
pub trait SupervisionStrategy: Send + Sync + 'static {
    /// Decides; `all` is in the order of start.
    fn decide(failed: ChildId, all: &[ChildId]) -> Decision;
}

/// The one that failed.
#[derive(Clone, Copy, Debug)]
pub struct OneForOne;

/// All.
#[derive(Clone, Copy, Debug)]
pub struct OneForAll;

/// The one that failed and those after it.
#[derive(Clone, Copy, Debug)]
pub struct RestForOne;

impl SupervisionStrategy for OneForOne {
    fn decide(failed: ChildId, _all: &[ChildId]) -> Decision {
        Decision::RestartChild(failed)
    }
}

impl SupervisionStrategy for OneForAll {
    fn decide(_failed: ChildId, all: &[ChildId]) -> Decision {
        Decision::RestartAll(all.to_vec())
    }
}

impl SupervisionStrategy for RestForOne {
    fn decide(failed: ChildId, all: &[ChildId]) -> Decision {
        match all.iter().position(|child| *child == failed) {
            Some(at) => Decision::RestartSubset(all[at..].to_vec()),
            None => Decision::Escalate(format!("no child {failed:?}")),
        }
    }
}
