//! What a variant hands to a scenario.

use std::collections::BTreeMap;

use perflab_bench::{Error, Experiment, Setting};
use supervisor_contract::Runtime;

use crate::scenarios;

/// Sets up a scenario for one system.
pub(crate) type Open = fn(Setting) -> Result<Box<dyn Experiment>, Error>;

/// A system of actors, as the scenarios that it can do: each capability of the contract brings some.
///
/// A scenario is compiled for each system on its own, so that nothing between it and the system is dynamic.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    scenarios: BTreeMap<&'static str, Open>,
}

impl Subject {
    /// Actors that are spawned, told and stopped.
    pub fn of<R: Runtime>() -> Self {
        Subject::default().with(scenarios::of_actors::<R>())
    }

    pub(crate) fn with(mut self, scenarios: impl IntoIterator<Item = (&'static str, Open)>) -> Self {
        self.scenarios.extend(scenarios);
        self
    }

    /// The scenarios that it can do.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.scenarios.keys().copied()
    }

    pub(crate) fn open(&self, name: &str, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        self.scenarios[name](setting)
    }
}
