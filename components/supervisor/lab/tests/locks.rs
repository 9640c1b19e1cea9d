//! Nothing of a user's is dropped or woken under a lock: a payload, a message or a waker may use what it came from.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use supervisor_lab::broker::{Broker, Slow, Topic};
use supervisor_lab::channel;

/// Fails where `scenario` blocks for ever: a lock that the thread itself holds is never released.
fn ends(scenario: impl FnOnce() + Send + 'static) {
    let (done, over) = mpsc::channel();
    let thread = thread::spawn(move || {
        scenario();
        let _ = done.send(());
    });
    match over.recv_timeout(Duration::from_secs(60)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it waits for a lock that it holds"),
        _ => thread.join().unwrap(),
    }
}

/// Calls `look` when it is woken and when it is dropped.
struct Looks<F: Fn() + Send + Sync + 'static>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Looks<F> {
    fn wake(self: Arc<Self>) {
        (self.0)();
    }
}

impl<F: Fn() + Send + Sync + 'static> Drop for Looks<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn looking(look: impl Fn() + Send + Sync + 'static) -> Waker {
    Arc::new(Looks(look)).into()
}

/// Looks at its topic when it is dropped.
struct Payload(Arc<OnceLock<Topic<Payload>>>);

impl Drop for Payload {
    fn drop(&mut self) {
        if let Some(topic) = self.0.get() {
            let _ = topic.backlog();
        }
    }
}

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}

#[test]
fn a_payload_that_nobody_reads_is_dropped_without_the_topics_lock() {
    ends(|| {
        let known = Arc::new(OnceLock::new());
        let topic = known.get_or_init(|| Topic::new(Slow::Lags(one())));
        assert!(matches!(topic.try_publish(Payload(Arc::clone(&known))), Ok(0)));
        let subscription = topic.subscribe();
        for _ in 0..3 {
            assert!(matches!(topic.try_publish(Payload(Arc::clone(&known))), Ok(1)));
        }
        drop(subscription);
    });
}

#[test]
fn a_subscribers_waker_is_dropped_and_woken_without_the_topics_lock() {
    ends(|| {
        let topic = Topic::<u32>::new(Slow::Unlimited);
        let mut subscription = topic.subscribe();
        for _ in 0..2 {
            let topic = topic.clone();
            let waker = looking(move || {
                let _ = topic.backlog();
            });
            assert!(subscription.poll_receive(&mut Context::from_waker(&waker)).is_pending());
        }
        assert!(topic.try_publish(1).is_ok());
        let mut second = topic.subscribe();
        let waker = looking({
            let topic = topic.clone();
            move || {
                let _ = topic.backlog();
            }
        });
        assert!(second.poll_receive(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        drop(second);
    });
}

#[test]
fn a_publishers_waker_is_dropped_and_woken_without_the_topics_lock() {
    ends(|| {
        let topic = Topic::<u32>::new(Slow::HoldsUp(one()));
        let subscription = topic.subscribe();
        assert!(topic.try_publish(0).is_ok());
        {
            let mut first = pin!(topic.publish(1));
            for _ in 0..2 {
                let topic = topic.clone();
                let waker = looking(move || {
                    let _ = topic.backlog();
                });
                assert!(first.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
        }
        let mut second = pin!(topic.publish(2));
        let other = topic.clone();
        let waker = looking(move || {
            let _ = other.backlog();
        });
        assert!(second.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        drop(subscription);
        assert!(second.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    });
}

/// A name that looks at its broker when it is dropped.
#[derive(Clone)]
struct Name(&'static str, Arc<OnceLock<Broker<Name, u32>>>);

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Name {}

impl std::hash::Hash for Name {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        if let Some(broker) = self.1.get() {
            broker.prune();
        }
    }
}

#[test]
fn a_name_is_dropped_without_the_brokers_lock() {
    ends(|| {
        let known = Arc::new(OnceLock::new());
        let broker = known.get_or_init(|| Broker::new(Slow::Unlimited));
        for _ in 0..2 {
            drop(broker.topic(Name("prices", Arc::clone(&known))));
        }
        assert_eq!(broker.prune(), 0);
    });
}

#[test]
fn a_senders_waker_is_dropped_and_woken_without_the_mailboxs_lock() {
    ends(|| {
        let (sender, receiver) = channel::bounded(one());
        sender.try_send(0).unwrap();
        let look = || {
            let sender = sender.clone();
            looking(move || {
                let _ = sender.try_send(9);
            })
        };
        {
            let mut waiting = pin!(sender.send(1));
            for _ in 0..2 {
                let waker = look();
                assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            }
            assert_eq!(waiting.withdraw(), Some(1));
        }
        let mut refused = pin!(sender.send(2));
        let waker = look();
        assert!(refused.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        drop(waker);
        drop(receiver);
        assert!(
            refused
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
                .is_ready()
        );
    });
}

/// Counts its calls.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn room_for_one_wakes_one_publisher_and_the_first_in_line() {
    let topic = Topic::<u32>::new(Slow::HoldsUp(one()));
    let mut subscription = topic.subscribe();
    assert!(topic.try_publish(0).is_ok());
    let counts: [Arc<Wakes>; 3] = Default::default();
    let mut waiting: Vec<_> = (1..=3).map(|payload| Box::pin(topic.publish(payload))).collect();
    for (publisher, count) in waiting.iter_mut().zip(&counts) {
        let waker = Waker::from(Arc::clone(count));
        assert!(publisher.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    assert!(
        subscription
            .poll_receive(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    );
    let woken = counts.each_ref().map(|count| count.0.load(Ordering::Relaxed));
    assert_eq!(woken, [1, 0, 0]);
    assert_eq!(
        topic.try_publish(9),
        Err(Arc::new(9)),
        "nobody publishes past those who wait"
    );
}
