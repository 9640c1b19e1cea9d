//! Reasons to stop that the protocol knows.

use std::fmt;

/// The protocol's kinds of error; the value of each is its exit status.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Whatever nobody expected.
    Internal = 1,
    /// Bad input.
    Usage = 2,
    /// Something that the scenario needs is not on this machine.
    Missing = 3,
    /// The scenario's outcome is wrong: whatever was measured does not count.
    Validation = 4,
}

/// A reason to stop: it becomes the last line, and its kind the exit status.
///
/// Like `anyhow::Error` it takes in every error of others through `?`, as [`Kind::Internal`], and for that reason is no
/// `std::error::Error` itself.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    allowed: Vec<String>,
}

impl Error {
    /// Bad input: names what was wrong and what is allowed instead; nothing, if there is no list of it.
    pub fn usage<A: Into<String>>(message: impl Into<String>, allowed: impl IntoIterator<Item = A>) -> Self {
        Error { kind: Kind::Usage, message: message.into(), allowed: allowed.into_iter().map(Into::into).collect() }
    }

    /// Bad input that the message says all about.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Error::of(Kind::Usage, message)
    }

    pub(crate) fn unknown(kind: &str, name: &str) -> Self {
        Error::refused(format!("unknown {kind} '{name}'"))
    }

    /// Something is not on this machine.
    pub fn missing(message: impl Into<String>) -> Self {
        Error::of(Kind::Missing, message)
    }

    /// An outcome is wrong.
    pub fn validation(message: impl Into<String>) -> Self {
        Error::of(Kind::Validation, message)
    }

    /// Anything else.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::of(Kind::Internal, message)
    }

    fn of(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), allowed: Vec::new() }
    }

    /// Which kind it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What would have been right.
    pub fn allowed(&self) -> &[String] {
        &self.allowed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for Error {
    fn from(source: E) -> Self {
        let mut message = source.to_string();
        let mut cause = source.source();
        while let Some(deeper) = cause {
            message = format!("{message}: {deeper}");
            cause = deeper.source();
        }
        Error::internal(message)
    }
}
