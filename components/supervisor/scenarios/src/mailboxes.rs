//! Mailboxes without actors: the report's `mailbox_operations` and `mailbox_memory`.

use std::time::Instant;

use perflab_bench::{Error, Parameter, ScenarioSpec, Setting, count_allocations, live_bytes};
use supervisor_contract::{Mailbox, Mailboxes};
use supervisor_workload::Greeting;

use crate::parameters::{asked, less, mailbox, mailbox_of, time};
use crate::threads::{Opened, Threads};

/// As named, messages put in and taken out.
pub(crate) fn operations() -> ScenarioSpec {
    let [kind, capacity] = mailbox();
    ScenarioSpec::new(
        "mailbox",
        "A mailbox without its actor",
        "a message, put in and taken out; as published: put in",
        time("ns/message"),
    )
    .parameters([
        asked(),
        Parameter::int(
            "messages",
            100,
            1,
            100_000,
            "messages put in before the first is taken out",
        ),
        kind.with_default("bounded"),
        capacity.with_default("1000"),
    ])
}

/// How often the messages come and go in a repetition.
const ROUNDS: u64 = 100;

pub(crate) fn open_operations<R: Mailboxes>(setting: Setting) -> Opened {
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
    let all = messages * ROUNDS;
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let (sender, mut receiver) = R::mailbox::<Greeting>(size);
        let mut in_order = 0;
        let begun = Instant::now();
        'rounds: for _ in 0..ROUNDS {
            for number in 0..messages {
                if R::put(&sender, Greeting(number)).await.is_err() {
                    break 'rounds;
                }
            }
            for number in 0..messages {
                in_order += u64::from(
                    R::take::<Greeting>(&mut receiver)
                        .await
                        .is_some_and(|greeting| greeting.0 == number),
                );
            }
        }
        record.sample.add(all as f64, begun.elapsed());
        record.last("every message came out once and in order", in_order == all, || {
            format!("{in_order} of {all} did")
        })
    })
}

/// As named, bytes of empty ones.
pub(crate) fn memory() -> ScenarioSpec {
    let [kind, capacity] = mailbox();
    ScenarioSpec::new(
        "mailbox-memory",
        "Memory per mailbox",
        "an empty mailbox",
        less("heap", "counter:heap_bytes/op", "bytes/mailbox"),
    )
    .metrics([time("ns/mailbox")])
    .parameters([
        asked(),
        Parameter::int("mailboxes", 10, 1, 1_000_000, "mailboxes alive at once"),
        kind,
        capacity.with_default("100"),
    ])
}

pub(crate) fn open_memory<R: Mailboxes>(setting: Setting) -> Opened {
    let mailboxes = setting.parameters.count("mailboxes");
    let size = mailbox_of(&setting.parameters);
    count_allocations();
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let mut all = Vec::with_capacity(mailboxes);
        let before = live_bytes();
        let begun = Instant::now();
        for _ in 0..mailboxes {
            all.push(R::mailbox::<Greeting>(size));
        }
        record.sample.add(mailboxes as f64, begun.elapsed());
        record.sample.count("heap_bytes", (live_bytes() - before) as f64);
        let mut good = 0;
        for (sender, receiver) in &mut all {
            let sent = R::put(sender, Greeting(1)).await.is_ok();
            good += usize::from(sent && R::take::<Greeting>(receiver).await.is_some());
        }
        record.last("every mailbox passes a message on", good == mailboxes, || {
            format!("{good} of {mailboxes} do")
        })
    })
}
