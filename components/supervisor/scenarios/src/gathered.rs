//! The scenarios that a system can do.

use std::collections::BTreeMap;

use perflab_bench::{Error, Experiment, Setting};
use supervisor_contract::{Asks, Bounds, Gathers, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::asked::is_published;

/// Sets up a scenario for one system.
pub(crate) type Open = fn(Setting) -> Result<Box<dyn Experiment>, Error>;

/// Scenarios by name.
pub(crate) type Table = Vec<(&'static str, Open)>;

/// Scenarios of one system, each compiled for it on its own, so that nothing between it and the system is dynamic.
#[derive(Clone, Debug, Default)]
pub struct Scenarios {
    named: BTreeMap<&'static str, Open>,
    published: BTreeMap<&'static str, Open>,
}

impl Gathers for Scenarios {
    fn of<R: Runtime>() -> Self {
        Scenarios::default().with(crate::of_actors::<R>())
    }

    fn asks<R: Asks>(self) -> Self {
        self.with(crate::of_askers::<R>())
    }

    /// Mailboxes that refuse are measured as others are.
    fn bounds<R: Bounds>(self) -> Self {
        self
    }

    fn publishes<R: Publishes>(self) -> Self {
        self.with(crate::of_brokers::<R>())
    }

    fn mailboxes<R: Mailboxes>(self) -> Self {
        self.with(crate::of_mailboxes::<R>())
    }

    fn shuts_down<R: ShutsDown>(self) -> Self {
        self.with(crate::of_shutdowns::<R>())
    }

    fn supervises<R: Supervises>(self) -> Self {
        self.with(crate::of_supervisors::<R>())
    }
}

impl Scenarios {
    /// With what the report's own benchmarks measured.
    #[must_use]
    pub(crate) fn measured_as_published(mut self) -> Self {
        self.published.extend(crate::as_published::table());
        self
    }

    /// Leaves scenarios out that say nothing about the system.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.named.retain(|name, _| !names.contains(name));
        self
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.named.keys().copied()
    }

    fn with(mut self, scenarios: Table) -> Self {
        self.named.extend(scenarios);
        self
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
