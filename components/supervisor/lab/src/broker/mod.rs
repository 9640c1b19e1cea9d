//! Publishing to whoever listens.
//!
//! # Design
//!
//! A topic is one log. Publishing appends one pointer to it, whatever the payload and however many subscribers there are;
//! each subscriber reads the log at its own pace, up to 32 entries at a time.
//!
//! 1. *Publish*. Under the topic's lock: append the payload with the number of subscribers that have to read it, and take the
//!    wakers of those that sleep. After it: wake them. A sleeper has read everything, so there is something for each that is
//!    woken; one that is awake costs the publisher nothing, and one that sleeps is woken once for however many payloads it
//!    finds then.
//! 2. *Receive*. Under the lock: take what is new, and count each entry down. The last reader of the oldest entry takes
//!    the pointer itself, so that an entry is gone once all have read it. If there is nothing new: leave the
//!    waker, under the same lock as the publisher's append, hence no lost wake-up.
//! 3. *Room* ([`Slow::HoldsUp`]). A publisher that finds the log full leaves its payload in line. Whoever makes room, by a
//!    read or by leaving, appends as many of those as there is room for, under the lock that made it, and then wakes their
//!    publishers: each has published when it wakes. Nobody can publish past one that waits, because the log stays full for as
//!    long as one does. Subscribers that had read everything before are woken with them.
//! 4. *Slow subscribers* are a matter of policy: the log grows, or its oldest entries go and the subscriber is told how many
//!    it missed, or publishers wait.
//! 5. *Dead subscribers* do not exist: a subscription that is dropped counts down what it has not read and is gone.
//!    An actor's ([`Topic::deliver`]) is dropped when the actor ends.
//!
//! No payload, waker or name is dropped and nobody is woken under a lock: each of them may use the topic.

mod deliver;
mod log;
mod publishing;
mod shared;
mod sleepers;
mod slow;
mod subscription;
mod topic;

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::hash::Hash;
use std::sync::Arc;

pub use slow::Slow;
pub use subscription::{Received, Subscription};
pub use topic::Topic;

use crate::rt;
use crate::sync::{Mutex, lock};

/// Topics by name; cheap to clone.
///
/// A topic is made when it is first asked for, and forgotten some time after its last subscription and its last
/// [`Topic`] outside of the broker are gone.
///
/// # Examples
///
/// ```
/// use supervisor_lab::broker::{Broker, Received, Slow};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let broker = Broker::<String, [u8]>::new(Slow::Unlimited);
/// let mut subscription = broker.topic("prices").subscribe();
/// assert_eq!(broker.publish("prices", &b"42"[..]).await, 1);
/// assert_eq!(broker.publish("weather", &b"fog"[..]).await, 0, "nobody listens");
/// assert_eq!(subscription.receive().await, Received::Payload((&b"42"[..]).into()));
/// # }
/// ```
pub struct Broker<K, T: ?Sized> {
    topics: Arc<Mutex<Topics<K, T>>>,
    slow: Slow,
}

struct Topics<K, T: ?Sized> {
    by_name: HashMap<K, Topic<T>>,
    /// The number of topics at which those that nobody uses are looked for again: twice as many as were in use the last time,
    /// so that the search costs each topic a constant.
    sweep_at: usize,
}

/// The number of topics below which nobody looks.
const FEW: usize = 16;

/// The map gives memory back when it is used to less than one part in this many.
const SPARSE: usize = 8;

impl<K, T> Broker<K, T>
where
    K: Eq + Hash,
    T: Send + Sync + ?Sized + 'static,
{
    /// A broker whose topics treat slow subscribers like this.
    #[must_use]
    pub fn new(slow: Slow) -> Self {
        Self {
            topics: Arc::new(Mutex::new(Topics {
                by_name: HashMap::new(),
                sweep_at: FEW,
            })),
            slow,
        }
    }

    /// The topic of that name. Whoever publishes often keeps it.
    pub fn topic(&self, name: impl Into<K>) -> Topic<T> {
        // Dropped after the lock is released, if the topic is there already.
        let mut name = Some(name.into());
        let mut topics = lock(&self.topics);
        let known = name.as_ref().and_then(|name| topics.by_name.get(name)).cloned();
        let (topic, unused) = known.map_or_else(
            || {
                let unused = if topics.by_name.len() >= topics.sweep_at {
                    topics.sweep()
                } else {
                    Vec::new()
                };
                let topic = Topic::new(self.slow);
                topics.by_name.extend(name.take().map(|name| (name, topic.clone())));
                (topic, unused)
            },
            |topic| (topic, Vec::new()),
        );
        drop(topics);
        drop(unused);
        topic
    }

    /// Publishes to the topic of that name, if anybody has asked for it. Returns how many subscribers will read it.
    ///
    /// # Cancel safety
    ///
    /// As [`Topic::publish`].
    pub async fn publish<Q>(&self, name: &Q, payload: impl Into<Arc<T>>) -> usize
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let topic = lock(&self.topics).by_name.get(name).cloned();
        let Some(topic) = topic else {
            // As Topic::publish does: to publish in a loop lets others run although nobody listens.
            poll_fn(rt::poll_budget).await;
            return 0;
        };
        topic.publish(payload).await
    }

    /// Forgets topics that nobody uses; returns how many are left. Done by itself as topics are added.
    pub fn prune(&self) -> usize {
        let mut topics = lock(&self.topics);
        let unused = topics.sweep();
        let left = topics.by_name.len();
        drop(topics);
        drop(unused);
        left
    }
}

impl<K: Eq + Hash, T: ?Sized> Topics<K, T> {
    /// Takes out what nobody uses, to be dropped without the lock.
    fn sweep(&mut self) -> Vec<(K, Topic<T>)> {
        let unused = self.by_name.extract_if(|_, topic| !topic.is_used()).collect();
        if self.by_name.capacity() > SPARSE * self.by_name.len().max(FEW) {
            self.by_name.shrink_to_fit();
        }
        self.sweep_at = (2 * self.by_name.len()).max(FEW);
        unused
    }
}

impl<K, T: ?Sized> Clone for Broker<K, T> {
    fn clone(&self) -> Self {
        Self {
            topics: Arc::clone(&self.topics),
            slow: self.slow,
        }
    }
}

impl<K, T: ?Sized> fmt::Debug for Broker<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Broker")
            .field("slow", &self.slow)
            .finish_non_exhaustive()
    }
}
