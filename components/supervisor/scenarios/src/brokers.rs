//! The report's `message_send_receive` and `message_throughput`: as named, a publisher and a subscriber in a task of its
//! own.

use std::borrow::Borrow;
use std::time::Instant;

use perflab_bench::{Parameter, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Publishes, Received};
use tokio::sync::mpsc::unbounded_channel;

use crate::parameters::{asked, less, payload, rate, tail, time, usage};
use crate::payload::Payload;
use crate::threads::{Opened, Threads};

/// Messages after which the publisher yields: as often as tokio has a task do that which spends its budget with each message.
/// Publishing by `published` and `lab` spends it, sending to tokio's broadcast channel does not: its subscriber, whom the scheduler
/// keeps for the publisher's thread, would run only after the last message.
const TURN: u64 = 128;

pub(crate) fn send_receive() -> ScenarioSpec {
    ScenarioSpec::new(
        "send-receive",
        "One message through the broker",
        "a message, published and received; as published: a broker made, a subscription, a message",
        time("ns/message"),
    )
    .metrics([less("p50", "p50", "ns")])
    .metrics(tail())
    .parameters([
        asked(),
        Parameter::int(
            "messages",
            1_000,
            1,
            1_000_000,
            "messages in a repetition, one at a time",
        ),
        payload(),
    ])
}

pub(crate) fn open_send_receive<R: Publishes>(setting: Setting) -> Opened {
    let messages = setting.parameters.count("messages");
    let size = setting.parameters.count("payload-bytes");
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let topic = R::topic::<Payload>();
        let mut subscription = R::subscribe::<Payload>(&topic).await;
        let (sender, mut arrivals) = unbounded_channel();
        let subscriber = tokio::spawn(async move {
            for number in 0..messages as u64 {
                match R::receive::<Payload>(&mut subscription).await {
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
        let mut latencies = Vec::with_capacity(messages);
        for number in 0..messages as u64 {
            let payload = Payload::new(number, size);
            let begun = Instant::now();
            R::publish(&topic, payload).await;
            match arrivals.recv().await {
                Some(arrival) => latencies.push(arrival.saturating_duration_since(begun)),
                None => break,
            }
        }
        let _ = subscriber.await;
        let received = latencies.len();
        record.require("every message was received in its turn", received == messages, || {
            format!("{received} of {messages} were")
        })?;
        record.one_by_one(&latencies);
        Ok(record)
    })
}

pub(crate) fn broker_throughput() -> ScenarioSpec {
    ScenarioSpec::new(
        "broker-throughput",
        "Messages through the broker",
        "a message, published and received; as published: 100 buffered, then drained by the same task",
        time("ns/message"),
    )
    .metrics([rate("messages/s")])
    .metrics(usage())
    .parameters([
        asked(),
        Parameter::int("messages", 10_000, 1, 50_000, "messages in a repetition, as named"),
        payload(),
    ])
}

pub(crate) fn open_broker_throughput<R: Publishes>(setting: Setting) -> Opened {
    let messages = setting.parameters.int("messages").unsigned_abs();
    let size = setting.parameters.count("payload-bytes");
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let topic = R::topic::<Payload>();
        let mut subscription = R::subscribe::<Payload>(&topic).await;
        let watch = Stopwatch::start();
        let subscriber = tokio::spawn(async move {
            for number in 0..messages {
                match R::receive::<Payload>(&mut subscription).await {
                    Received::Payload(item) if item.borrow().is(number, size) => {}
                    _ => return number,
                }
            }
            messages
        });
        for number in 0..messages {
            R::publish(&topic, Payload::new(number, size)).await;
            if number % TURN == TURN - 1 {
                tokio::task::yield_now().await;
            }
        }
        let received = subscriber.await.unwrap_or(0);
        record.sample.add_lap(messages as f64, watch.stop());
        let all = received == messages;
        record.last("every message was received once and in order", all, || {
            format!("message {received} was not the next")
        })
    })
}
