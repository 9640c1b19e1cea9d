//! Ending a whole system within a deadline.
//!
//! 1. The registry is shut: no actor is born any more.
//! 2. Every actor without a supervisor is closed: it handles what it has accepted and ends. A supervisor that is closed
//!    stops its children, the last one first, and then ends; nobody else stops those.
//! 3. The registry is waited for, until the deadline.
//! 4. Whoever is still there is killed, supervisors too, so that they restart nobody.
//! 5. A killed task is gone when its worker next polls it. That is waited for too, but not for ever: a task that never
//!    returns from a poll cannot be ended from outside. Those are reported as stuck.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::registry::Registry;
use crate::rt;

/// How long killed tasks may take to disappear.
const GRACE: Duration = Duration::from_millis(500);

/// What a shutdown did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "tells whether anything had to be killed"]
pub struct Shutdown {
    /// Actors that ended by themselves within the deadline.
    pub stopped: usize,
    /// Actors that were killed at the deadline.
    pub killed: usize,
    /// Actors that ran on after that, because they never wait.
    pub stuck: usize,
}

pub(crate) async fn run(registry: &Registry, deadline: Duration) -> Shutdown {
    let all = close(registry);
    if until(deadline, registry.emptied()).await {
        return Shutdown {
            stopped: all,
            killed: 0,
            stuck: 0,
        };
    }
    let late = registry.entries();
    let kept = late.len();
    late.iter()
        .filter(|actor| !actor.is_supervised())
        .for_each(|actor| actor.kill());
    late.into_iter()
        .filter(|actor| actor.is_supervised())
        .for_each(|actor| actor.kill());
    until(GRACE, registry.emptied()).await;
    let stuck = registry.len().min(kept);
    Shutdown {
        stopped: all - kept,
        killed: kept - stuck,
        stuck,
    }
}

/// The first two steps; returns how many actors there are.
pub(crate) fn close(registry: &Registry) -> usize {
    let actors = registry.shut();
    actors
        .iter()
        .filter(|actor| !actor.is_supervised())
        .for_each(|actor| actor.close());
    actors.len()
}

/// Whether `future` was done within `deadline`, which may be beyond the end of the clock.
async fn until(deadline: Duration, future: impl Future<Output = ()>) -> bool {
    let mut future = pin!(future);
    let mut clock = pin!(rt::sleep(deadline));
    poll_fn(|context| {
        if future.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        clock.as_mut().poll(context).map(|()| false)
    })
    .await
}
