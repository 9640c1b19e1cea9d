//! What a variant hands to a scenario.

use std::collections::BTreeMap;

use perflab_bench::{Error, Experiment, Setting};
use supervisor_contract::{Asks, Bounds, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::asked::is_published;
use crate::contract::{self, Statements};
use crate::scenarios;

/// Sets up a scenario for one system.
pub(crate) type Open = fn(Setting) -> Result<Box<dyn Experiment>, Error>;

/// Scenarios by name.
pub(crate) type Table = Vec<(&'static str, Open)>;

/// A system of actors, as the scenarios that it can do: each capability of the contract brings some.
///
/// A scenario is compiled for each system on its own, so that nothing between it and the system is dynamic.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    named: BTreeMap<&'static str, Open>,
    published: BTreeMap<&'static str, Open>,
    statements: Statements,
}

impl Subject {
    /// Actors that are spawned, told and stopped.
    pub fn of<R: Runtime>() -> Self {
        Subject::default()
            .with(scenarios::of_actors::<R>())
            .keeping(contract::of_actors::<R>())
    }

    /// That can be asked, too.
    #[must_use]
    pub fn asks<R: Asks>(self) -> Self {
        self.with(scenarios::of_askers::<R>())
            .keeping(contract::of_askers::<R>())
    }

    /// Whose mailboxes can say no.
    #[must_use]
    pub fn bounds<R: Bounds>(self) -> Self {
        self.keeping(contract::of_bounds::<R>())
    }

    /// That have a broker.
    #[must_use]
    pub fn publishes<R: Publishes>(self) -> Self {
        self.with(scenarios::of_brokers::<R>())
            .keeping(contract::of_brokers::<R>())
    }

    /// Whose mailboxes can be had without them.
    #[must_use]
    pub fn mailboxes<R: Mailboxes>(self) -> Self {
        self.with(scenarios::of_mailboxes::<R>())
            .keeping(contract::of_mailboxes::<R>())
    }

    /// That end as a whole.
    #[must_use]
    pub fn shuts_down<R: ShutsDown>(self) -> Self {
        self.with(scenarios::of_shutdowns::<R>())
            .keeping(contract::of_shutdowns::<R>())
    }

    /// That are supervised.
    #[must_use]
    pub fn supervises<R: Supervises>(self) -> Self {
        self.with(scenarios::of_supervisors::<R>())
            .keeping(contract::of_supervisors::<R>())
    }

    /// That the report's own benchmarks measured.
    #[must_use]
    pub(crate) fn measured_as_published(mut self) -> Self {
        self.published.extend(scenarios::as_published());
        self
    }

    /// Leaves scenarios out that say nothing about this system.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.named.retain(|name, _| !names.contains(name));
        self
    }

    /// Leaves statements of the contract out about what the system does not have.
    #[must_use]
    pub fn not_promising(mut self, statements: &[&str]) -> Self {
        self.statements.retain(|statement, _| !statements.contains(statement));
        self
    }

    fn with(mut self, scenarios: Table) -> Self {
        self.named.extend(scenarios);
        self
    }

    fn keeping(mut self, statements: Statements) -> Self {
        self.statements.extend(statements);
        self
    }

    /// Whether a statement of the contract is about this system.
    pub fn promises(&self, statement: &str) -> bool {
        self.statements.contains_key(statement)
    }

    /// Checks a statement.
    ///
    /// # Errors
    ///
    /// The evidence if it does not hold.
    ///
    /// # Panics
    ///
    /// If the statement is not about this system.
    pub fn check(&self, statement: &str) -> Result<(), String> {
        self.statements[statement]()
    }

    /// The scenarios that it can do.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.keys().copied()
    }

    /// Sets a scenario up.
    ///
    /// # Errors
    ///
    /// What keeps it from being set up.
    pub(crate) fn open(&self, name: &'static str, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        if !is_published(&setting.parameters) {
            return self.named[name](setting);
        }
        match self.published.get(name) {
            Some(open) => open(setting),
            None => Err(Error::usage(
                "only the variant 'published' can be measured as published: the report's benchmark calls it directly",
                ["as=named"],
            )),
        }
    }
}
