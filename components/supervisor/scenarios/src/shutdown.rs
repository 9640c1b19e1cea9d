//! A system that ends.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Mailbox, ShutsDown, StillRunning, System};
use supervisor_workload::Countdown;
use supervisor_workload::{Greeter, Greeting};

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

/// The time, how it ended, and addresses that still took a message.
async fn end<R: ShutsDown>(actors: usize, deadline: Duration) -> (Duration, Result<(), StillRunning>, usize) {
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(actors));
    let mut addresses = Vec::with_capacity(actors);
    for _ in 0..actors {
        let address = system
            .spawn(
                Greeter {
                    sum: 0,
                    handled: Arc::clone(&handled),
                },
                Mailbox::Unbounded,
            )
            .await;
        let _ = address.tell(Greeting(1)).await;
        addresses.push(address);
    }
    handled.wait().await;
    let begun = Instant::now();
    let ended = R::shutdown(system, deadline).await;
    let time = begun.elapsed();
    let mut open = 0;
    for address in addresses {
        open += usize::from(address.tell(Greeting(1)).await.is_ok());
    }
    (time, ended, open)
}

pub(super) fn open<R: ShutsDown>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let deadline = Duration::from_millis(setting.parameters.int("deadline-ms").unsigned_abs());
    Ok(Box::new(move |sample: &mut Sample| {
        let (time, ended, open) = threads.run(end::<R>(actors, deadline));
        sample.add(actors as f64, time);
        setting
            .checks
            .require("it ended before its deadline", ended.is_ok(), || format!("{ended:?}"))?;
        setting
            .checks
            .require("no actor took a message afterwards", open == 0, || {
                format!("{open} did")
            })
    }))
}
