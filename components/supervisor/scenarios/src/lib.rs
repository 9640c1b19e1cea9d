//! What is measured.
//!
//! A scenario is generic over the system, and compiled for the lab's six in [`known`].

mod as_published;
mod broadcast;
mod brokers;
mod crowd;
mod crowds;
mod fan_in;
mod gathered;
mod mailboxes;
mod parameters;
mod payload;
mod ping_pong;
mod record;
mod supervisors;
mod threads;
mod told;

/// The systems that the lab knows.
pub mod known {
    supervisor_systems::known!(crate::Scenarios);
}

use perflab_bench::{CountingAllocator, Error, Experiment, Scenario, ScenarioSpec, Setting};

use crate::threads::workers;

pub use gathered::Scenarios;

/// Counts for the scenarios that report bytes, the same for all variants.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// All scenarios: first the rows of the report in its order, then what it leaves open.
pub fn all<S: AsRef<Scenarios>>() -> Vec<Box<dyn Scenario<S>>> {
    let specs: [fn() -> ScenarioSpec; 13] = [
        told::spawn,
        told::message_throughput,
        brokers::send_receive,
        brokers::broker_throughput,
        broadcast::spec,
        mailboxes::operations,
        crowds::memory,
        mailboxes::memory,
        supervisors::supervise,
        supervisors::restart,
        fan_in::spec,
        ping_pong::spec,
        crowds::scale,
    ];
    specs
        .into_iter()
        .map(|spec| Box::new(Row { spec }) as Box<dyn Scenario<S>>)
        .collect()
}

/// A scenario: what it tells about itself is the same for all systems, what it does is compiled for each.
struct Row {
    spec: fn() -> ScenarioSpec,
}

impl<S: AsRef<Scenarios>> Scenario<S> for Row {
    fn spec(&self) -> ScenarioSpec {
        (self.spec)().parameters([workers()])
    }

    fn open(&self, subject: &S, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        subject.as_ref().open((self.spec)().name(), setting)
    }
}
