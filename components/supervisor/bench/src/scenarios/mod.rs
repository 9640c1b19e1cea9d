//! What is measured, a file each.

mod as_published;
mod ask;
mod broadcast;
mod broker_throughput;
mod fan_in;
mod fan_out;
mod idle;
mod mailbox;
mod mailbox_memory;
mod memory;
mod message_throughput;
mod ping_pong;
mod restart;
mod restart_storm;
mod ring;
mod scale;
mod send_receive;
mod shutdown;
mod spawn;
mod supervise;
mod tree_depth;

use perflab_bench::{Error, Experiment, Scenario, ScenarioSpec, Setting};
use supervisor_contract::{Asks, Mailboxes, Publishes, Runtime, ShutsDown, Supervises};

use crate::Subject;
use crate::runtime_meter::Metered;
use crate::subject::Table;
use crate::threads::Threads;

pub(crate) use as_published::table as as_published;

/// All scenarios: first the rows of the report in its order, then what it leaves open.
pub(crate) fn all() -> Vec<Box<dyn Scenario<Subject>>> {
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
        .map(|spec| Box::new(Row { spec }) as Box<dyn Scenario<Subject>>)
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

impl Scenario<Subject> for Row {
    fn spec(&self) -> ScenarioSpec {
        (self.spec)()
    }

    fn open(&self, subject: &Subject, setting: Setting) -> Result<Box<dyn Experiment>, Error> {
        Threads::latest();
        let experiment = subject.open(self.spec().name(), setting)?;
        Ok(match Threads::latest() {
            Some(runtime) => Box::new(Metered::new(experiment, runtime)),
            None => experiment,
        })
    }
}
