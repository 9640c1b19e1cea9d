//! One sender, many actors.

use std::sync::Arc;

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Closed, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::mailboxes::{actors_mailbox_of, mailbox};
use crate::metrics;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "fan-out",
        "One sender, many actors",
        "a message, sent and handled",
        Metric::new("rate", "rate", "messages/s", Better::Higher),
    )
    .metrics([Metric::new("time", "time", "ns/message", Better::Lower)])
    .metrics(metrics::usage())
    .parameters([
        Parameter::int("actors", 100, 1, 100_000, "actors that receive in turn"),
        Parameter::int("messages", 100_000, 1, 100_000_000, "messages to all of them together"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

async fn burst<R: Runtime>(actors: usize, each: usize, size: Mailbox) -> Result<(Lap, Faults), Closed> {
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(actors * each));
    let mut addresses = Vec::with_capacity(actors);
    for _ in 0..actors {
        addresses.push(system.spawn(Greeter::new(&handled), size).await);
    }
    let watch = Stopwatch::start();
    for number in 0..each {
        for address in &addresses {
            address.tell(Greeting(number as u64)).await?;
        }
    }
    handled.wait().await;
    let lap = watch.stop();
    for address in addresses {
        system.stop(address).await;
    }
    Ok((lap, handled.faults()))
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let each = (setting.parameters.count("messages") / actors).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(burst::<R>(actors, each, size))?;
        setting.checks.require("every message was taken", outcome.is_ok(), || {
            "an actor had ended".into()
        })?;
        let (lap, faults) = outcome?;
        sample.add_lap((actors * each) as f64, lap);
        setting.checks.require(
            "every message was handled once and in its actor's order",
            faults.is_none(),
            || faults.to_string(),
        )
    }))
}
