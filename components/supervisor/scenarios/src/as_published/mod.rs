//! What the report's benchmarks do, to the letter: on the caller's thread, and without anything that the row's name
//! would make one expect. Each says what is missing.

mod actors;
mod messages;
mod supervisors;

use std::time::{Duration, Instant};

use perflab_bench::{Error, Experiment, Sample, Setting};

use crate::allocation::live_bytes;
use crate::gathered::Table;

pub(crate) fn table() -> Table {
    vec![
        ("spawn", actors::spawn),
        ("message-throughput", actors::message_throughput),
        ("memory", actors::memory),
        ("send-receive", messages::send_receive),
        ("broker-throughput", messages::broker_throughput),
        ("broadcast", messages::broadcast),
        ("mailbox", messages::mailbox),
        ("mailbox-memory", messages::mailbox_memory),
        ("supervise", supervisors::supervise),
    ]
}

/// Iterations between two readings of the clock, as criterion batches them.
const ITERATIONS: u32 = 1_000;

/// Times iterations that do not wait, each of so many operations.
fn iterations(operations: usize, mut iteration: impl FnMut()) -> impl FnMut(&mut Sample) {
    move |sample| {
        sample.time(operations as f64 * f64::from(ITERATIONS), || {
            for _ in 0..ITERATIONS {
                iteration();
            }
        });
    }
}

/// Times iterations on the caller's own thread, in the runtime. Each says whether its outcome was right.
async fn awaited<F: AsyncFnMut() -> bool>(mut iteration: F) -> (bool, Duration) {
    let mut right = true;
    let begun = Instant::now();
    for _ in 0..ITERATIONS {
        right &= iteration().await;
    }
    (right, begun.elapsed())
}

/// Bytes that something keeps alive.
fn bytes_of<T>(make: impl FnOnce() -> T) -> i64 {
    let before = live_bytes();
    let kept = make();
    let bytes = live_bytes() - before;
    drop(kept);
    bytes
}

type Opened = Result<Box<dyn Experiment>, Error>;

/// What a repetition validates.
fn outcome(setting: &Setting, statement: &'static str, right: bool) -> Result<(), Error> {
    setting.checks.require(statement, right, || "it was not so".into())
}
