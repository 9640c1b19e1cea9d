//! What is measured, a file each.

mod fan_in;
mod ring;

use perflab_bench::{Error, Experiment, Scenario, ScenarioSpec, Setting};
use supervisor_contract::Runtime;

use crate::Subject;
use crate::subject::Open;

/// All scenarios.
pub(crate) fn all() -> Vec<Box<dyn Scenario<Subject>>> {
    let specs: [fn() -> ScenarioSpec; 2] = [fan_in::spec, ring::spec];
    specs
        .into_iter()
        .map(|spec| Box::new(Row { spec }) as Box<dyn Scenario<Subject>>)
        .collect()
}

pub(crate) fn of_actors<R: Runtime>() -> Vec<(&'static str, Open)> {
    vec![("fan-in", fan_in::open::<R> as Open), ("ring", ring::open::<R>)]
}

/// A scenario: what it tells about itself is the same for all systems, what it does is compiled for each.
struct Row {
    spec: fn() -> ScenarioSpec,
}

impl Scenario<Subject> for Row {
    fn spec(&self) -> ScenarioSpec {
        (self.spec)()
    }

    fn open(&self, subject: &Subject, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        subject.open(self.spec().name(), setting)
    }
}
