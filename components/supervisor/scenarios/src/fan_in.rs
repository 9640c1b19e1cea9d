//! Many senders, one actor.

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Closed, Flow, Runtime, System};
use tokio::sync::oneshot;

use crate::mailboxes::{actors_mailbox_of, mailbox};
use crate::metrics;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "fan-in",
        "Many senders, one actor",
        "a message, sent and handled",
        Metric::new("rate", "rate", "messages/s", Better::Higher),
    )
    .metrics([Metric::new("time", "time", "ns/message", Better::Lower)])
    .metrics(metrics::usage())
    .parameters([
        Parameter::int("senders", 4, 1, 10_000, "tasks that send"),
        Parameter::int("messages", 100_000, 1, 100_000_000, "messages of all senders together"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Numbered {
    sender: u32,
    number: u64,
}

/// Checks each sender's order, and tells when all have come.
struct Sink {
    next: Vec<u64>,
    disorder: u64,
    left: u64,
    done: Option<oneshot::Sender<u64>>,
}

impl<S: System<Message = Numbered>> Behaviour<S> for Sink {
    async fn handle(&mut self, message: Numbered) -> Flow {
        let next = &mut self.next[message.sender as usize];
        self.disorder += u64::from(message.number != *next);
        *next = message.number + 1;
        self.left -= 1;
        if self.left == 0
            && let Some(done) = self.done.take()
        {
            let _ = done.send(self.disorder);
        }
        Flow::Continue
    }
}

async fn send<A: Address<Numbered>>(sink: A, sender: u32, messages: u64) -> Result<(), Closed> {
    for number in 0..messages {
        sink.tell(Numbered { sender, number }).await?;
    }
    Ok(())
}

/// What came of it: messages out of order, messages refused, and the time.
struct Outcome {
    disorder: Option<u64>,
    refused: usize,
    lap: Lap,
}

async fn burst<R: Runtime>(senders: u32, each: u64, size: supervisor_contract::Mailbox) -> Outcome {
    let system = R::start::<Numbered>().await;
    let (done, all_done) = oneshot::channel();
    let sink = Sink {
        next: vec![0; senders as usize],
        disorder: 0,
        left: u64::from(senders) * each,
        done: Some(done),
    };
    let address = system.spawn(sink, size).await;
    let watch = Stopwatch::start();
    let tasks: Vec<_> = (0..senders)
        .map(|sender| tokio::spawn(send(address.clone(), sender, each)))
        .collect();
    let disorder = all_done.await.ok();
    let lap = watch.stop();
    let mut refused = 0;
    for task in tasks {
        refused += usize::from(!matches!(task.await, Ok(Ok(()))));
    }
    system.stop(address).await;
    Outcome { disorder, refused, lap }
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let senders = u32::try_from(setting.parameters.count("senders"))?;
    let each = (setting.parameters.int("messages").unsigned_abs() / u64::from(senders)).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(burst::<R>(senders, each, size))?;
        sample.add_lap(f64::from(senders) * each as f64, outcome.lap);
        setting
            .checks
            .require("every message came once", outcome.disorder.is_some(), || {
                "the actor ended before all had come".into()
            })?;
        setting.checks.require(
            "each sender's messages came in order",
            outcome.disorder == Some(0),
            || format!("{:?} were not the next of their sender", outcome.disorder),
        )?;
        setting.checks.require("none was refused", outcome.refused == 0, || {
            format!("{} senders were refused", outcome.refused)
        })
    }))
}
