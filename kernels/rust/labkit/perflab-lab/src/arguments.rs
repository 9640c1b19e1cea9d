//! The words of a command line.

use std::fmt::Display;

/// Words, and options with their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments(Vec<String>);

impl Arguments {
    /// A positional argument.
    pub(crate) fn word(&mut self, value: impl Into<String>) {
        self.0.push(value.into());
    }

    /// `--name value`.
    pub(crate) fn option(&mut self, name: &str, value: impl Display) {
        self.0.extend([format!("--{name}"), value.to_string()]);
    }

    /// `--name`.
    pub(crate) fn flag(&mut self, name: &str) {
        self.0.push(format!("--{name}"));
    }

    /// Whether there is an option of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word.strip_prefix("--") == Some(name))
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.0
    }
}
