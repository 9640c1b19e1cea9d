//! Actors that are spawned and told: rows of the report as they are named.

use std::sync::Arc;
use std::time::Duration;

use perflab_bench::{Lap, Parameter, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::crowd::greet;
use crate::parameters::{actors_mailbox_of, asked, less, mailbox, rate, time, usage};
use crate::threads::{Opened, Threads};

/// The report's `actor_spawn_single` and `actor_spawn_batch_small`: as named, an actor that runs and has a mailbox.
pub(crate) fn spawn() -> ScenarioSpec {
    ScenarioSpec::new(
        "spawn",
        "Spawning actors",
        "an actor, spawned and its first message handled; as published: a struct, a context and a broker",
        time("ns/actor"),
    )
    .metrics([
        less("spawned", "counter:spawned_ns/op", "ns/actor until spawned"),
        less(
            "left",
            "counter:left_on_the_books/op",
            "actors on the books/actor stopped",
        ),
    ])
    .metrics(usage())
    .parameters([
        asked(),
        Parameter::int("actors", 1, 1, 100_000, "actors spawned in a batch"),
    ])
    .parameters(mailbox())
}

/// Spawns per repetition, so that what is set up around it weighs little.
const SPAWNS: usize = 1_000;

pub(crate) fn open_spawn<R: Runtime>(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    let batches = (SPAWNS / actors).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let system = R::start().await;
        let mut all = Vec::with_capacity(batches * actors);
        let mut countdowns = Vec::with_capacity(batches);
        let (mut spawned, mut lap, mut refused) = (Duration::ZERO, Lap::default(), 0);
        for _ in 0..batches {
            let handled = Arc::new(Countdown::from(actors));
            countdowns.push(Arc::clone(&handled));
            let watch = Stopwatch::start();
            for _ in 0..actors {
                all.push(system.spawn(Greeter::new(&handled), size).await);
            }
            spawned += watch.begun().elapsed();
            refused += greet(&all[all.len() - actors..], 0).await;
            if refused > 0 {
                break;
            }
            handled.wait().await;
            lap += watch.stop();
        }
        record.none_refused("every actor took its first message", refused)?;
        for address in all {
            system.stop(address).await;
        }
        let mut faults = Faults::default();
        for handled in countdowns {
            faults += handled.faults();
        }
        record.sample.add_lap((batches * actors) as f64, lap);
        record.sample.count("spawned_ns", spawned.as_nanos() as f64);
        if let Some(left) = system.on_the_books() {
            record.sample.count("left_on_the_books", left as f64);
        }
        record.no_faults("every actor handled its first message, once", faults)
    })
}

/// The report's `actor_message_throughput`: as named, messages through an actor's mailbox.
pub(crate) fn message_throughput() -> ScenarioSpec {
    ScenarioSpec::new(
        "message-throughput",
        "Messages to one actor",
        "a message, told and handled; as published: a call of the handler",
        time("ns/message"),
    )
    .metrics([rate("messages/s")])
    .metrics(usage())
    .parameters([
        asked(),
        Parameter::int("messages", 100, 1, 10_000_000, "messages told before all are awaited"),
    ])
    .parameters(mailbox())
}

pub(crate) fn open_message_throughput<R: Runtime>(setting: Setting) -> Opened {
    let messages = setting.parameters.count("messages");
    let batches = (10_000 / messages).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let system = R::start().await;
        let (mut lap, mut faults, mut refused) = (Lap::default(), Faults::default(), 0);
        // An actor counts down to one number: each batch has its own actor, spawned before the clock starts.
        for _ in 0..batches {
            let handled = Arc::new(Countdown::from(messages));
            let address = system.spawn(Greeter::new(&handled), size).await;
            let watch = Stopwatch::start();
            for number in 0..messages {
                refused += usize::from(address.tell(Greeting(number as u64)).await.is_err());
            }
            if refused > 0 {
                break;
            }
            handled.wait().await;
            lap += watch.stop();
            system.stop(address).await;
            faults += handled.faults();
        }
        record.none_refused("every message was taken", refused)?;
        record.sample.add_lap((batches * messages) as f64, lap);
        record.no_faults("every message was handled once and in order", faults)
    })
}
