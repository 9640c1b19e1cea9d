//! The report's `memory_per_actor`: as named, bytes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::allocation::{self, live_bytes};
use crate::mailboxes::{actors_mailbox_of, mailbox};
use crate::threads::{Threads, workers};
use crate::{asked, first_messages};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "memory",
        "Memory per actor",
        "an actor alive, its first message handled; as published: a struct, a context and a broker",
        Metric::new("heap", "counter:heap_bytes/op", "bytes/actor", Better::Lower),
    )
    .metrics([Metric::new("time", "time", "ns/actor", Better::Lower)])
    .parameters([
        asked::knob(),
        Parameter::int("actors", 50, 1, 1_000_000, "actors alive at once"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

#[derive(Default)]
struct Outcome {
    bytes: i64,
    /// Until all were alive.
    time: Duration,
    refused: usize,
    faults: Faults,
}

async fn live<R: Runtime>(actors: usize, size: Mailbox) -> Outcome {
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(actors));
    let mut addresses = Vec::with_capacity(actors);
    let mut outcome = Outcome::default();
    let before = live_bytes();
    let begun = Instant::now();
    for _ in 0..actors {
        addresses.push(system.spawn(Greeter::new(&handled), size).await);
    }
    for address in &addresses {
        outcome.refused += usize::from(address.tell(Greeting(0)).await.is_err());
    }
    if outcome.refused > 0 {
        return outcome;
    }
    handled.wait().await;
    outcome.time = begun.elapsed();
    outcome.bytes = live_bytes() - before;
    for address in addresses {
        system.stop(address).await;
    }
    outcome.faults = handled.faults();
    outcome
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    allocation::count();
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(live::<R>(actors, size))?;
        sample.add(actors as f64, outcome.time);
        sample.count("heap_bytes", outcome.bytes as f64);
        first_messages::taken(&setting.checks, outcome.refused)?;
        first_messages::handled(&setting.checks, outcome.faults)
    }))
}
