//! Nothing of a user's is dropped or woken under a lock: a payload, a message or a waker may use what it came from.

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::{Arc, OnceLock, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use supervisor_lab::broker::{Received, Topic};
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

fn poll<T>(future: impl Future<Output = T>, waker: &Waker) -> Poll<T> {
    pin!(future).poll(&mut Context::from_waker(waker))
}

#[test]
fn a_payload_that_nobody_reads_is_dropped_without_the_topics_lock() {
    ends(|| {
        let known = Arc::new(OnceLock::new());
        let topic = known.get_or_init(Topic::new);
        let publish = || poll(topic.publish(Payload(Arc::clone(&known))), Waker::noop());
        assert_eq!(publish(), Poll::Ready(0));
        let mut read = topic.subscribe();
        let unread = topic.subscribe();
        for _ in 0..3 {
            assert_eq!(publish(), Poll::Ready(2));
        }
        assert!(matches!(
            poll(read.receive(), Waker::noop()),
            Poll::Ready(Received::Payload(_))
        ));
        drop((read, unread));
    });
}

#[test]
fn a_subscribers_waker_is_dropped_and_woken_without_the_topics_lock() {
    ends(|| {
        let topic = Topic::<u32>::new();
        let look = || {
            let topic = topic.clone();
            looking(move || {
                let _ = topic.backlog();
            })
        };
        let mut subscription = topic.subscribe();
        for _ in 0..2 {
            assert!(poll(subscription.receive(), &look()).is_pending());
        }
        assert_eq!(poll(topic.publish(1), Waker::noop()), Poll::Ready(1));
        let mut second = topic.subscribe();
        assert!(poll(second.receive(), &look()).is_pending());
        drop(second);
    });
}

#[test]
fn a_senders_waker_is_dropped_and_woken_without_the_mailboxs_lock() {
    ends(|| {
        let (sender, receiver) = channel::bounded(NonZeroUsize::MIN);
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
