//! What a repetition records.

use std::time::Duration;

use perflab_bench::{Checks, Error, Sample};
use supervisor_workload::Faults;

/// A sample that grows in whichever task the repetition runs, and what was looked at.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) sample: Sample,
    checks: Checks,
}

impl Record {
    pub(crate) fn new(sample: Sample, checks: &Checks) -> Self {
        Record {
            sample,
            checks: checks.clone(),
        }
    }

    /// Adds what each of the operations took, one after the other.
    pub(crate) fn one_by_one(&mut self, latencies: &[Duration]) {
        self.latencies(latencies);
        self.sample.add(latencies.len() as f64, latencies.iter().sum());
    }

    pub(crate) fn latencies<'a>(&mut self, latencies: impl IntoIterator<Item = &'a Duration>) {
        for latency in latencies {
            self.sample.latency(*latency);
        }
    }

    /// Demands that something holds, and says what came instead.
    pub(crate) fn require(&self, name: &'static str, holds: bool, came: impl FnOnce() -> String) -> Result<(), Error> {
        self.checks.require(name, holds, came)
    }

    /// As [`require`](Self::require), as the last of a repetition's checks.
    pub(crate) fn last(self, name: &'static str, holds: bool, came: impl FnOnce() -> String) -> Result<Self, Error> {
        self.require(name, holds, came).map(|()| self)
    }

    /// Demands that nobody refused a message.
    pub(crate) fn none_refused(&self, name: &'static str, refused: usize) -> Result<(), Error> {
        self.require(name, refused == 0, || format!("{refused} were refused"))
    }

    /// Demands that every message was handled once and in its place, as the last of a repetition's checks.
    pub(crate) fn no_faults(self, name: &'static str, faults: Faults) -> Result<Self, Error> {
        self.last(name, faults.is_none(), || faults.to_string())
    }
}
