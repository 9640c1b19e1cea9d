//! The report's `message_send_receive`: as named, from publishing to receiving in another task.

use std::borrow::Borrow;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Publishes, Received, Subscription, Topic};
use tokio::sync::mpsc::unbounded_channel;

use crate::payload::{self, Payload};
use crate::threads::{Threads, workers};
use crate::{asked, metrics};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "send-receive",
        "One message through the broker",
        "a message, published and received; as published: a broker made, a subscription, a message",
        Metric::new("time", "time", "ns/message", Better::Lower),
    )
    .metrics(metrics::percentiles())
    .parameters([
        asked::knob(),
        Parameter::int(
            "messages",
            1_000,
            1,
            1_000_000,
            "messages in a repetition, one at a time",
        ),
        payload::size(),
        workers(),
    ])
}

/// Publishes one at a time to a subscriber in a task of its own.
async fn one_by_one<R: Publishes>(messages: u64, size: usize) -> Vec<Duration> {
    let topic = R::topic::<Payload>();
    let mut subscription = topic.subscribe().await;
    let (sender, mut arrivals) = unbounded_channel();
    let subscriber = tokio::spawn(async move {
        for number in 0..messages {
            match subscription.receive().await {
                Received::Payload(item) if item.borrow().is(number, size) => {
                    if sender.send(Instant::now()).is_err() {
                        break;
                    }
                }
                // Whoever waits for the arrival sees the channel closed.
                _ => break,
            }
        }
    });
    let mut latencies = Vec::with_capacity(usize::try_from(messages).unwrap_or(0));
    for number in 0..messages {
        let payload = Payload::new(number, size);
        let begun = Instant::now();
        topic.publish(payload).await;
        match arrivals.recv().await {
            Some(arrival) => latencies.push(arrival.saturating_duration_since(begun)),
            None => break,
        }
    }
    let _ = subscriber.await;
    latencies
}

pub(super) fn open<R: Publishes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let messages = setting.parameters.count("messages");
    let size = setting.parameters.count("payload-bytes");
    Ok(Box::new(move |sample: &mut Sample| {
        let latencies = threads.run(one_by_one::<R>(messages as u64, size))?;
        setting.checks.require(
            "every message was received in its turn",
            latencies.len() == messages,
            || format!("{} of {messages} were", latencies.len()),
        )?;
        for latency in &latencies {
            sample.latency(*latency);
        }
        sample.add(messages as f64, latencies.iter().sum());
        Ok(())
    }))
}
