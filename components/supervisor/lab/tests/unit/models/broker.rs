//! Publish, receive, wait for room, leave and close a topic.
//!
//! *Fails if* names the changes to the broker that a model was seen to catch.

use std::future::Future;
use std::sync::Arc;
use std::task::{Context, Waker};

use loom::future::block_on;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::{PREEMPTIONS, explore};
use crate::broker::{Received, Slow, Subscription, Topic};

fn one() -> Slow {
    Slow::HoldsUp(1.try_into().unwrap())
}

fn receive(subscription: &mut Subscription<u32>) -> Option<u32> {
    match block_on(subscription.receive()) {
        Received::Payload(payload) => Some(*payload),
        Received::Lagged(missed) => panic!("{missed} are missing"),
        Received::Closed => None,
    }
}

/// Forbidden: a subscriber that sleeps with a payload in the log, or with the topic closed; one that misses a payload, or reads
/// a publisher's in another order. Fails if the end of a topic wakes nobody, and if a reader lets go of the lock before it leaves
/// its waker.
#[test]
fn no_wake_up_of_a_subscriber_is_lost() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new(Slow::Unlimited);
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
        let topic = Topic::new(Slow::Unlimited);
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

/// Forbidden: a publisher that waits although there is room; more payloads in the log than it may hold; a payload that is lost,
/// doubled or passed by a later one of its publisher. Fails if a log takes one payload too many, from a publisher or from the
/// line, if the last in line is served first, if a read admits nobody, if a publisher lets go of the lock before it gets in line,
/// and if it is not woken when its turn comes.
#[test]
fn a_publisher_that_waits_is_served() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new(one());
        let mut subscription = topic.subscribe();
        let publishers = [vec![1, 2], vec![10]].map(|payloads| {
            let topic = topic.clone();
            thread::spawn(move || {
                for payload in payloads {
                    assert_eq!(block_on(topic.publish(payload)), 1);
                }
            })
        });
        let mut read = Vec::new();
        for _ in 0..3 {
            assert!(topic.backlog() <= 1);
            read.extend(receive(&mut subscription));
        }
        read.retain(|&payload| payload < 10);
        assert_eq!(read, [1, 2]);
        publishers.into_iter().for_each(|publisher| publisher.join().unwrap());
    });
}

/// Forbidden: a publisher whose turn never comes because another one gives up while a read makes room; a payload that is read
/// although its publisher gave up before there was any; one that is lost although it was published. Fails if who gives up stays in
/// line, takes the first in line out, takes back a payload after its own was admitted, or lets go of the lock between looking for
/// its place and leaving it.
#[test]
fn who_gives_up_leaves_the_line_to_the_others() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new(one());
        let mut subscription = topic.subscribe();
        assert_eq!(block_on(topic.publish(1)), 1);
        let room = Arc::new(AtomicBool::new(false));
        let patient = topic.clone();
        let patient = thread::spawn(move || assert_eq!(block_on(patient.publish(3)), 1));
        let seen = Arc::clone(&room);
        let impatient = thread::spawn(move || {
            let mut publication = Box::pin(topic.publish(2));
            let polled = publication.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            drop(publication);
            (polled.is_ready(), seen.load(Ordering::SeqCst))
        });
        room.store(true, Ordering::SeqCst);
        let mut read: Vec<_> = std::iter::from_fn(|| receive(&mut subscription)).collect();
        patient.join().unwrap();
        let (published, room_by_then) = impatient.join().unwrap();
        let held = read.contains(&2);
        assert!(held || !published);
        assert!(room_by_then || !held);
        read.retain(|&payload| payload != 2);
        assert_eq!(read, [1, 3]);
    });
}

/// Forbidden: a subscriber that has read everything and sleeps on while the payload of a publisher that waited is admitted.
/// Fails if that wakes no subscriber.
#[test]
fn who_makes_room_wakes_the_others() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new(one());
        let [mut other, mut own] = [topic.subscribe(), topic.subscribe()];
        assert_eq!(block_on(topic.publish(1)), 2);
        let reader = thread::spawn(move || [receive(&mut other), receive(&mut other)]);
        // The topic stays open: its end would wake whoever sleeps.
        let open = topic.clone();
        let publisher = thread::spawn(move || block_on(open.publish(2)));
        assert_eq!([receive(&mut own), receive(&mut own)], [Some(1), Some(2)]);
        assert_eq!(publisher.join().unwrap(), 2);
        assert_eq!(reader.join().unwrap(), [Some(1), Some(2)]);
    });
}

/// Forbidden: a publisher that waits for a subscriber that has left; a payload that is kept for it. Fails if who leaves serves
/// nobody in line, counts down nothing of what it has not read, or drops nothing of what nobody will read.
#[test]
fn who_leaves_holds_nobody_up() {
    explore(PREEMPTIONS, || {
        let topic = Topic::new(one());
        let leaving = topic.subscribe();
        assert_eq!(block_on(topic.publish(1)), 1);
        let leaver = thread::spawn(move || drop(leaving));
        assert!(block_on(topic.publish(2)) <= 1);
        leaver.join().unwrap();
        assert_eq!((topic.backlog(), topic.subscriptions()), (0, 0));
    });
}

/// Forbidden: a payload that outlives all who were to read it, whoever reads or leaves last. Fails if who leaves or who reads
/// counts nothing down, or if who leaves drops nothing.
#[test]
fn a_payload_is_gone_when_nobody_is_left_to_read_it() {
    explore(PREEMPTIONS, || {
        let topic = Topic::<u32>::new(Slow::Unlimited);
        let payload = Arc::new(1);
        let (mut reading, leaving) = (topic.subscribe(), topic.subscribe());
        assert_eq!(block_on(topic.publish(Arc::clone(&payload))), 2);
        let leaver = thread::spawn(move || drop(leaving));
        assert_eq!(receive(&mut reading), Some(1));
        leaver.join().unwrap();
        assert_eq!((topic.backlog(), Arc::strong_count(&payload)), (0, 1));
    });
}
