//! A topic gives each subscriber everything, in order, at its own pace, and forgets those that are gone.

mod common;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use common::settle;
use supervisor_lab::broker::{Received, Topic};

#[tokio::test]
async fn a_payload_is_shared_and_gone_when_all_have_read_it() {
    let topic = Topic::<Vec<u8>>::new();
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
    let topic = Topic::<u32>::new();
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
    let topic = Topic::<u32>::new();
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
    let topic = Topic::<u32>::new();
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
async fn the_end_comes_after_what_is_left() {
    let topic = Topic::<u32>::new();
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

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_subscriber_reads_each_publisher_in_order_without_a_gap() {
    const PUBLISHERS: usize = 4;
    const PAYLOADS: u64 = 3_000;
    let topic = Topic::<(usize, u64)>::new();
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
        assert_eq!(subscriber.await.unwrap(), [PAYLOADS; PUBLISHERS]);
    }
}

#[tokio::test]
async fn whoever_publishes_in_a_loop_still_lets_others_run() {
    let topic = Topic::<u32>::new();
    let _subscription = topic.subscribe();
    let others = tokio::spawn(std::future::ready(()));
    for payload in 0..1_000 {
        topic.publish(payload).await;
    }
    // On one thread, it has ended only if the publisher has yielded to it.
    assert!(others.is_finished());
}
