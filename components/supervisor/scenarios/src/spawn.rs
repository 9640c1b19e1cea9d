//! The report's `actor_spawn_single` and `actor_spawn_batch_small`: as named, an actor that runs and has a mailbox.

use std::sync::Arc;
use std::time::Duration;

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::mailboxes::{actors_mailbox_of, mailbox};
use crate::threads::{Threads, workers};
use crate::{asked, first_messages, metrics};

/// Spawns per repetition, so that what is set up around it weighs little.
pub(super) const SPAWNS: usize = 1_000;

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "spawn",
        "Spawning actors",
        "an actor, spawned and its first message handled; as published: a struct, a context and a broker",
        Metric::new("time", "time", "ns/actor", Better::Lower),
    )
    .metrics([
        Metric::new(
            "spawned",
            "counter:spawned_ns/op",
            "ns/actor until spawned",
            Better::Lower,
        ),
        Metric::new(
            "left",
            "counter:left_on_the_books/op",
            "actors on the books/actor stopped",
            Better::Lower,
        ),
    ])
    .metrics(metrics::usage())
    .parameters([
        asked::knob(),
        Parameter::int("actors", 1, 1, 100_000, "actors spawned in a batch"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

/// What a repetition took: until all were spawned, and until all had handled a message. And what went wrong.
#[derive(Default)]
struct Outcome {
    spawned: Duration,
    handled: Lap,
    refused: usize,
    faults: Faults,
    after: Option<usize>,
}

async fn repetition<R: Runtime>(batches: usize, actors: usize, size: Mailbox) -> Outcome {
    let system = R::start::<Greeting>().await;
    let mut all = Vec::with_capacity(batches * actors);
    let mut countdowns = Vec::with_capacity(batches);
    let mut outcome = Outcome::default();
    for _ in 0..batches {
        let handled = Arc::new(Countdown::from(actors));
        countdowns.push(Arc::clone(&handled));
        let watch = Stopwatch::start();
        for _ in 0..actors {
            all.push(system.spawn(Greeter::new(&handled), size).await);
        }
        outcome.spawned += watch.begun().elapsed();
        for address in &all[all.len() - actors..] {
            outcome.refused += usize::from(address.tell(Greeting(0)).await.is_err());
        }
        if outcome.refused > 0 {
            return outcome;
        }
        handled.wait().await;
        outcome.handled += watch.stop();
    }
    for address in all {
        system.stop(address).await;
    }
    for handled in countdowns {
        outcome.faults += handled.faults();
    }
    outcome.after = system.on_the_books();
    outcome
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let batches = (SPAWNS / actors).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(repetition::<R>(batches, actors, size))?;
        sample.add_lap((batches * actors) as f64, outcome.handled);
        sample.count("spawned_ns", outcome.spawned.as_nanos() as f64);
        if let Some(after) = outcome.after {
            sample.count("left_on_the_books", after as f64);
        }
        first_messages::taken(&setting.checks, outcome.refused)?;
        first_messages::handled(&setting.checks, outcome.faults)
    }))
}
