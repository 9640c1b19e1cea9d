//! How checks wait and say what they saw.

use std::future::Future;
use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// What has not come by then is lost.
const LOST_AFTER: Duration = Duration::from_secs(10);

/// How long one waits for what must not come. Too short a wait passes a broken system now and then, and never fails a
/// good one.
pub(super) const NOTHING_FOR: Duration = Duration::from_millis(50);

/// What came of a check: the evidence against the statement, if there is any.
pub(super) type Verdict = Result<(), String>;

/// A check, or a part of one, without its type: a tokio task is compiled for each type of its future.
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Runs a check on more threads than it needs, so that what can go wrong between threads does.
pub(super) fn on_threads(check: impl Future<Output = Verdict> + Send + 'static) -> Verdict {
    run(Box::pin(check))
}

fn run(check: Boxed<Verdict>) -> Verdict {
    let runtime = Builder::new_multi_thread()
        .worker_threads(4)
        .enable_time()
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let task = runtime.spawn(check);
    let outcome = runtime
        .block_on(task)
        .unwrap_or_else(|failure| Err(format!("the check itself failed: {failure}")));
    // A system under test may have left something behind that never ends.
    runtime.shutdown_background();
    outcome
}

/// Runs a part of a check in a task of its own.
pub(super) fn aside<T: Send + 'static>(part: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let part: Boxed<T> = Box::pin(part);
    tokio::spawn(part)
}

/// Waits for all parts.
pub(super) async fn all(parts: impl IntoIterator<Item = JoinHandle<Verdict>>) -> Verdict {
    // Begun before the first is waited for.
    for part in parts.into_iter().collect::<Vec<_>>() {
        part.await.map_err(|failure| failure.to_string())??;
    }
    Ok(())
}

/// Waits for something that has to come.
pub(super) async fn come<T>(what: &str, future: impl Future<Output = T> + Send) -> Result<T, String> {
    let future: Pin<&mut (dyn Future<Output = T> + Send)> = pin!(future);
    timeout(LOST_AFTER, future)
        .await
        .map_err(|_| format!("{what} did not come within {LOST_AFTER:?}"))
}

/// Waits until something holds.
pub(super) async fn until(what: &str, mut holds: impl FnMut() -> bool) -> Verdict {
    let wait = async {
        while !holds() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(LOST_AFTER, wait)
        .await
        .map_err(|_| format!("{what}: not within {LOST_AFTER:?}"))
}

/// Demands that something holds.
pub(super) fn require(holds: bool, evidence: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(evidence()) }
}
