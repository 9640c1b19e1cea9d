//! What tokio counts of its own threads, in the samples' counters.

use perflab_bench::{Error, Experiment, Sample};
use tokio::runtime::RuntimeMetrics;

/// An experiment on a tokio runtime. It counts whole repetitions, what surrounds their timed regions included:
/// `tokio_parks` (how often a worker had nothing to do and went to sleep), `tokio_busy_ns` (how long all workers together
/// had something to do).
pub(crate) struct Metered {
    experiment: Box<dyn Experiment>,
    runtime: RuntimeMetrics,
}

#[derive(Clone, Copy)]
struct Reading {
    parks: u64,
    busy_ns: u128,
}

impl Metered {
    pub(crate) fn new(experiment: Box<dyn Experiment>, runtime: RuntimeMetrics) -> Self {
        Metered { experiment, runtime }
    }

    fn read(&self) -> Reading {
        let workers = 0..self.runtime.num_workers();
        let busy = |worker| self.runtime.worker_total_busy_duration(worker).as_nanos();
        Reading {
            parks: workers
                .clone()
                .map(|worker| self.runtime.worker_park_count(worker))
                .sum(),
            busy_ns: workers.map(busy).sum(),
        }
    }
}

impl Experiment for Metered {
    fn repeat(&mut self, sample: &mut Sample) -> Result<(), Error> {
        let before = self.read();
        self.experiment.repeat(sample)?;
        let after = self.read();
        sample.count("tokio_parks", (after.parks - before.parks) as f64);
        sample.count("tokio_busy_ns", (after.busy_ns - before.busy_ns) as f64);
        Ok(())
    }

    fn close(self: Box<Self>) -> Result<(), Error> {
        self.experiment.close()
    }
}
