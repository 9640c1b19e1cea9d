//! Statements about brokers.

use std::borrow::Borrow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use supervisor_contract::{Publishes, Received};

use super::waiting::{Verdict, all, aside, come, require};

const MESSAGES: u64 = 1_000;

async fn receives<R: Publishes>(mut subscription: R::Subscription<u64>) -> Verdict {
    for expected in 0..MESSAGES {
        match come("a payload", R::receive::<u64>(&mut subscription)).await? {
            Received::Payload(number) if *number.borrow() == expected => {}
            Received::Payload(number) => return Err(format!("{} came, not {expected}", number.borrow())),
            Received::Lagged(count) => return Err(format!("{count} were dropped before {expected}")),
            Received::Closed => return Err(format!("the topic was gone before {expected}")),
        }
    }
    Ok(())
}

pub(super) async fn everybody_receives<R: Publishes>() -> Verdict {
    let topic = R::topic::<u64>();
    R::publish(&topic, u64::MAX).await;
    let mut tasks = Vec::new();
    for _ in 0..16 {
        tasks.push(aside(receives::<R>(R::subscribe::<u64>(&topic).await)));
    }
    for number in 0..MESSAGES {
        R::publish(&topic, number).await;
    }
    all(tasks).await
}

pub(super) async fn slow_ones_do_not_hold_up<R: Publishes>() -> Verdict {
    let topic = R::topic::<u64>();
    let never_receives = R::subscribe::<u64>(&topic).await;
    let task = aside(receives::<R>(R::subscribe::<u64>(&topic).await));
    for number in 0..MESSAGES {
        come("the end of publishing", R::publish(&topic, number)).await?;
    }
    all([task]).await?;
    drop(never_receives);
    Ok(())
}

pub(super) async fn leavers_are_pruned<R: Publishes>() -> Verdict {
    let topic = R::topic::<u64>();
    let stays = R::subscribe::<u64>(&topic).await;
    for _ in 0..100 {
        drop(R::subscribe::<u64>(&topic).await);
    }
    // Publishing may be what finds out.
    R::publish(&topic, 0).await;
    R::publish(&topic, 1).await;
    let kept = R::subscriptions::<u64>(&topic).await;
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

pub(super) async fn payloads_are_shared<R: Publishes>() -> Verdict {
    let topic = R::topic::<Heavy>();
    let mut subscriptions = Vec::new();
    for _ in 0..10 {
        subscriptions.push(R::subscribe::<Heavy>(&topic).await);
    }
    let clones = Arc::new(AtomicUsize::new(0));
    R::publish(&topic, Heavy(Arc::clone(&clones))).await;
    for subscription in &mut subscriptions {
        let received = come("the payload", R::receive::<Heavy>(subscription)).await?;
        require(matches!(received, Received::Payload(_)), || "none came".into())?;
    }
    let clones = clones.load(Ordering::Acquire);
    require(clones == 0, || format!("{clones} clones for 10 subscribers"))
}
