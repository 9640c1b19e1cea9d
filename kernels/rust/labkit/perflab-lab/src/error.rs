//! What goes wrong, in the lab's own words.

use std::fmt;

/// What is wrong, and what to do about it.
#[derive(Clone, Debug)]
pub struct LabError {
    text: String,
    hint: String,
    exit_status: i32,
}

impl LabError {
    pub(crate) fn new(text: impl Into<String>, hint: impl Into<String>, exit_status: i32) -> Self {
        LabError {
            text: text.into(),
            hint: hint.into(),
            exit_status,
        }
    }

    /// Something of this machine that is in the way.
    pub(crate) fn missing(text: impl Into<String>, hint: impl Into<String>) -> Self {
        LabError::new(text, hint, MISSING)
    }

    /// Something the reader wrote.
    pub(crate) fn usage(text: impl Into<String>, hint: impl Into<String>) -> Self {
        LabError::new(text, hint, USAGE)
    }

    /// What is wrong.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What to do about it; may be empty.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The status that `./lab` ended with: 1 a shortfall, 2 wrong use, 3 something missing, 4 a failed benchmark; 130
    /// after an interrupt.
    pub fn exit_status(&self) -> i32 {
        self.exit_status
    }
}

const USAGE: i32 = 2;
const MISSING: i32 = 3;

impl fmt::Display for LabError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        if !self.hint.is_empty() {
            write!(formatter, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for LabError {}
