//! What a reader's variant becomes.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::show::send_content;

/// A variant of the reader's own that compiles and keeps the component's contract; `lab.measure(..).plugin(&it)` measures
/// it against the others.
#[derive(Clone, Debug)]
pub struct Plugin {
    component: String,
    variants: Vec<String>,
    checks: Vec<String>,
    path: PathBuf,
}

impl Plugin {
    pub(crate) fn new(component: &str, variants: Vec<String>, checks: Vec<String>, path: PathBuf) -> Self {
        Plugin {
            component: component.to_owned(),
            variants,
            checks,
            path,
        }
    }

    /// Whose variant it is.
    pub fn component(&self) -> &str {
        &self.component
    }

    /// The names it is measured under, as in `my-runtime`.
    pub fn variants(&self) -> &[String] {
        &self.variants
    }

    /// The contract's checks that it passed.
    pub fn checks(&self) -> &[String] {
        &self.checks
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Shows it as the value of a cell.
    pub fn evcxr_display(&self) {
        send_content("text/plain", &self.to_string());
    }
}

impl fmt::Display for Plugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.variants.join(", ");
        write!(formatter, "{names}: keeps the contract of {}", self.component)?;
        self.checks
            .iter()
            .try_for_each(|check| write!(formatter, "\n  ok  {check}"))
    }
}
