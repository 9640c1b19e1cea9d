//! The report's `message_broadcast_small`: as named, to subscribers in tasks of their own, slow ones and leavers among
//! them.

use std::borrow::Borrow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Parameter, ScenarioSpec, Setting, count_allocations, live_bytes};
use supervisor_contract::{Publishes, Received};
use supervisor_workload::Countdown;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::parameters::{asked, less, payload, time};
use crate::payload::{Payload, even_heap};
use crate::threads::{Opened, Threads};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "broadcast",
        "One message to many subscribers",
        "a message, published and received by all that keep up; as published: by ten, in the publisher's task",
        time("ns/message"),
    )
    .metrics([
        less("delivery", "counter:per_delivery_ns/op", "ns/delivery"),
        less("publish", "counter:publish_ns/op", "ns/message until published"),
        less("backlog", "counter:backlog_bytes/op", "bytes kept/message"),
        less("kept", "counter:kept_subscriptions/op", "subscriptions kept/message"),
        less("lagged", "counter:lagged/op", "payloads dropped/message"),
    ])
    .parameters([
        asked(),
        Parameter::int("subscribers", 10, 1, 10_000, "subscribers that keep up"),
        Parameter::int(
            "slow",
            0,
            0,
            10_000,
            "subscribers that pause after each message, and are not waited for",
        ),
        Parameter::int("slow-us", 1_000, 1, 1_000_000, "how long they pause, in microseconds"),
        Parameter::int("gone", 0, 0, 10_000, "subscribers that left before the first message"),
        Parameter::int("messages", 100, 1, 50_000, "messages in a repetition"),
        payload(),
    ])
}

/// A subscriber in a task of its own, which counts `done` down when it has received everything. It gives back how many
/// payloads it was told to have missed, or nothing if one was out of order.
fn listen<R: Publishes>(
    mut subscription: R::Subscription<Payload>,
    (messages, size): (u64, usize),
    pause: Option<Duration>,
    done: &Arc<Countdown>,
) -> JoinHandle<Option<u64>> {
    let done = Arc::clone(done);
    let mut receive = async move || {
        let (mut next, mut lagged) = (0, 0);
        while next < messages {
            match R::receive::<Payload>(&mut subscription).await {
                Received::Payload(item) if item.borrow().is(next, size) => next += 1,
                Received::Lagged(count) => {
                    lagged += count;
                    next += count;
                }
                Received::Payload(_) | Received::Closed => return None,
            }
            if let Some(pause) = pause {
                sleep(pause).await;
            }
        }
        Some(lagged)
    };
    tokio::spawn(async move {
        let lagged = receive().await;
        done.count();
        lagged
    })
}

pub(super) fn open<R: Publishes>(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let parameters = &setting.parameters;
    let [subscribers, slow, gone] = ["subscribers", "slow", "gone"].map(|name| parameters.count(name));
    let pause = Duration::from_micros(parameters.int("slow-us").unsigned_abs());
    let messages = parameters.int("messages").unsigned_abs();
    let size = parameters.count("payload-bytes");
    even_heap();
    // Without slow ones there is no backlog to tell, and counting costs each allocation.
    if slow > 0 {
        count_allocations();
    }
    threads.repeat(setting, move |mut record| async move {
        let topic = R::topic::<Payload>();
        for _ in 0..gone {
            drop(R::subscribe::<Payload>(&topic).await);
        }
        let done = Arc::new(Countdown::from(subscribers));
        let nobody_waits = Arc::new(Countdown::from(slow));
        let mut tasks = Vec::with_capacity(subscribers + slow);
        for _ in 0..subscribers {
            tasks.push(listen::<R>(
                R::subscribe::<Payload>(&topic).await,
                (messages, size),
                None,
                &done,
            ));
        }
        for _ in 0..slow {
            let subscription = R::subscribe::<Payload>(&topic).await;
            tasks.push(listen::<R>(subscription, (messages, size), Some(pause), &nobody_waits));
        }
        // Everybody waits before the first message comes.
        tokio::task::yield_now().await;
        let bytes = live_bytes();
        let begun = Instant::now();
        for number in 0..messages {
            R::publish(&topic, Payload::new(number, size)).await;
        }
        let publish = begun.elapsed();
        done.wait().await;
        let time = begun.elapsed();
        let backlog = live_bytes() - bytes;
        let kept = R::subscriptions::<Payload>(&topic).await;
        let (mut lagged, mut disorder) = (0, 0);
        for (place, task) in tasks.into_iter().enumerate() {
            let slow = place >= subscribers;
            if slow {
                // One that has come to its end by now is judged like the others.
                task.abort();
            }
            match task.await {
                Ok(Some(count)) => lagged += count,
                Err(_) if slow => {}
                _ => disorder += 1,
            }
        }
        record.sample.add(messages as f64, time);
        record
            .sample
            .count("per_delivery_ns", time.as_nanos() as f64 / subscribers as f64);
        record.sample.count("publish_ns", publish.as_nanos() as f64);
        record.sample.count("backlog_bytes", backlog as f64);
        record.sample.count("kept_subscriptions", kept as f64 * messages as f64);
        record.sample.count("lagged", lagged as f64);
        record.last(
            "every subscriber received every message in order, or was told of those it missed",
            disorder == 0,
            || format!("{disorder} did not"),
        )
    })
}
