//! The report's `actor_message_throughput`: as named, messages through an actor's mailbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting, UsageMeter};
use supervisor_contract::{Address, Runtime, System};

use crate::countdown::Countdown;
use crate::greeter::{Greeter, Greeting};
use crate::mailboxes::{mailbox, mailbox_of};
use crate::threads::{Threads, workers};
use crate::{asked, metrics};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "message-throughput",
        "Messages to one actor",
        "a message, told and handled; as published: a call of the handler",
        Metric::new("time", "time", "ns/message", Better::Lower),
    )
    .metrics([Metric::new("rate", "rate", "messages/s", Better::Higher)])
    .metrics(metrics::usage())
    .parameters([
        asked::knob(),
        Parameter::int("messages", 100, 1, 10_000_000, "messages told before all are awaited"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

async fn batches<R: Runtime>(
    count: usize,
    messages: usize,
    size: supervisor_contract::Mailbox,
) -> Result<Duration, supervisor_contract::Closed> {
    let system = R::start::<Greeting>().await;
    let mut time = Duration::ZERO;
    // An actor counts down to one number: each batch has its own actor, spawned before the clock starts.
    for _ in 0..count {
        let handled = Arc::new(Countdown::from(messages));
        let address = system
            .spawn(
                Greeter {
                    sum: 0,
                    handled: Arc::clone(&handled),
                },
                size,
            )
            .await;
        let begun = Instant::now();
        for number in 0..messages {
            address.tell(Greeting(number as u64)).await?;
        }
        handled.wait().await;
        time += begun.elapsed();
        system.stop(address).await;
    }
    Ok(time)
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.count("messages");
    let count = (10_000 / messages).max(1);
    let size = mailbox_of(&setting.parameters);
    Ok(Box::new(move |sample: &mut Sample| {
        let meter = UsageMeter::begin();
        let time = threads.run(batches::<R>(count, messages, size));
        meter.end(sample);
        setting
            .checks
            .require("every message was taken", time.is_ok(), || "the actor had ended".into())?;
        sample.add((count * messages) as f64, time?);
        Ok(())
    }))
}
