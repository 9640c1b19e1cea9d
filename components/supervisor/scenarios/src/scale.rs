//! Many actors: what each costs, and how fast messages go to all of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Closed, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::allocation::{self, live_bytes};
use crate::resident::resident_bytes;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "scale",
        "Many actors",
        "an actor",
        Metric::new("heap", "counter:heap_bytes/op", "bytes/actor", Better::Lower),
    )
    .metrics([
        Metric::new(
            "spawn",
            "counter:spawned_ns/op",
            "ns/actor until all are spawned",
            Better::Lower,
        ),
        Metric::new(
            "alive",
            "time",
            "ns/actor until all have handled a message",
            Better::Lower,
        ),
        Metric::new(
            "resident",
            "counter:resident_bytes/op",
            "bytes/actor of the process",
            Better::Lower,
        ),
        Metric::new(
            "message",
            "counter:per_message_ns/op",
            "ns/message across all",
            Better::Lower,
        ),
        Metric::new(
            "stop",
            "counter:stopped_ns/op",
            "ns/actor until all are stopped",
            Better::Lower,
        ),
    ])
    .parameters([
        Parameter::int("actors", 10_000, 1, 2_000_000, "actors alive at once"),
        Parameter::int(
            "messages",
            100_000,
            1,
            1_000_000_000,
            "messages, the same number to each, at least one",
        ),
        workers(),
    ])
}

struct Outcome {
    heap: i64,
    resident: i64,
    spawned: Duration,
    alive: Duration,
    per_message: f64,
    stopped: Duration,
    faults: Faults,
}

async fn crowd<R: Runtime>(actors: usize, each: usize) -> Result<Outcome, Closed> {
    let system = R::start::<Greeting>().await;
    let (alive, handled) = (
        Arc::new(Countdown::from(actors)),
        Arc::new(Countdown::from(actors * (each + 1))),
    );
    let mut addresses = Vec::with_capacity(actors);
    let (heap, resident) = (live_bytes(), resident_bytes().unwrap_or(0));
    let begun = Instant::now();
    for _ in 0..actors {
        let greeter = First {
            alive: Some(Arc::clone(&alive)),
            then: Greeter::new(&handled),
        };
        addresses.push(system.spawn(greeter, Mailbox::Unbounded).await);
    }
    let spawned = begun.elapsed();
    for address in &addresses {
        address.tell(Greeting(0)).await?;
    }
    alive.wait().await;
    let all_alive = begun.elapsed();
    let (heap, resident) = (live_bytes() - heap, resident_bytes().unwrap_or(0) - resident);
    let begun = Instant::now();
    for number in 1..=each {
        for address in &addresses {
            address.tell(Greeting(number as u64)).await?;
        }
    }
    handled.wait().await;
    let per_message = begun.elapsed().as_nanos() as f64 / (actors * each) as f64;
    let begun = Instant::now();
    for address in addresses {
        system.stop(address).await;
    }
    Ok(Outcome {
        heap,
        resident,
        spawned,
        alive: all_alive,
        per_message,
        stopped: begun.elapsed(),
        faults: handled.faults(),
    })
}

/// A greeter that also tells when it has handled its first message.
struct First {
    alive: Option<Arc<Countdown>>,
    then: Greeter,
}

impl<S: System<Message = Greeting>> supervisor_contract::Behaviour<S> for First {
    async fn handle(&mut self, greeting: Greeting) -> supervisor_contract::Flow {
        if let Some(alive) = self.alive.take() {
            alive.count();
        }
        supervisor_contract::Behaviour::<S>::handle(&mut self.then, greeting).await
    }
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let each = (setting.parameters.count("messages") / actors).max(1);
    resident_bytes().map_err(|error| Error::missing(format!("the process's memory cannot be read: {error}")))?;
    allocation::count();
    // Later crowds get memory that the allocator has kept of this one: only the first shows in what the system gave.
    let first = threads.run(crowd::<R>(actors, 1))??.resident;
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(crowd::<R>(actors, each))?;
        setting
            .checks
            .require("every actor took its messages", outcome.is_ok(), || {
                "one had ended".into()
            })?;
        let outcome = outcome?;
        sample.add(actors as f64, outcome.alive);
        sample.count("heap_bytes", outcome.heap as f64);
        sample.count("resident_bytes", first as f64);
        sample.count("spawned_ns", outcome.spawned.as_nanos() as f64);
        sample.count("per_message_ns", outcome.per_message * actors as f64);
        sample.count("stopped_ns", outcome.stopped.as_nanos() as f64);
        setting.checks.require(
            "every message was handled once and in its actor's order",
            outcome.faults.is_none(),
            || outcome.faults.to_string(),
        )
    }))
}
