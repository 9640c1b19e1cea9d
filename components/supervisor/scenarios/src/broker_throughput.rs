//! The report's `message_throughput`: as named, a publisher and a subscriber that run at the same time.

use std::borrow::Borrow;

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Publishes, Received, Subscription, Topic};

use crate::payload::{self, Payload};
use crate::threads::{Threads, workers};
use crate::{asked, metrics};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "broker-throughput",
        "Messages through the broker",
        "a message, published and received; as published: 100 buffered, then drained by the same task",
        Metric::new("time", "time", "ns/message", Better::Lower),
    )
    .metrics([Metric::new("rate", "rate", "messages/s", Better::Higher)])
    .metrics(metrics::usage())
    .parameters([
        asked::knob(),
        Parameter::int("messages", 10_000, 1, 50_000, "messages in a repetition, as named"),
        payload::size(),
        workers(),
    ])
}

/// How many came in order, and the time until the last one.
async fn stream<R: Publishes>(messages: u64, size: usize) -> (u64, Lap) {
    let topic = R::topic::<Payload>();
    let mut subscription = topic.subscribe().await;
    let watch = Stopwatch::start();
    let subscriber = tokio::spawn(async move {
        for number in 0..messages {
            match subscription.receive().await {
                Received::Payload(item) if item.borrow().is(number, size) => {}
                _ => return number,
            }
        }
        messages
    });
    for number in 0..messages {
        topic.publish(Payload::new(number, size)).await;
    }
    let received = subscriber.await;
    (received.unwrap_or(0), watch.stop())
}

pub(super) fn open<R: Publishes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.int("messages").unsigned_abs();
    let size = setting.parameters.count("payload-bytes");
    Ok(Box::new(move |sample: &mut Sample| {
        let (received, lap) = threads.run(stream::<R>(messages, size))?;
        sample.add_lap(messages as f64, lap);
        setting.checks.require(
            "every message was received once and in order",
            received == messages,
            || format!("message {received} was not the next"),
        )
    }))
}
