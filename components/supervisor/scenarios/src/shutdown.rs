//! A system that ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Mailbox, ShutsDown, StillRunning, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::first_messages;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "shutdown",
        "Shutting down",
        "an actor that ends with its system",
        Metric::new("time", "time", "ns/actor", Better::Lower),
    )
    .parameters([
        Parameter::int("actors", 1_000, 1, 1_000_000, "actors alive, without work"),
        Parameter::int("deadline-ms", 10_000, 1, 600_000, "time given to it, in milliseconds"),
        workers(),
    ])
}

struct Outcome {
    time: Duration,
    ended: Result<(), StillRunning>,
    /// Addresses that still took a message.
    open: usize,
    faults: Faults,
}

async fn end<R: ShutsDown>(actors: usize, deadline: Duration) -> Outcome {
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(actors));
    let mut addresses = Vec::with_capacity(actors);
    for _ in 0..actors {
        let address = system.spawn(Greeter::new(&handled), Mailbox::Unbounded).await;
        let _ = address.tell(Greeting(0)).await;
        addresses.push(address);
    }
    handled.wait().await;
    let begun = Instant::now();
    let ended = R::shutdown(system, deadline).await;
    let time = begun.elapsed();
    let faults = handled.faults();
    let mut open = 0;
    for address in addresses {
        open += usize::from(address.tell(Greeting(1)).await.is_ok());
    }
    Outcome {
        time,
        ended,
        open,
        faults,
    }
}

pub(super) fn open<R: ShutsDown>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let actors = setting.parameters.count("actors");
    let deadline = Duration::from_millis(setting.parameters.int("deadline-ms").unsigned_abs());
    let threads = Threads::new(&setting)?.with_patience(deadline);
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(end::<R>(actors, deadline))?;
        sample.add(actors as f64, outcome.time);
        first_messages::handled(&setting.checks, outcome.faults)?;
        setting
            .checks
            .require("it ended before its deadline", outcome.ended.is_ok(), || {
                format!("{:?}", outcome.ended)
            })?;
        setting
            .checks
            .require("no actor took a message afterwards", outcome.open == 0, || {
                format!("{} did", outcome.open)
            })
    }))
}
