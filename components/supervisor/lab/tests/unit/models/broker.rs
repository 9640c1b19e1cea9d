//! Publish, receive, leave and close a topic.
//!
//! *Fails if* names the changes to the broker that a model was seen to catch.

use std::sync::Arc;

use loom::future::block_on;
use loom::thread;

use super::{PREEMPTIONS, explore};
use crate::broker::{Received, Subscription, Topic};

fn receive(subscription: &mut Subscription<u32>) -> Option<u32> {
    match block_on(subscription.receive()) {
        Received::Payload(payload) => Some(*payload),
        Received::Closed => None,
    }
}

/// Forbidden: a subscriber that sleeps with a payload in the log, or with the topic closed; one that misses a payload, or reads
/// a publisher's in another order. Fails if the end of a topic wakes nobody, and if a reader lets go of the lock before it leaves
/// its waker.
#[test]
fn no_wake_up_of_a_subscriber_is_lost() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new();
        let mut subscriptions = [topic.subscribe(), topic.subscribe()];
        let publisher = thread::spawn(move || {
            for payload in 1..=2 {
                assert_eq!(block_on(topic.publish(payload)), 2);
            }
        });
        let [other, own] = &mut subscriptions;
        let read =
            |subscription: &mut Subscription<u32>| std::iter::from_fn(|| receive(subscription)).collect::<Vec<_>>();
        assert_eq!(read(own), [1, 2]);
        publisher.join().unwrap();
        assert_eq!(read(other), [1, 2]);
    });
}

/// Forbidden: two subscribers of which one is not woken. Fails if a publication wakes nobody, or one alone.
#[test]
fn all_sleepers_are_woken() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new();
        let sleepers = [(); 2].map(|()| {
            let mut subscription = topic.subscribe();
            thread::spawn(move || receive(&mut subscription))
        });
        assert_eq!(block_on(topic.publish(1)), 2);
        for sleeper in sleepers {
            assert_eq!(sleeper.join().unwrap(), Some(1));
        }
    });
}

/// Forbidden: a payload that outlives all who were to read it, whoever reads or leaves last. Fails if who leaves or who reads
/// counts nothing down, or if who leaves drops nothing.
#[test]
fn a_payload_is_gone_when_nobody_is_left_to_read_it() {
    explore(PREEMPTIONS, || {
        let topic = Topic::<u32>::new();
        let payload = Arc::new(1);
        let (mut reading, leaving) = (topic.subscribe(), topic.subscribe());
        assert_eq!(block_on(topic.publish(Arc::clone(&payload))), 2);
        let leaver = thread::spawn(move || drop(leaving));
        assert_eq!(receive(&mut reading), Some(1));
        leaver.join().unwrap();
        assert_eq!((topic.backlog(), Arc::strong_count(&payload)), (0, 1));
    });
}
