//! What is checked: statements of a contract, and the outcome of a scenario.

use std::panic;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use crate::Error;

type Body<S> = dyn Fn(&S) -> Result<(), String> + Send + Sync;
type Applies<S> = dyn Fn(&S) -> bool + Send + Sync;

/// One statement of a component's contract, checked on a variant.
pub struct Check<S> {
    name: &'static str,
    body: Arc<Body<S>>,
    applies: Arc<Applies<S>>,
}

impl<S: Send + Sync + 'static> Check<S> {
    /// `name` is the statement. The body passes by returning `Ok`; an error or a panic is the evidence against it.
    pub fn new(name: &'static str, body: impl Fn(&S) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Check { name, body: Arc::new(body), applies: Arc::new(|_| true) }
    }

    /// Narrows down which subjects the statement is about.
    #[must_use]
    pub fn only_for(mut self, applies: impl Fn(&S) -> bool + Send + Sync + 'static) -> Self {
        self.applies = Arc::new(applies);
        self
    }

    /// The statement.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the statement is about this subject.
    pub fn applies_to(&self, subject: &S) -> bool {
        (self.applies)(subject)
    }

    /// Runs the check on a thread of its own; one that hangs is left behind.
    pub fn run(&self, subject: &Arc<S>, limit: Duration) -> Result<(), String> {
        let (body, subject) = (Arc::clone(&self.body), Arc::clone(subject));
        let (told, outcome) = mpsc::channel();
        let thread = thread::Builder::new().name(format!("check: {}", self.name)).spawn(move || {
            let result = panic::catch_unwind(panic::AssertUnwindSafe(|| body(&subject)))
                .unwrap_or_else(|payload| Err(format!("panicked: {}", panic_text(payload.as_ref()))));
            // Nobody listens any more if the limit has passed.
            let _ = told.send(result);
        });
        thread.map_err(|problem| format!("no thread for the check: {problem}"))?;
        outcome.recv_timeout(limit).unwrap_or_else(|_| Err(format!("did not end within {} ms", limit.as_millis())))
    }
}

/// What a panic said.
pub(crate) fn panic_text(payload: &(dyn std::any::Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("something that is no text")
}

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
