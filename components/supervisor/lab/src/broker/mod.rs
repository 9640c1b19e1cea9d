//! Publishing to whoever listens.
//!
//! # Design
//!
//! A topic is one log. Publishing appends one pointer to it, whatever the payload and however many subscribers there are;
//! each subscriber reads the log at its own pace, up to 32 entries at a time, and the log keeps what the slowest has not read.
//!
//! 1. *Publish*. Under the topic's lock: append the payload with the number of subscribers that have to read it, and take the
//!    wakers of those that sleep. After it: wake them. A sleeper has read everything, so there is something for each that is
//!    woken; one that is awake costs the publisher nothing, and one that sleeps is woken once for however many payloads it
//!    finds then.
//! 2. *Receive*. Under the lock: take what is new, and count each entry down. The last reader of the oldest entry takes
//!    the pointer itself, so that an entry is gone once all have read it. If there is nothing new: leave the
//!    waker, under the same lock as the publisher's append, hence no lost wake-up.
//! 3. *Dead subscribers* do not exist: a subscription that is dropped counts down what it has not read and is gone.
//!
//! No payload or waker is dropped and nobody is woken under a lock: each of them may use the topic.

mod log;
mod sleepers;
mod topic;

pub use topic::{Received, Subscription, Topic};
