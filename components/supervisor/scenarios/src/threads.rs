//! The threads that actors run on.

use std::cell::RefCell;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::available_parallelism;
use std::time::Duration;

use perflab_bench::{Error, Experiment, Parameter, ProcessUsage, Sample, Setting};
use supervisor_workload::children::LOST_AFTER;
use tokio::runtime::{Builder, Runtime, RuntimeMetrics};
use tokio::sync::oneshot;

use crate::record::Record;

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

/// A scenario that is set up for one system.
pub(crate) type Opened = Result<Box<dyn Experiment>, Error>;

/// A tokio runtime with as many threads as the setting says.
#[derive(Debug)]
pub(crate) struct Threads {
    runtime: Runtime,
    patience: Duration,
}

/// What shows that something goes on.
#[derive(Eq, PartialEq)]
struct Pulse {
    /// Odd where a worker sleeps.
    parks_and_unparks: Vec<u64>,
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
        Ok(Threads {
            runtime,
            patience: LOST_AFTER,
        })
    }

    /// Something may be waited for so much longer while nothing goes on.
    pub(crate) fn with_patience(mut self, more: Duration) -> Self {
        self.patience += more;
        self
    }

    /// An experiment each of whose repetitions is such a future on one of the threads.
    #[allow(clippy::unnecessary_wraps, reason = "what opens a scenario ends with it")]
    pub(crate) fn repeat<F>(self, setting: Setting, mut repetition: impl FnMut(Record) -> F + 'static) -> Opened
    where
        F: Future<Output = Result<Record, Error>> + Send + 'static,
    {
        Ok(Box::new(move |sample: &mut Sample| {
            let record = Record::new(mem::take(sample), &setting.checks);
            *sample = self.run(repetition(record))??.sample;
            Ok(())
        }))
    }

    /// What the runtime that was made last on the caller's thread counts, if one was since this was last asked: a scenario
    /// hides its runtime in a closure.
    pub(crate) fn latest() -> Option<RuntimeMetrics> {
        LATEST.take()
    }

    /// Runs a future on one of the threads, as whatever runs in an actor does. The caller's own thread only waits: a
    /// clock that is read there would also tell how long it took to wake it.
    ///
    /// # Errors
    ///
    /// Nothing comes of the future any more: it is not done, and all threads sleep. A message that was lost is not waited
    /// for in any other way, since a timer would be in what is measured.
    ///
    /// # Panics
    ///
    /// As the future does.
    pub(crate) fn run<F>(&self, future: F) -> Result<F::Output, Error>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (tell, mut told) = oneshot::channel();
        self.drive(Box::pin(async move {
            // Whoever waits for it waits until it is there.
            let _ = tell.send(future.await);
        }))?;
        Ok(told.try_recv().expect("the task told before it ended"))
    }

    /// Without the future's type: tokio compiles a task for each type and for each of its schedulers, and there are as
    /// many here as scenarios times systems. What is measured happens inside, in types of its own.
    fn drive(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) -> Result<(), Error> {
        let (over, end) = mpsc::channel::<()>();
        let (mut pulse, mut cpu) = (self.pulse(), ProcessUsage::now().cpu);
        let task = self.runtime.spawn(async move {
            // Dropped with the future, however that ends.
            let _over = over;
            future.await;
        });
        while end.recv_timeout(self.patience) == Err(RecvTimeoutError::Timeout) {
            let now = (self.pulse(), ProcessUsage::now().cpu);
            // Some systems have threads of their own beside the runtime's: the process must have been idle, too.
            if now.0 == pulse && pulse.sleeps() && now.1.saturating_sub(cpu) < self.patience / 10 {
                task.abort();
                return Err(Error::validation(format!(
                    "everything that is waited for comes: nothing has happened for {:?}",
                    self.patience
                )));
            }
            (pulse, cpu) = now;
        }
        match self.runtime.block_on(task) {
            Ok(()) => Ok(()),
            Err(failure) => match failure.try_into_panic() {
                Ok(payload) => std::panic::resume_unwind(payload),
                Err(_) => unreachable!("nobody else aborts the task"),
            },
        }
    }

    fn pulse(&self) -> Pulse {
        let metrics = self.runtime.metrics();
        let workers = 0..metrics.num_workers();
        Pulse {
            parks_and_unparks: workers.map(|worker| metrics.worker_park_unpark_count(worker)).collect(),
        }
    }

    /// Runs a future on the caller's own thread, as criterion's `to_async` does and the report's rows were measured.
    pub(crate) fn run_here<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }
}

impl Pulse {
    fn sleeps(&self) -> bool {
        self.parks_and_unparks.iter().all(|count| count % 2 == 1)
    }
}
