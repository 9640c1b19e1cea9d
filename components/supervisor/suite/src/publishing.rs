//! Statements about brokers.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use supervisor_contract::{Publishes, Received, Subscription, Topic};

use super::gathered::{Body, Table};
use super::statements as the;
use super::waiting::{aside, come, on_threads, require};

pub(super) fn statements<R: Publishes>() -> Table {
    vec![
        (
            the::EVERYBODY_RECEIVES,
            (|| on_threads(everybody_receives::<R>())) as Body,
        ),
        (the::SLOW_ONES_DO_NOT_HOLD_UP, || {
            on_threads(slow_ones_do_not_hold_up::<R>())
        }),
        (the::LEAVERS_ARE_PRUNED, || on_threads(leavers_are_pruned::<R>())),
        (the::PAYLOADS_ARE_SHARED, || on_threads(payloads_are_shared::<R>())),
    ]
}

const MESSAGES: u64 = 1_000;

async fn receives<S: Subscription<u64>>(mut subscription: S) -> Result<(), String> {
    for expected in 0..MESSAGES {
        match come("a payload", subscription.receive()).await? {
            Received::Payload(number) if *number.borrow() == expected => {}
            Received::Payload(number) => return Err(format!("{} came, not {expected}", number.borrow())),
            Received::Lagged(count) => return Err(format!("{count} were dropped before {expected}")),
            Received::Closed => return Err(format!("the topic was gone before {expected}")),
        }
    }
    Ok(())
}

async fn everybody_receives<R: Publishes>() -> Result<(), String> {
    let topic = R::topic::<u64>();
    topic.publish(u64::MAX).await;
    let mut tasks = Vec::new();
    for _ in 0..16 {
        tasks.push(aside(receives(topic.subscribe().await)));
    }
    for number in 0..MESSAGES {
        topic.publish(number).await;
    }
    for task in tasks {
        task.await.map_err(|failure| failure.to_string())??;
    }
    Ok(())
}

async fn slow_ones_do_not_hold_up<R: Publishes>() -> Result<(), String> {
    let topic = R::topic::<u64>();
    let never_receives = topic.subscribe().await;
    let task = aside(receives(topic.subscribe().await));
    for number in 0..MESSAGES {
        come("the end of publishing", topic.publish(number)).await?;
    }
    task.await.map_err(|failure| failure.to_string())??;
    drop(never_receives);
    Ok(())
}

async fn leavers_are_pruned<R: Publishes>() -> Result<(), String> {
    let topic = R::topic::<u64>();
    let stays = topic.subscribe().await;
    for _ in 0..100 {
        drop(topic.subscribe().await);
    }
    // Publishing may be what finds out.
    topic.publish(0).await;
    topic.publish(1).await;
    let kept = topic.subscriptions().await;
    drop(stays);
    require(kept == 1, || format!("{kept} are kept, of which 1 is there"))
}

/// Counts its clones.
#[derive(Debug)]
struct Heavy(Arc<AtomicUsize>);

impl Clone for Heavy {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::AcqRel);
        Heavy(Arc::clone(&self.0))
    }
}

impl Serialize for Heavy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for Heavy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Heavy(Arc::default()))
    }
}

async fn payloads_are_shared<R: Publishes>() -> Result<(), String> {
    let topic = R::topic::<Heavy>();
    let mut subscriptions = Vec::new();
    for _ in 0..10 {
        subscriptions.push(topic.subscribe().await);
    }
    let clones = Arc::new(AtomicUsize::new(0));
    topic.publish(Heavy(Arc::clone(&clones))).await;
    for subscription in &mut subscriptions {
        let received = come("the payload", subscription.receive()).await?;
        require(matches!(received, Received::Payload(_)), || "none came".into())?;
    }
    let clones = clones.load(Ordering::Acquire);
    require(clones == 0, || format!("{clones} clones for 10 subscribers"))
}
