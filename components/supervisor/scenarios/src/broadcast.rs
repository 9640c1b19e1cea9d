//! The report's `message_broadcast_small`: as named, to subscribers in tasks of their own, slow ones and leavers among
//! them.

use std::borrow::Borrow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Publishes, Received, Subscription, Topic};
use supervisor_workload::Countdown;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use crate::allocation::{self, live_bytes};
use crate::asked;
use crate::payload::{self, Payload};
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "broadcast",
        "One message to many subscribers",
        "a message, published and received by all that keep up; as published: by ten, in the publisher's task",
        Metric::new("time", "time", "ns/message", Better::Lower),
    )
    .metrics([
        Metric::new("delivery", "counter:per_delivery_ns/op", "ns/delivery", Better::Lower),
        Metric::new(
            "publish",
            "counter:publish_ns/op",
            "ns/message until published",
            Better::Lower,
        ),
        Metric::new(
            "backlog",
            "counter:backlog_bytes/op",
            "bytes kept/message",
            Better::Lower,
        ),
        Metric::new(
            "kept",
            "counter:kept_subscriptions/op",
            "subscriptions kept/message",
            Better::Lower,
        ),
        Metric::new("lagged", "counter:lagged/op", "payloads dropped/message", Better::Lower),
    ])
    .parameters([
        asked::knob(),
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
        payload::size(),
        workers(),
    ])
}

#[derive(Clone, Copy)]
struct Sizes {
    subscribers: usize,
    slow: usize,
    pause: Duration,
    gone: usize,
    messages: u64,
    payload: usize,
}

struct Outcome {
    time: Duration,
    publish: Duration,
    backlog: i64,
    kept: usize,
    lagged: u64,
    /// Messages of all subscribers that were not the next.
    disorder: usize,
}

/// Receives to the end, and gives back how many payloads were dropped, or nothing if one was out of order.
async fn receive<P: Subscription<Payload>>(mut subscription: P, sizes: Sizes, pause: Option<Duration>) -> Option<u64> {
    let (mut next, mut lagged) = (0, 0);
    while next < sizes.messages {
        match subscription.receive().await {
            Received::Payload(item) if item.borrow().is(next, sizes.payload) => next += 1,
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
}

fn listen<T: Topic<Payload>>(
    subscription: T::Subscription,
    sizes: Sizes,
    pause: Option<Duration>,
    done: &Arc<Countdown>,
) -> JoinHandle<Option<u64>> {
    let done = Arc::clone(done);
    tokio::spawn(async move {
        let lagged = receive(subscription, sizes, pause).await;
        done.count();
        lagged
    })
}

async fn repetition<R: Publishes>(sizes: Sizes) -> Outcome {
    let topic = R::topic::<Payload>();
    for _ in 0..sizes.gone {
        drop(topic.subscribe().await);
    }
    let done = Arc::new(Countdown::from(sizes.subscribers));
    let nobody_waits = Arc::new(Countdown::from(sizes.slow));
    let mut tasks = Vec::with_capacity(sizes.subscribers);
    let mut slow = Vec::with_capacity(sizes.slow);
    for _ in 0..sizes.subscribers {
        tasks.push(listen::<R::Topic<Payload>>(topic.subscribe().await, sizes, None, &done));
    }
    for _ in 0..sizes.slow {
        slow.push(listen::<R::Topic<Payload>>(
            topic.subscribe().await,
            sizes,
            Some(sizes.pause),
            &nobody_waits,
        ));
    }
    // Everybody waits before the first message comes.
    tokio::task::yield_now().await;
    let bytes = live_bytes();
    let begun = Instant::now();
    for number in 0..sizes.messages {
        topic.publish(Payload::new(number, sizes.payload)).await;
    }
    let publish = begun.elapsed();
    done.wait().await;
    let time = begun.elapsed();
    let mut outcome = Outcome {
        time,
        publish,
        backlog: live_bytes() - bytes,
        kept: topic.subscriptions().await,
        lagged: 0,
        disorder: 0,
    };
    for task in tasks {
        match task.await {
            Ok(Some(lagged)) => outcome.lagged += lagged,
            _ => outcome.disorder += 1,
        }
    }
    for task in slow {
        // One that has come to its end by now is judged like the others.
        task.abort();
        match task.await {
            Ok(Some(lagged)) => outcome.lagged += lagged,
            Ok(None) => outcome.disorder += 1,
            Err(_) => {}
        }
    }
    outcome
}

pub(super) fn open<R: Publishes>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let parameters = &setting.parameters;
    let sizes = Sizes {
        subscribers: parameters.count("subscribers"),
        slow: parameters.count("slow"),
        pause: Duration::from_micros(parameters.int("slow-us").unsigned_abs()),
        gone: parameters.count("gone"),
        messages: parameters.int("messages").unsigned_abs(),
        payload: parameters.count("payload-bytes"),
    };
    // Without slow ones there is no backlog to tell, and counting costs each allocation.
    if sizes.slow > 0 {
        allocation::count();
    }
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(repetition::<R>(sizes))?;
        sample.add(sizes.messages as f64, outcome.time);
        sample.count(
            "per_delivery_ns",
            outcome.time.as_nanos() as f64 / sizes.subscribers as f64,
        );
        sample.count("publish_ns", outcome.publish.as_nanos() as f64);
        sample.count("backlog_bytes", outcome.backlog as f64);
        sample.count("kept_subscriptions", outcome.kept as f64 * sizes.messages as f64);
        sample.count("lagged", outcome.lagged as f64);
        setting.checks.require(
            "every subscriber received every message in order, or was told of those it missed",
            outcome.disorder == 0,
            || format!("{} did not", outcome.disorder),
        )
    }))
}
