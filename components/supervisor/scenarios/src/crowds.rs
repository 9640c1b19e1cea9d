//! Many actors alive: what they weigh, and what a message to each costs.

use std::future::Future;
use std::sync::Arc;
use std::time::Instant;

use perflab_bench::{Error, Parameter, ScenarioSpec, Setting, count_allocations, live_bytes, resident_bytes};
use supervisor_contract::{Behaviour, Flow, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Greeter, Greeting};

use crate::crowd::Crowd;
use crate::parameters::{actors_mailbox_of, asked, less, mailbox, time};
use crate::record::Record;
use crate::threads::{Opened, Threads};

/// The report's `memory_per_actor`: as named, bytes.
pub(crate) fn memory() -> ScenarioSpec {
    ScenarioSpec::new(
        "memory",
        "Memory per actor",
        "an actor alive, its first message handled; as published: a struct, a context and a broker",
        less("heap", "counter:heap_bytes/op", "bytes/actor"),
    )
    .metrics([time("ns/actor")])
    .parameters([
        asked(),
        Parameter::int("actors", 50, 1, 1_000_000, "actors alive at once"),
    ])
    .parameters(mailbox())
}

pub(crate) fn open_memory<R: Runtime>(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    count_allocations();
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let mut crowd = Crowd::<R>::new(actors, actors).await;
        let before = live_bytes();
        let begun = Instant::now();
        crowd.spawn(actors, size).await;
        let refused = crowd.greet_and_wait(0).await;
        record.sample.add(actors as f64, begun.elapsed());
        record.sample.count("heap_bytes", (live_bytes() - before) as f64);
        record.none_refused("every actor took its first message", refused)?;
        record.no_faults("every actor handled its first message, once", crowd.stop().await)
    })
}

pub(crate) fn scale() -> ScenarioSpec {
    ScenarioSpec::new(
        "scale",
        "Many actors",
        "an actor",
        less("heap", "counter:heap_bytes/op", "bytes/actor"),
    )
    .metrics([
        less("spawn", "counter:spawned_ns/op", "ns/actor until all are spawned"),
        less("alive", "time", "ns/actor until all have handled a message"),
        less("resident", "counter:resident_bytes/op", "bytes/actor of the process"),
        less("message", "counter:per_message_ns/op", "ns/message across all"),
        less("stop", "counter:stopped_ns/op", "ns/actor until all are stopped"),
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
    ])
}

/// A greeter that also tells when it has handled its first message.
struct First {
    alive: Option<Arc<Countdown>>,
    then: Greeter,
}

impl<S: System<Message = Greeting>> Behaviour<S> for First {
    /// No future of its own around the other's: it would be part of each actor's bytes.
    fn handle(&mut self, greeting: Greeting) -> impl Future<Output = Flow> + Send {
        if let Some(alive) = self.alive.take() {
            alive.count();
        }
        Behaviour::<S>::handle(&mut self.then, greeting)
    }
}

/// Bytes of the process that came with the crowd, and the record of everything else.
async fn crowd_of<R: Runtime>(actors: usize, each: usize, mut record: Record) -> Result<(i64, Record), Error> {
    let mut crowd = Crowd::<R>::new(actors, actors * (each + 1)).await;
    let alive = Arc::new(Countdown::from(actors));
    let (heap, resident) = (live_bytes(), resident_bytes()?);
    let begun = Instant::now();
    for _ in 0..actors {
        let greeter = First {
            alive: Some(Arc::clone(&alive)),
            then: Greeter::new(&crowd.handled),
        };
        crowd
            .addresses
            .push(crowd.system.spawn(greeter, Mailbox::Unbounded).await);
    }
    let spawned = begun.elapsed();
    let mut refused = crowd.greet(0).await;
    if refused == 0 {
        alive.wait().await;
    }
    let all_alive = begun.elapsed();
    let (heap, resident) = (live_bytes() - heap, resident_bytes()? - resident);
    let begun = Instant::now();
    for number in 1..=each {
        refused += crowd.greet(number as u64).await;
    }
    if refused == 0 {
        crowd.handled.wait().await;
    }
    let messages = begun.elapsed();
    record.none_refused("every actor took its messages", refused)?;
    let begun = Instant::now();
    let faults = crowd.stop().await;
    record.sample.count("stopped_ns", begun.elapsed().as_nanos() as f64);
    record.sample.add(actors as f64, all_alive);
    record.sample.count("heap_bytes", heap as f64);
    record.sample.count("spawned_ns", spawned.as_nanos() as f64);
    record
        .sample
        .count("per_message_ns", messages.as_nanos() as f64 / each as f64);
    let record = record.no_faults("every message was handled once and in its actor's order", faults)?;
    Ok((resident, record))
}

pub(crate) fn open_scale<R: Runtime>(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let each = (setting.parameters.count("messages") / actors).max(1);
    resident_bytes().map_err(|error| Error::missing(format!("the process's memory cannot be read: {error}")))?;
    count_allocations();
    // Later crowds get memory that the allocator has kept of this one: only the first shows in what the system gave.
    let (first, _) = threads.run(crowd_of::<R>(actors, 1, Record::default()))??;
    threads.repeat(setting, move |record| async move {
        let (_, mut record) = crowd_of::<R>(actors, each, record).await?;
        record.sample.count("resident_bytes", first as f64);
        Ok(record)
    })
}
