//! What a scenario looked at in its own outcome.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Error;

/// What a scenario looked at in its own outcome. The first check that does not hold ends the run.
#[derive(Clone, Debug, Default)]
pub struct Checks {
    passed: Arc<Mutex<Vec<&'static str>>>,
}

impl Checks {
    /// Demands that something holds. `name` is the statement, in words that also read well in the `end` line;
    /// `evidence` is what was seen instead, asked for only if it does not hold.
    pub fn require(&self, name: &'static str, holds: bool, evidence: impl FnOnce() -> String) -> Result<(), Error> {
        if !holds {
            return Err(Error::validation(format!("{name}: {}", evidence())));
        }
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        if !passed.contains(&name) {
            passed.push(name);
        }
        Ok(())
    }

    /// The statements that held each time they were checked.
    pub(crate) fn passed(&self) -> Vec<&'static str> {
        self.passed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
