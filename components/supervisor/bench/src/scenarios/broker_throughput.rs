//! The report's `message_throughput`: as named, a publisher and a subscriber that run at the same time.

use std::borrow::Borrow;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting, UsageMeter};
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
async fn stream<R: Publishes>(messages: u64, size: usize) -> (u64, Duration) {
    let topic = R::topic::<Payload>();
    let mut subscription = topic.subscribe().await;
    let begun = Instant::now();
    let subscriber = tokio::spawn(async move {
        for number in 0..messages {
            match subscription.receive().await {
                Received::Payload(item) if item.borrow().is(number, size) => {}
                _ => return (number, Instant::now()),
            }
        }
        (messages, Instant::now())
    });
    for number in 0..messages {
        topic.publish(Payload::new(number, size)).await;
    }
    match subscriber.await {
        Ok((received, last)) => (received, last.saturating_duration_since(begun)),
        Err(_) => (0, begun.elapsed()),
    }
}

pub(super) fn open<R: Publishes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.int("messages").unsigned_abs();
    let size = setting.parameters.count("payload-bytes");
    Ok(Box::new(move |sample: &mut Sample| {
        let meter = UsageMeter::begin();
        let (received, time) = threads.run(stream::<R>(messages, size));
        meter.end(sample);
        sample.add(messages as f64, time);
        setting.checks.require(
            "every message was received once and in order",
            received == messages,
            || format!("message {received} was not the next"),
        )
    }))
}
