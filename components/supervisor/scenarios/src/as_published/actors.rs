//! `actor_benchmarks.rs` and the first half of `resource_benchmarks.rs`.

use std::convert::Infallible;
use std::hint::black_box;

use async_trait::async_trait;
use perflab_bench::{Sample, Setting};
use supervisor_published::{Actor, ActorAddress, ActorContext, InMemoryBroker};
use supervisor_workload::Greeting;

use super::{Opened, awaited, bytes_of, iterations, outcome};
use crate::allocation;
use crate::threads::Threads;

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
fn made(address: ActorAddress) -> (Counter, ActorContext<Greeting>) {
    (Counter { count: 0 }, ActorContext::new(address, InMemoryBroker::new()))
}

#[allow(clippy::unnecessary_wraps, reason = "the type of a table")]
pub(super) fn spawn(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    let mut timed = iterations(actors, move || {
        if actors == 1 {
            black_box(made(ActorAddress::anonymous()));
        } else {
            let mut batch = Vec::with_capacity(actors);
            batch.extend((0..actors).map(|_| made(ActorAddress::anonymous())));
            black_box(batch);
        }
    });
    Ok(Box::new(move |sample: &mut Sample| {
        timed(sample);
        let (actor, context) = made(ActorAddress::anonymous());
        outcome(
            &setting,
            "what was made has handled nothing",
            actor.count == 0 && context.messages().0 == 0,
        )
    }))
}

/// The handler is called in a loop: no message is sent to anybody.
pub(super) fn message_throughput(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.int("messages").unsigned_abs();
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = threads.run_here(awaited(async || {
            let (mut actor, mut context) = made(ActorAddress::anonymous());
            for number in 0..messages {
                let _ = actor.handle_message(Greeting(number), &mut context).await;
            }
            black_box(actor).count == messages * (messages - 1) / 2
        }));
        sample.add(messages as f64 * f64::from(super::ITERATIONS), time);
        outcome(&setting, "every call of the handler counted", right)
    }))
}

/// The row's figure is the time of this; its bytes are what this keeps alive.
#[allow(clippy::unnecessary_wraps, reason = "the type of a table")]
pub(super) fn memory(setting: Setting) -> Opened {
    let actors = setting.parameters.count("actors");
    allocation::count();
    let batch = move || {
        let mut batch = Vec::with_capacity(actors);
        batch.extend((0..actors).map(|number| made(ActorAddress::named(format!("actor-{number}")))));
        batch
    };
    let mut timed = iterations(actors, move || drop(black_box(batch())));
    Ok(Box::new(move |sample: &mut Sample| {
        timed(sample);
        let bytes = bytes_of(batch);
        // Per operation, as the samples' operations are counted.
        sample.count("heap_bytes", bytes as f64 * f64::from(super::ITERATIONS));
        outcome(&setting, "what is kept alive takes room", bytes > 0)
    }))
}
