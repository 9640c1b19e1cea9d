//! The report's `mailbox_operations`: as named, messages put in and taken out.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Mailbox, Mailboxes, Receiver, Sender};
use supervisor_workload::Greeting;

use crate::asked;
use crate::mailboxes::{mailbox, mailbox_of};
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    let [kind, capacity] = mailbox();
    ScenarioSpec::new(
        "mailbox",
        "A mailbox without its actor",
        "a message, put in and taken out; as published: put in",
        Metric::new("time", "time", "ns/message", Better::Lower),
    )
    .parameters([
        asked::knob(),
        Parameter::int(
            "messages",
            100,
            1,
            100_000,
            "messages put in before the first is taken out",
        ),
        kind.with_default("bounded"),
        capacity.with_default("1000"),
        workers(),
    ])
}

/// How often the messages come and go in a repetition.
const ROUNDS: u32 = 100;

/// Messages that came out in order, and the time.
async fn rounds<R: Mailboxes>(messages: u64, size: Mailbox) -> (u64, Duration) {
    let (sender, mut receiver) = R::mailbox::<Greeting>(size);
    let mut in_order = 0;
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        for number in 0..messages {
            if sender.send(Greeting(number)).await.is_err() {
                return (in_order, begun.elapsed());
            }
        }
        for number in 0..messages {
            in_order += u64::from(receiver.receive().await.is_some_and(|greeting| greeting.0 == number));
        }
    }
    (in_order, begun.elapsed())
}

pub(super) fn open<R: Mailboxes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.int("messages").unsigned_abs();
    let size = mailbox_of(&setting.parameters);
    if let Mailbox::Bounded(capacity) = size
        && capacity < setting.parameters.count("messages")
    {
        let allowed = format!("messages up to {capacity}, or a larger capacity");
        return Err(Error::usage(
            "the messages do not fit, and nobody takes them out meanwhile",
            [allowed],
        ));
    }
    let all = messages * u64::from(ROUNDS);
    Ok(Box::new(move |sample: &mut Sample| {
        let (in_order, time) = threads.run(rounds::<R>(messages, size))?;
        sample.add(all as f64, time);
        setting
            .checks
            .require("every message came out once and in order", in_order == all, || {
                format!("{in_order} of {all} did")
            })
    }))
}
