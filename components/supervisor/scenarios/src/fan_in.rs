//! Many senders, one actor.

use perflab_bench::{Parameter, ScenarioSpec, Setting, Stopwatch};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Closed, Flow, Runtime, System};
use tokio::sync::oneshot;

use crate::parameters::{actors_mailbox_of, mailbox, rate, time, usage};
use crate::threads::{Opened, Threads};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "fan-in",
        "Many senders, one actor",
        "a message, sent and handled",
        rate("messages/s"),
    )
    .metrics([time("ns/message")])
    .metrics(usage())
    .parameters([
        Parameter::int("senders", 4, 1, 10_000, "tasks that send"),
        Parameter::int("messages", 100_000, 1, 100_000_000, "messages of all senders together"),
    ])
    .parameters(mailbox())
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

pub(super) fn open<R: Runtime>(setting: Setting) -> Opened {
    let senders = u32::try_from(setting.parameters.count("senders"))?;
    let each = (setting.parameters.int("messages").unsigned_abs() / u64::from(senders)).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
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
        record.sample.add_lap(f64::from(senders) * each as f64, watch.stop());
        let mut refused = 0;
        for task in tasks {
            refused += usize::from(!matches!(task.await, Ok(Ok(()))));
        }
        system.stop(address).await;
        record.require("every message came once", disorder.is_some(), || {
            "the actor ended before all had come".into()
        })?;
        record.require("each sender's messages came in order", disorder == Some(0), || {
            format!("{disorder:?} were not the next of their sender")
        })?;
        record.none_refused("none was refused", refused)?;
        Ok(record)
    })
}
