//! The threads that actors run on.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::available_parallelism;
use std::time::Duration;

use perflab_bench::{Error, Experiment, Parameter, ProcessUsage, Sample, Setting};
use supervisor_workload::children::LOST_AFTER;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use crate::record::Record;

/// The parameter of every scenario that runs actors.
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
        Ok(Threads { runtime })
    }

    /// An experiment each of whose repetitions is such a future on one of the threads.
    #[allow(clippy::unnecessary_wraps, reason = "what opens a scenario ends with it")]
    pub(crate) fn repeat<F>(self, setting: Setting, mut repetition: impl FnMut(Record) -> F + 'static) -> Opened
    where
        F: Future<Output = Result<Record, Error>> + Send + 'static,
    {
        Ok(Box::new(move |sample: &mut Sample| {
            self.metered(sample, |sample| {
                let record = Record::new(mem::take(sample), &setting.checks);
                *sample = self.run(repetition(record))??.sample;
                Ok(())
            })
        }))
    }

    /// Runs a repetition, and adds what tokio counts of its threads meanwhile, outside the timed region too:
    /// `tokio_parks` (how often a worker had nothing to do and went to sleep), `tokio_busy_ns` (how long all workers
    /// together had something to do).
    ///
    /// # Errors
    ///
    /// Those of the repetition.
    pub(crate) fn metered(
        &self,
        sample: &mut Sample,
        repetition: impl FnOnce(&mut Sample) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (parks, busy) = self.parks_and_busy_time();
        repetition(sample)?;
        let (parks_after, busy_after) = self.parks_and_busy_time();
        sample.count("tokio_parks", (parks_after - parks) as f64);
        sample.count("tokio_busy_ns", busy_after.saturating_sub(busy).as_nanos() as f64);
        Ok(())
    }

    fn parks_and_busy_time(&self) -> (u64, Duration) {
        let metrics = self.runtime.metrics();
        let workers = 0..metrics.num_workers();
        (
            workers.clone().map(|worker| metrics.worker_park_count(worker)).sum(),
            workers.map(|worker| metrics.worker_total_busy_duration(worker)).sum(),
        )
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
        while end.recv_timeout(LOST_AFTER) == Err(RecvTimeoutError::Timeout) {
            let now = (self.pulse(), ProcessUsage::now().cpu);
            // Some systems have threads of their own beside the runtime's: the process must have been idle, too.
            if now.0 == pulse && pulse.sleeps() && now.1.saturating_sub(cpu) < LOST_AFTER / 10 {
                task.abort();
                return Err(Error::validation(format!(
                    "everything that is waited for comes: nothing has happened for {LOST_AFTER:?}"
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
