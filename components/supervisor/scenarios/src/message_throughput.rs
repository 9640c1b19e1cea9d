//! The report's `actor_message_throughput`: as named, messages through an actor's mailbox.

use std::sync::Arc;

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::mailboxes::{actors_mailbox_of, mailbox};
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
) -> Result<(Lap, Faults), supervisor_contract::Closed> {
    let system = R::start::<Greeting>().await;
    let (mut lap, mut faults) = (Lap::default(), Faults::default());
    // An actor counts down to one number: each batch has its own actor, spawned before the clock starts.
    for _ in 0..count {
        let handled = Arc::new(Countdown::from(messages));
        let address = system.spawn(Greeter::new(&handled), size).await;
        let watch = Stopwatch::start();
        for number in 0..messages {
            address.tell(Greeting(number as u64)).await?;
        }
        handled.wait().await;
        lap += watch.stop();
        system.stop(address).await;
        faults += handled.faults();
    }
    Ok((lap, faults))
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.count("messages");
    let count = (10_000 / messages).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(batches::<R>(count, messages, size))?;
        setting.checks.require("every message was taken", outcome.is_ok(), || {
            "the actor had ended".into()
        })?;
        let (lap, faults) = outcome?;
        sample.add_lap((count * messages) as f64, lap);
        setting
            .checks
            .require("every message was handled once and in order", faults.is_none(), || {
                faults.to_string()
            })
    }))
}
