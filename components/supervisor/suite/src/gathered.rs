//! The statements that are about a system, as checks.

use std::collections::BTreeMap;

use supervisor_contract::{Asks, Bounds, Gathers, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::{actors, asking, mailboxes, publishing, shutting_down, supervising};

/// A check compiled for one system.
pub(crate) type Body = fn() -> Result<(), String>;

/// Checks by statement.
pub(crate) type Table = Vec<(&'static str, Body)>;

/// What is promised for one system.
#[derive(Clone, Debug, Default)]
pub struct Statements(BTreeMap<&'static str, Body>);

impl Gathers for Statements {
    fn of<R: Runtime>() -> Self {
        Statements::default().with(actors::statements::<R>())
    }

    fn asks<R: Asks>(self) -> Self {
        self.with(asking::statements::<R>())
    }

    fn bounds<R: Bounds>(self) -> Self {
        self.with(mailboxes::of_bounds::<R>())
    }

    fn publishes<R: Publishes>(self) -> Self {
        self.with(publishing::statements::<R>())
    }

    fn mailboxes<R: Mailboxes>(self) -> Self {
        self.with(mailboxes::of_mailboxes::<R>())
    }

    fn shuts_down<R: ShutsDown>(self) -> Self {
        self.with(shutting_down::statements::<R>())
    }

    fn supervises<R: Supervises>(self) -> Self {
        self.with(supervising::statements::<R>())
    }
}

impl Statements {
    /// Leaves statements out about what the system does not have.
    #[must_use]
    pub fn without(mut self, statements: &[&str]) -> Self {
        self.0.retain(|statement, _| !statements.contains(statement));
        self
    }

    /// Whether a statement is about the system.
    pub fn contains(&self, statement: &str) -> bool {
        self.0.contains_key(statement)
    }

    /// Checks a statement.
    ///
    /// # Errors
    ///
    /// The evidence if it does not hold.
    ///
    /// # Panics
    ///
    /// If the statement is not about the system.
    pub fn check(&self, statement: &str) -> Result<(), String> {
        self.0[statement]()
    }

    fn with(mut self, statements: Table) -> Self {
        self.0.extend(statements);
        self
    }
}
