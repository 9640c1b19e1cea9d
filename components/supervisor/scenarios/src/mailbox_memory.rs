//! The report's `mailbox_memory`: as named, bytes of empty mailboxes.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Mailbox, Mailboxes, Receiver, Sender};
use supervisor_workload::Greeting;

use crate::allocation::{self, live_bytes};
use crate::asked;
use crate::mailboxes::{mailbox, mailbox_of};
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    let [kind, capacity] = mailbox();
    ScenarioSpec::new(
        "mailbox-memory",
        "Memory per mailbox",
        "an empty mailbox",
        Metric::new("heap", "counter:heap_bytes/op", "bytes/mailbox", Better::Lower),
    )
    .metrics([Metric::new("time", "time", "ns/mailbox", Better::Lower)])
    .parameters([
        asked::knob(),
        Parameter::int("mailboxes", 10, 1, 1_000_000, "mailboxes alive at once"),
        kind,
        capacity.with_default("100"),
        workers(),
    ])
}

/// Bytes of mailboxes, the time to make them, and how many passed a message on afterwards.
async fn made<R: Mailboxes>(mailboxes: usize, size: Mailbox) -> (i64, Duration, usize) {
    let mut all = Vec::with_capacity(mailboxes);
    let before = live_bytes();
    let begun = Instant::now();
    for _ in 0..mailboxes {
        all.push(R::mailbox::<Greeting>(size));
    }
    let time = begun.elapsed();
    let bytes = live_bytes() - before;
    let mut good = 0;
    for (sender, receiver) in &mut all {
        let sent = sender.send(Greeting(1)).await.is_ok();
        good += usize::from(sent && receiver.receive().await.is_some());
    }
    (bytes, time, good)
}

pub(super) fn open<R: Mailboxes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let mailboxes = setting.parameters.count("mailboxes");
    let size = mailbox_of(&setting.parameters);
    allocation::count();
    Ok(Box::new(move |sample: &mut Sample| {
        let (bytes, time, good) = threads.run(made::<R>(mailboxes, size))?;
        sample.add(mailboxes as f64, time);
        sample.count("heap_bytes", bytes as f64);
        setting
            .checks
            .require("every mailbox passes a message on", good == mailboxes, || {
                format!("{good} of {mailboxes} do")
            })
    }))
}
