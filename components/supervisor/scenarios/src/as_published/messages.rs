//! `message_benchmarks.rs` and the second half of `resource_benchmarks.rs`.

use std::hint::black_box;

use perflab_bench::{Sample, Setting};
use serde::{Deserialize, Serialize};
use supervisor_contract::Mailbox;
use supervisor_published::{
    BoundedMailbox, InMemoryBroker, MailboxSender, MessageBroker, MessageEnvelope, UnboundedMailbox,
};
use supervisor_workload::Greeting;

use super::{Opened, awaited, bytes_of, iterations, outcome};
use crate::allocation;
use crate::mailboxes::mailbox_of;
use crate::threads::Threads;

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Note {
    id: u64,
    text: String,
}

impl Note {
    fn new(id: u64, text: impl Into<String>) -> Self {
        Note { id, text: text.into() }
    }
}

const MESSAGES: u64 = 100;
const SUBSCRIBERS: usize = 10;

/// A new broker each time, and the sender itself receives.
pub(super) fn send_receive(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = threads.run_here(awaited(async || {
            let broker = InMemoryBroker::new();
            let Ok(mut stream) = broker.subscribe().await else {
                return false;
            };
            let envelope = MessageEnvelope::new(Note::new(1, "test"));
            if broker.publish(envelope.clone()).await.is_err() {
                return false;
            }
            black_box(stream.recv().await).is_some_and(|received| received.payload.id == 1)
        }));
        sample.add(f64::from(super::ITERATIONS), time);
        outcome(&setting, "the message was received", right)
    }))
}

/// All are buffered before the first is received: nothing runs at the same time.
pub(super) fn broker_throughput(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = threads.run_here(awaited(async || {
            let broker = InMemoryBroker::new();
            let Ok(mut stream) = broker.subscribe().await else {
                return false;
            };
            for number in 0..MESSAGES {
                let note = Note::new(number, format!("message_{number}"));
                if broker.publish(MessageEnvelope::new(note)).await.is_err() {
                    return false;
                }
            }
            let mut count = 0;
            while count < MESSAGES && stream.recv().await.is_some() {
                count += 1;
            }
            black_box(count) == MESSAGES
        }));
        sample.add(MESSAGES as f64 * f64::from(super::ITERATIONS), time);
        outcome(&setting, "all were received", right)
    }))
}

/// One message to ten subscribers, all in the publisher's task. The report divides by ten and calls it a broadcast.
pub(super) fn broadcast(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = threads.run_here(awaited(async || {
            let broker = InMemoryBroker::new();
            let mut streams = Vec::with_capacity(SUBSCRIBERS);
            for _ in 0..SUBSCRIBERS {
                let Ok(stream) = broker.subscribe().await else {
                    return false;
                };
                streams.push(stream);
            }
            if broker
                .publish(MessageEnvelope::new(Note::new(1, "broadcast")))
                .await
                .is_err()
            {
                return false;
            }
            let mut received = 0;
            for stream in &mut streams {
                received += usize::from(
                    stream
                        .recv()
                        .await
                        .is_some_and(|envelope| envelope.payload.text == "broadcast"),
                );
            }
            black_box(streams).len() == received
        }));
        sample.add(f64::from(super::ITERATIONS), time);
        sample.count("per_delivery_ns", time.as_nanos() as f64 / SUBSCRIBERS as f64);
        outcome(&setting, "all ten received it", right)
    }))
}

/// Messages are put in; the mailbox is dropped with all of them in it.
pub(super) fn mailbox(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.int("messages").unsigned_abs();
    let capacity = setting.parameters.count("capacity");
    if messages > capacity as u64 {
        let allowed = [format!("messages up to {capacity}")];
        return Err(perflab_bench::Error::usage(
            "the messages do not fit, and nobody takes them out",
            allowed,
        ));
    }
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = threads.run_here(awaited(async || {
            let (mailbox, sender) = BoundedMailbox::with_capacity(capacity);
            for number in 0..messages {
                let note = Note::new(number, format!("msg_{number}"));
                if sender.send(MessageEnvelope::new(note)).await.is_err() {
                    return false;
                }
            }
            black_box((mailbox, sender));
            true
        }));
        sample.add(messages as f64 * f64::from(super::ITERATIONS), time);
        outcome(&setting, "all were put in", right)
    }))
}

/// The row's figure is the time of this; its bytes are what this keeps alive.
#[allow(clippy::unnecessary_wraps, reason = "the type of a table")]
pub(super) fn mailbox_memory(setting: Setting) -> Opened {
    let mailboxes = setting.parameters.count("mailboxes");
    let size = mailbox_of(&setting.parameters);
    allocation::count();
    let bounded = move |capacity| (0..mailboxes).map(move |_| BoundedMailbox::<Greeting>::with_capacity(capacity));
    let unbounded = move || (0..mailboxes).map(|_| UnboundedMailbox::<Greeting>::create());
    let mut timed = iterations(mailboxes, move || match size {
        Mailbox::Bounded(capacity) => drop(black_box(bounded(capacity).collect::<Vec<_>>())),
        Mailbox::Unbounded => drop(black_box(unbounded().collect::<Vec<_>>())),
    });
    Ok(Box::new(move |sample: &mut Sample| {
        timed(sample);
        let bytes = match size {
            Mailbox::Bounded(capacity) => bytes_of(|| bounded(capacity).collect::<Vec<_>>()),
            Mailbox::Unbounded => bytes_of(|| unbounded().collect::<Vec<_>>()),
        };
        sample.count("heap_bytes", bytes as f64 * f64::from(super::ITERATIONS));
        outcome(&setting, "what is kept alive takes room", bytes > 0)
    }))
}
