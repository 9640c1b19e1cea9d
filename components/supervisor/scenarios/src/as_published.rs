//! What the report's benchmarks do, to the letter: on the caller's thread, and without anything that the row's name
//! would make one expect. Each says what is missing.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use perflab_bench::{Error, Sample, Setting, count_allocations, live_bytes};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Mailbox, Strategy};
use supervisor_published::{
    Actor, ActorAddress, ActorContext, BoundedMailbox, Child, InMemoryBroker, MailboxSender, MessageBroker,
    MessageEnvelope, MessageStream, NoopMonitor, OneForAll, OneForOne, RestForOne, SupervisionStrategy, SupervisorNode,
    UnboundedMailbox,
};
use supervisor_workload::Greeting;

use crate::parameters::{mailbox_of, strategy_of};
use crate::threads::{Opened, Threads};

/// Iterations between two readings of the clock, as criterion batches them.
const ITERATIONS: u32 = 1_000;

/// A row whose iterations wait for something, on the caller's own thread, in the runtime. Each iteration holds so many
/// operations, and says whether its outcome was right.
fn awaited<F>(setting: Setting, operations: u64, statement: &'static str, mut iteration: F) -> Opened
where
    F: AsyncFnMut() -> bool + 'static,
{
    let threads = Threads::new(&setting)?;
    Ok(Box::new(move |sample: &mut Sample| {
        threads.metered(sample, |sample| {
            let (right, time) = threads.run_here(async {
                let mut right = true;
                let begun = Instant::now();
                for _ in 0..ITERATIONS {
                    right &= iteration().await;
                }
                (right, begun.elapsed())
            });
            sample.add(operations as f64 * f64::from(ITERATIONS), time);
            setting.checks.require(statement, right, || "it was not so".into())
        })
    }))
}

/// A row that makes and drops so many things in an iteration, none of which waits. What is looked at afterwards is a
/// statement, and whether it holds.
#[allow(clippy::unnecessary_wraps, reason = "the type of a table")]
fn made(
    setting: Setting,
    things: usize,
    iteration: impl Fn() + 'static,
    look: impl Fn(&mut Sample) -> (&'static str, bool) + 'static,
) -> Opened {
    Ok(Box::new(move |sample: &mut Sample| {
        sample.time(things as f64 * f64::from(ITERATIONS), || {
            for _ in 0..ITERATIONS {
                iteration();
            }
        });
        let (statement, right) = look(sample);
        setting.checks.require(statement, right, || "it was not so".into())
    }))
}

/// Counts the bytes that something keeps alive. The row's figure is the time of making it.
fn weigh<T>(sample: &mut Sample, make: impl Fn() -> T) -> (&'static str, bool) {
    let before = live_bytes();
    let kept = make();
    let bytes = live_bytes() - before;
    drop(kept);
    // Per operation, as the samples' operations are counted.
    sample.count("heap_bytes", bytes as f64 * f64::from(ITERATIONS));
    ("what is kept alive takes room", bytes > 0)
}

struct Counter {
    count: u64,
}

#[async_trait]
impl Actor for Counter {
    type Message = Greeting;
    type Error = Infallible;

    async fn handle_message(
        &mut self,
        message: Greeting,
        _context: &mut ActorContext<Greeting>,
    ) -> Result<(), Infallible> {
        self.count += message.0;
        Ok(())
    }
}

/// No task and no mailbox: nothing that could take a message. And a broker for each actor.
fn actor(address: ActorAddress) -> (Counter, ActorContext<Greeting>) {
    (Counter { count: 0 }, ActorContext::new(address, InMemoryBroker::new()))
}

pub(crate) fn spawn(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    let iteration = move || {
        if actors == 1 {
            black_box(actor(ActorAddress::anonymous()));
        } else {
            let mut batch = Vec::with_capacity(actors);
            batch.extend((0..actors).map(|_| actor(ActorAddress::anonymous())));
            black_box(batch);
        }
    };
    made(setting, actors, iteration, |_| {
        let (actor, context) = actor(ActorAddress::anonymous());
        let untouched = actor.count == 0 && context.messages().0 == 0;
        ("what was made has handled nothing", untouched)
    })
}

pub(crate) fn memory(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    count_allocations();
    let batch = move || {
        let mut batch = Vec::with_capacity(actors);
        batch.extend((0..actors).map(|number| actor(ActorAddress::named(format!("actor-{number}")))));
        batch
    };
    let iteration = move || drop(black_box(batch()));
    made(setting, actors, iteration, move |sample| weigh(sample, batch))
}

/// The handler is called in a loop: no message is sent to anybody.
pub(crate) fn message_throughput(setting: Setting) -> Opened {
    let messages = setting.parameters.int("messages").unsigned_abs();
    awaited(
        setting,
        messages,
        "every call of the handler counted",
        async move || {
            let (mut actor, mut context) = actor(ActorAddress::anonymous());
            for number in 0..messages {
                let _ = actor.handle_message(Greeting(number), &mut context).await;
            }
            black_box(actor).count == messages * (messages - 1) / 2
        },
    )
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Note {
    id: u64,
    text: String,
}

fn note(id: u64, text: impl Into<String>) -> MessageEnvelope<Note> {
    MessageEnvelope::new(Note { id, text: text.into() })
}

/// A broker of its own for each iteration. Nothing here is refused, since nobody asks a question.
async fn subscribed() -> (InMemoryBroker<Note>, MessageStream<Note>) {
    let broker = InMemoryBroker::new();
    let stream = broker.subscribe().await.expect("a broker takes subscriptions");
    (broker, stream)
}

/// The sender itself receives.
pub(crate) fn send_receive(setting: Setting) -> Opened {
    awaited(setting, 1, "the message was received", async || {
        let (broker, mut stream) = subscribed().await;
        let envelope = note(1, "test");
        broker.publish(envelope.clone()).await.is_ok()
            && black_box(stream.recv().await).is_some_and(|received| received.payload.id == 1)
    })
}

/// All are buffered before the first is received: nothing runs at the same time.
pub(crate) fn broker_throughput(setting: Setting) -> Opened {
    const MESSAGES: u64 = 100;
    awaited(setting, MESSAGES, "all were received", async || {
        let (broker, mut stream) = subscribed().await;
        for number in 0..MESSAGES {
            if broker.publish(note(number, format!("message_{number}"))).await.is_err() {
                return false;
            }
        }
        let mut count = 0;
        while count < MESSAGES && stream.recv().await.is_some() {
            count += 1;
        }
        black_box(count) == MESSAGES
    })
}

/// One message to ten subscribers, all in the publisher's task. The report divides by ten and calls it a broadcast.
pub(crate) fn broadcast(setting: Setting) -> Opened {
    const SUBSCRIBERS: usize = 10;
    let mut row = awaited(setting, 1, "all ten received it", async || {
        let broker = InMemoryBroker::new();
        let mut streams = Vec::with_capacity(SUBSCRIBERS);
        for _ in 0..SUBSCRIBERS {
            streams.push(broker.subscribe().await.expect("a broker takes subscriptions"));
        }
        if broker.publish(note(1, "broadcast")).await.is_err() {
            return false;
        }
        let mut received = 0;
        for stream in &mut streams {
            let envelope = stream.recv().await;
            received += usize::from(envelope.is_some_and(|envelope| envelope.payload.text == "broadcast"));
        }
        black_box(streams).len() == received
    })?;
    Ok(Box::new(move |sample: &mut Sample| {
        let before = sample.total();
        row.repeat(sample)?;
        let time = sample.total().saturating_sub(before);
        sample.count("per_delivery_ns", time.as_nanos() as f64 / SUBSCRIBERS as f64);
        Ok(())
    }))
}

/// Messages are put in; the mailbox is dropped with all of them in it.
pub(crate) fn mailbox(setting: Setting) -> Opened {
    let messages = setting.parameters.int("messages").unsigned_abs();
    let capacity = setting.parameters.count("capacity");
    if messages > capacity as u64 {
        let allowed = [format!("messages up to {capacity}")];
        return Err(Error::usage(
            "the messages do not fit, and nobody takes them out",
            allowed,
        ));
    }
    awaited(setting, messages, "all were put in", async move || {
        let (mailbox, sender) = BoundedMailbox::with_capacity(capacity);
        for number in 0..messages {
            if sender.send(note(number, format!("msg_{number}"))).await.is_err() {
                return false;
            }
        }
        black_box((mailbox, sender));
        true
    })
}

pub(crate) fn mailbox_memory(setting: Setting) -> Opened {
    let mailboxes = setting.parameters.count("mailboxes");
    let size = mailbox_of(&setting.parameters);
    count_allocations();
    let bounded = move |capacity| {
        let each = (0..mailboxes).map(|_| BoundedMailbox::<Greeting>::with_capacity(capacity));
        each.collect::<Vec<_>>()
    };
    let unbounded = move || {
        let each = (0..mailboxes).map(|_| UnboundedMailbox::<Greeting>::create());
        each.collect::<Vec<_>>()
    };
    let iteration = move || match size {
        Mailbox::Bounded(capacity) => drop(black_box(bounded(capacity))),
        Mailbox::Unbounded => drop(black_box(unbounded())),
    };
    made(setting, mailboxes, iteration, move |sample| match size {
        Mailbox::Bounded(capacity) => weigh(sample, || bounded(capacity)),
        Mailbox::Unbounded => weigh(sample, unbounded),
    })
}

/// A child that does nothing: no task, no actor.
struct Nothing {
    _number: u32,
}

#[async_trait]
impl Child for Nothing {
    type Error = Infallible;

    async fn start(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    async fn stop(&mut self, _limit: Duration) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Called "restart strategy" in the report, and nothing is restarted: it starts children under a supervisor of that
/// strategy.
pub(crate) fn supervise(setting: Setting) -> Opened {
    match strategy_of(&setting.parameters) {
        Strategy::OneForOne => supervise_by::<OneForOne>(setting),
        Strategy::OneForAll => supervise_by::<OneForAll>(setting),
        Strategy::RestForOne => supervise_by::<RestForOne>(setting),
    }
}

/// One child by the builder of one, several by the builder of several.
fn supervise_by<S: SupervisionStrategy>(setting: Setting) -> Opened {
    let children = setting.parameters.count("children");
    // Given to the builder as literals are.
    let names: Vec<String> = (1..=children).map(|number| format!("child-{number}")).collect();
    awaited(setting, 1, "the supervisor has its children", async move || {
        let mut supervisor = SupervisorNode::<S, Nothing>::new(NoopMonitor);
        let started = if let [name] = names.as_slice() {
            let child = supervisor.child(name.as_str()).factory(|| Nothing { _number: 1 });
            black_box(child.spawn().await).is_ok()
        } else {
            let mut batch = supervisor.children();
            for name in &names {
                batch = batch.child(name.as_str(), || Nothing { _number: 1 });
            }
            black_box(batch.spawn_all().await).is_ok()
        };
        started && black_box(supervisor).child_ids().len() == children
    })
}
