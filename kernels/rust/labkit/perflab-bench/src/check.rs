//! Statements of a contract.

use std::panic;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

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
