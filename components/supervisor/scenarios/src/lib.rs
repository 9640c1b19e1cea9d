//! What is measured, a file each.
//!
//! A scenario is generic over the system, and compiled for the lab's six in [`known`].

mod allocation;
mod as_published;
mod ask;
mod asked;
mod broadcast;
mod broker_throughput;
mod fan_in;
mod fan_out;
mod first_messages;
mod gathered;
mod idle;
pub mod known;
mod mailbox;
mod mailbox_memory;
mod mailboxes;
mod memory;
mod message_throughput;
mod metrics;
mod payload;
mod ping_pong;
mod resident;
mod restart;
mod restart_storm;
mod ring;
mod runtime_meter;
mod scale;
mod send_receive;
mod shutdown;
mod spawn;
mod supervise;
mod threads;
mod tree_depth;
mod trees;

use perflab_bench::{Error, Experiment, Scenario, ScenarioSpec, Setting};
use supervisor_contract::{Asks, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::gathered::Table;
use crate::runtime_meter::Metered;
use crate::threads::Threads;

pub use gathered::Scenarios;

/// All scenarios: first the rows of the report in its order, then what it leaves open.
pub fn all<S: AsRef<Scenarios>>() -> Vec<Box<dyn Scenario<S>>> {
    let specs: [fn() -> ScenarioSpec; 20] = [
        spawn::spec,
        message_throughput::spec,
        send_receive::spec,
        broker_throughput::spec,
        broadcast::spec,
        mailbox::spec,
        memory::spec,
        mailbox_memory::spec,
        supervise::spec,
        restart::spec,
        restart_storm::spec,
        tree_depth::spec,
        ring::spec,
        fan_in::spec,
        fan_out::spec,
        ping_pong::spec,
        ask::spec,
        scale::spec,
        shutdown::spec,
        idle::spec,
    ];
    specs
        .into_iter()
        .map(|spec| Box::new(Row { spec }) as Box<dyn Scenario<S>>)
        .collect()
}

pub(crate) fn of_actors<R: Runtime>() -> Table {
    vec![
        ("spawn", spawn::open::<R>),
        ("message-throughput", message_throughput::open::<R>),
        ("memory", memory::open::<R>),
        ("ring", ring::open::<R>),
        ("fan-in", fan_in::open::<R>),
        ("fan-out", fan_out::open::<R>),
        ("ping-pong", ping_pong::open::<R>),
        ("scale", scale::open::<R>),
        ("idle", idle::open::<R>),
    ]
}

pub(crate) fn of_askers<R: Asks>() -> Table {
    vec![("ask", ask::open::<R>)]
}

pub(crate) fn of_brokers<R: Publishes>() -> Table {
    vec![
        ("send-receive", send_receive::open::<R>),
        ("broker-throughput", broker_throughput::open::<R>),
        ("broadcast", broadcast::open::<R>),
    ]
}

pub(crate) fn of_mailboxes<R: Mailboxes>() -> Table {
    vec![
        ("mailbox", mailbox::open::<R>),
        ("mailbox-memory", mailbox_memory::open::<R>),
    ]
}

pub(crate) fn of_shutdowns<R: ShutsDown>() -> Table {
    vec![("shutdown", shutdown::open::<R>)]
}

pub(crate) fn of_supervisors<R: Supervises>() -> Table {
    vec![
        ("supervise", supervise::open::<R>),
        ("restart", restart::open::<R>),
        ("restart-storm", restart_storm::open::<R>),
        ("tree-depth", tree_depth::open::<R>),
    ]
}

/// A scenario: what it tells about itself is the same for all systems, what it does is compiled for each.
struct Row {
    spec: fn() -> ScenarioSpec,
}

impl<S: AsRef<Scenarios>> Scenario<S> for Row {
    fn spec(&self) -> ScenarioSpec {
        (self.spec)()
    }

    fn open(&self, subject: &S, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        Threads::latest();
        let experiment = subject.as_ref().open((self.spec)().name(), setting)?;
        Ok(match Threads::latest() {
            Some(runtime) => Box::new(Metered::new(experiment, runtime)),
            None => experiment,
        })
    }
}
