//! The threads that actors run on.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::thread::available_parallelism;

use perflab_bench::{Error, Parameter, Setting};
use tokio::runtime::{Builder, Runtime, RuntimeMetrics};
use tokio::sync::oneshot;

thread_local! {
    static LATEST: RefCell<Option<RuntimeMetrics>> = const { RefCell::new(None) };
}

/// The knob of every scenario that runs actors.
pub(crate) fn workers() -> Parameter {
    Parameter::int(
        "workers",
        0,
        0,
        256,
        "threads of the tokio runtime; 0 for one per processor",
    )
}

/// A tokio runtime with as many threads as the setting says.
#[derive(Debug)]
pub(crate) struct Threads {
    runtime: Runtime,
}

impl Threads {
    /// # Errors
    ///
    /// The system gives no threads.
    pub(crate) fn new(setting: &Setting) -> Result<Self, Error> {
        let workers = match setting.parameters.count("workers") {
            0 => available_parallelism()?.get(),
            workers => workers,
        };
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .enable_time()
            .build()?;
        LATEST.set(Some(runtime.metrics()));
        Ok(Threads { runtime })
    }

    /// What the runtime that was made last on the caller's thread counts, if one was since this was last asked: a scenario
    /// hides its runtime in a closure.
    pub(crate) fn latest() -> Option<RuntimeMetrics> {
        LATEST.take()
    }

    /// Runs a future on one of the threads, as whatever runs in an actor does. The caller's own thread only waits: a
    /// clock that is read there would also tell how long it took to wake it.
    ///
    /// # Panics
    ///
    /// As the future does.
    pub(crate) fn run<F>(&self, future: F) -> F::Output
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (tell, mut told) = oneshot::channel();
        self.drive(Box::pin(async move {
            // Whoever waits for it waits until it is there.
            let _ = tell.send(future.await);
        }));
        told.try_recv().expect("the task told before it ended")
    }

    /// Without the future's type: tokio compiles a task for each type and for each of its schedulers, and there are as
    /// many here as scenarios times systems. What is measured happens inside, in types of its own.
    fn drive(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let task = self.runtime.spawn(future);
        match self.runtime.block_on(task) {
            Ok(()) => {}
            Err(failure) => match failure.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => unreachable!("nobody aborts the task"),
            },
        }
    }

    /// Runs a future on the caller's own thread, as criterion's `to_async` does and the report's rows were measured.
    pub(crate) fn run_here<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}
