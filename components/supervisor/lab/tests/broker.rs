//! A topic gives each subscriber everything, in order, at its own pace, and forgets those that are gone.

mod common;

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use common::settle;
use supervisor_lab::broker::{Broker, Received, Slow, Topic};
use supervisor_lab::{Actor, Failure, System};

fn kept(payloads: usize) -> NonZeroUsize {
    NonZeroUsize::new(payloads).unwrap()
}

#[tokio::test]
async fn a_payload_is_shared_and_gone_when_all_have_read_it() {
    let topic = Topic::<Vec<u8>>::new(Slow::Unlimited);
    let (mut first, mut second) = (topic.subscribe(), topic.subscribe());
    let payload = Arc::new(vec![7; 1 << 20]);
    assert_eq!(topic.publish(Arc::clone(&payload)).await, 2);
    let Received::Payload(read) = first.receive().await else {
        panic!("it was published")
    };
    assert!(Arc::ptr_eq(&read, &payload));
    assert_eq!((topic.backlog(), Arc::strong_count(&payload)), (1, 3));
    assert!(matches!(second.receive().await, Received::Payload(_)));
    drop(read);
    assert_eq!((topic.backlog(), Arc::strong_count(&payload)), (0, 1));
}

#[tokio::test]
async fn nobody_listens_and_nothing_is_kept() {
    let topic = Topic::<u32>::new(Slow::Unlimited);
    assert_eq!(topic.publish(1).await, 0);
    let mut late = topic.subscribe();
    topic.publish(2).await;
    assert_eq!(
        late.receive().await,
        Received::Payload(Arc::new(2)),
        "what came before is not for it"
    );
}

#[tokio::test]
async fn who_comes_later_reads_what_comes_later() {
    let topic = Topic::<u32>::new(Slow::Unlimited);
    let early = topic.subscribe();
    assert_eq!(topic.publish(1).await, 1);
    let mut late = topic.subscribe();
    {
        let mut receive = pin!(late.receive());
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(receive.as_mut().poll(&mut context), Poll::Pending, "1 is not for it");
        assert_eq!(topic.publish(2).await, 2);
        assert_eq!(receive.poll(&mut context), Poll::Ready(Received::Payload(Arc::new(2))));
    }
    assert_eq!(topic.backlog(), 2, "nothing of it is for the late one alone");
    drop(early);
    assert_eq!(topic.backlog(), 0);
}

#[tokio::test]
async fn a_dead_subscriber_is_pruned_with_what_it_had_not_read() {
    let topic = Topic::<u32>::new(Slow::Unlimited);
    let (dead, mut living) = (topic.subscribe(), topic.subscribe());
    for payload in 0..100 {
        topic.publish(payload).await;
    }
    for payload in 0..100 {
        assert_eq!(living.receive().await, Received::Payload(Arc::new(payload)));
    }
    assert_eq!((topic.backlog(), topic.subscriptions()), (100, 2));
    drop(dead);
    assert_eq!((topic.backlog(), topic.subscriptions()), (0, 1));
}

#[tokio::test]
async fn one_that_lags_is_told_exactly_how_much_it_missed() {
    let topic = Topic::<u64>::new(Slow::Lags(kept(4)));
    let (mut slow, mut quick) = (topic.subscribe(), topic.subscribe());
    for payload in 0..10 {
        topic.publish(payload).await;
        assert_eq!(quick.receive().await, Received::Payload(Arc::new(payload)));
    }
    assert_eq!(slow.receive().await, Received::Lagged(6));
    for payload in 6..10 {
        assert_eq!(slow.receive().await, Received::Payload(Arc::new(payload)));
    }
    assert_eq!(topic.backlog(), 0);
}

#[tokio::test]
async fn a_publisher_is_held_up_by_the_slowest_and_by_nobody_who_is_gone() {
    let topic = Topic::<u64>::new(Slow::HoldsUp(kept(2)));
    let (mut quick, slow) = (topic.subscribe(), topic.subscribe());
    topic.publish(0).await;
    topic.publish(1).await;
    assert_eq!(topic.try_publish(2), Err(Arc::new(2)));
    let mut waiting = pin!(topic.publish(2));
    for payload in 0..2 {
        assert_eq!(quick.receive().await, Received::Payload(Arc::new(payload)));
    }
    let mut context = Context::from_waker(Waker::noop());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    drop(slow);
    assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(1));
    assert_eq!(quick.receive().await, Received::Payload(Arc::new(2)));
}

#[tokio::test]
async fn the_end_comes_after_what_is_left() {
    let topic = Topic::<u32>::new(Slow::Unlimited);
    let mut subscription = topic.subscribe();
    let mut asleep = topic.subscribe();
    let sleeper = tokio::spawn(async move { asleep.receive().await });
    settle().await;
    let clone = topic.clone();
    clone.publish(1).await;
    drop((topic, clone));
    assert_eq!(subscription.receive().await, Received::Payload(Arc::new(1)));
    assert_eq!(subscription.receive().await, Received::Closed);
    assert_eq!(sleeper.await.unwrap(), Received::Payload(Arc::new(1)));
}

#[tokio::test]
async fn a_broker_forgets_topics_that_nobody_uses() {
    let broker = Broker::<u32, u32>::new(Slow::Unlimited);
    let listening = broker.topic(0_u32).subscribe();
    let held = broker.topic(1_u32);
    for name in 2_u32..1_000 {
        drop(broker.topic(name).subscribe());
    }
    assert_eq!(broker.prune(), 2);
    drop((listening, held));
    assert_eq!(broker.prune(), 0);
}

#[tokio::test]
async fn whoever_publishes_in_a_loop_still_lets_others_run() {
    for slow in [Slow::Unlimited, Slow::Lags(kept(4))] {
        let topic = Topic::<u32>::new(slow);
        let _subscription = topic.subscribe();
        let others = tokio::spawn(std::future::ready(()));
        for payload in 0..1_000 {
            topic.publish(payload).await;
        }
        // On one thread, it has ended only if the publisher has yielded to it.
        assert!(others.is_finished(), "{slow:?}");
    }
    let broker = Broker::<String, u32>::new(Slow::Unlimited);
    let others = tokio::spawn(std::future::ready(()));
    for payload in 0..1_000 {
        assert_eq!(broker.publish("nobody has asked for it", payload).await, 0);
    }
    assert!(others.is_finished());
}

#[tokio::test]
async fn a_publisher_that_gives_up_leaves_the_line_and_the_others_keep_their_turn() {
    let topic = Topic::<u64>::new(Slow::HoldsUp(kept(1)));
    let mut subscription = topic.subscribe();
    topic.publish(0).await;
    let mut context = Context::from_waker(Waker::noop());
    let mut waiting: Vec<_> = (1..=3).map(|payload| Box::pin(topic.publish(payload))).collect();
    for publisher in &mut waiting {
        assert!(publisher.as_mut().poll(&mut context).is_pending());
    }
    drop(waiting.remove(0));
    for payload in [0, 2, 3] {
        assert_eq!(subscription.receive().await, Received::Payload(Arc::new(payload)));
    }
    // Dropped after its turn had come, it has published.
    drop(waiting.remove(1));
    assert_eq!(waiting.remove(0).as_mut().poll(&mut context), Poll::Ready(1));
    assert_eq!(topic.backlog(), 0);
}

#[tokio::test]
async fn one_that_has_read_everything_is_woken_for_what_a_waiting_publisher_adds() {
    let topic = Topic::<u64>::new(Slow::HoldsUp(kept(1)));
    let (mut quick, mut slow) = (topic.subscribe(), topic.subscribe());
    topic.publish(0).await;
    let publisher = tokio::spawn({
        let topic = topic.clone();
        async move { topic.publish(1).await }
    });
    let sleeper = tokio::spawn(async move { (quick.receive().await, quick.receive().await) });
    settle().await;
    assert_eq!(slow.receive().await, Received::Payload(Arc::new(0)));
    let read = (Received::Payload(Arc::new(0)), Received::Payload(Arc::new(1)));
    assert_eq!(sleeper.await.unwrap(), read);
    assert_eq!(publisher.await.unwrap(), 2);
}

/// Adds up what is published to it.
struct Sum(u64);

enum Heard {
    Price(Received<u64>),
    Total(supervisor_lab::Reply<u64>),
}

impl Actor for Sum {
    type Message = Heard;

    async fn handle(&mut self, heard: Heard, _: &mut supervisor_lab::Context<Heard>) -> Result<(), Failure> {
        match heard {
            Heard::Price(Received::Payload(price)) => self.0 += *price,
            Heard::Price(_) => {}
            Heard::Total(reply) => reply.send(self.0),
        }
        Ok(())
    }
}

#[tokio::test]
async fn an_actor_is_a_subscriber_for_as_long_as_it_lives() {
    let system = System::new();
    let topic = Topic::new(Slow::Unlimited);
    let bounded = system.actor(Sum(0)).bounded(kept(1)).spawn();
    topic.deliver(&system, &bounded, Heard::Price);
    for price in 1..=100_u64 {
        assert_eq!(topic.publish(price).await, 1);
    }
    settle().await;
    assert_eq!(bounded.ask(Heard::Total).await, Ok(5_050));
    bounded.stop();
    settle().await;
    assert_eq!(
        topic.subscriptions(),
        0,
        "it is pruned without anything being published"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_subscriber_reads_each_publisher_in_order_without_a_gap() {
    const PUBLISHERS: usize = 4;
    const PAYLOADS: u64 = 3_000;
    for slow in [Slow::Unlimited, Slow::HoldsUp(kept(1)), Slow::HoldsUp(kept(50))] {
        let topic = Topic::<(usize, u64)>::new(slow);
        let subscribers: Vec<_> = (0..10)
            .map(|_| {
                let mut subscription = topic.subscribe();
                tokio::spawn(async move {
                    let mut next = [0; PUBLISHERS];
                    while let Received::Payload(payload) = subscription.receive().await {
                        let (publisher, number) = *payload;
                        let expected = &mut next[publisher];
                        assert_eq!(number, *expected);
                        *expected += 1;
                    }
                    next
                })
            })
            .collect();
        let publishers: Vec<_> = (0..PUBLISHERS)
            .map(|publisher| {
                let topic = topic.clone();
                tokio::spawn(async move {
                    for number in 0..PAYLOADS {
                        topic.publish((publisher, number)).await;
                    }
                })
            })
            .collect();
        for publisher in publishers {
            publisher.await.unwrap();
        }
        drop(topic);
        for subscriber in subscribers {
            assert_eq!(subscriber.await.unwrap(), [PAYLOADS; PUBLISHERS], "{slow:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_was_read_and_what_was_missed_add_up() {
    let topic = Topic::<u64>::new(Slow::Lags(kept(8)));
    let subscribers: Vec<_> = (0..4)
        .map(|_| {
            let mut subscription = topic.subscribe();
            tokio::spawn(async move {
                let mut next = 0;
                loop {
                    match subscription.receive().await {
                        Received::Payload(payload) => {
                            assert_eq!(*payload, next);
                            next += 1;
                        }
                        Received::Lagged(missed) => next += missed,
                        Received::Closed => return next,
                    }
                }
            })
        })
        .collect();
    for payload in 0..20_000 {
        topic.publish(payload).await;
    }
    drop(topic);
    for subscriber in subscribers {
        assert_eq!(subscriber.await.unwrap(), 20_000);
    }
}
