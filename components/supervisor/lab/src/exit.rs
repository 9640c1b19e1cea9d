//! How actors end.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// How an incarnation of an actor ended.
#[derive(Clone, Debug)]
pub enum Exit {
    /// It stopped by itself, was told to stop, or its mailbox was closed and is empty.
    Normal,
    /// Its handler, or its [`started`](crate::Actor::started), returned an error.
    Failed(Failure),
    /// It panicked; the panic's message.
    Panicked(Arc<str>),
    /// It was killed, did not stop within its deadline, its runtime ended, or its system had shut down before it began.
    Killed,
}

impl Exit {
    /// Whether a [`Transient`](crate::supervisor::Restart::Transient) child is restarted after it.
    #[must_use]
    pub fn is_abnormal(&self) -> bool {
        !matches!(self, Self::Normal)
    }

    /// What a panic carried: its message if it is text, as it is for `panic!` and everything built on it.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&'static str>()
            .copied()
            .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
            .unwrap_or("a panic without text");
        Self::Panicked(message.into())
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Normal => formatter.write_str("ended normally"),
            Self::Failed(failure) => write!(formatter, "failed: {failure}"),
            Self::Panicked(message) => write!(formatter, "panicked: {message}"),
            Self::Killed => formatter.write_str("was killed"),
        }
    }
}

/// The end of an actor, after which it is not restarted.
#[derive(Clone, Debug)]
pub struct End {
    /// How its last incarnation ended.
    pub exit: Exit,
    /// Messages that were accepted and never handled. The one that was in hand at a panic or a kill is not among them,
    /// nor is what an incarnation had taken that its supervisor has [abandoned](crate::supervisor::News::Abandoned).
    pub unhandled: usize,
}

/// The error of an actor; any error turns into it with `?`.
///
/// It is not itself an [`Error`], as that would forbid the conversion from all of them.
#[derive(Clone)]
pub struct Failure(Arc<dyn Error + Send + Sync>);

impl Failure {
    /// An error that is only a text.
    pub fn new(message: impl Into<String>) -> Self {
        Self(Arc::from(Box::<dyn Error + Send + Sync>::from(message.into())))
    }

    /// The error.
    #[must_use]
    pub fn error(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(Arc::new(error))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, formatter)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}
