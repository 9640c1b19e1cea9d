//! What the process takes.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};

use crate::Sample;

/// What this process has used so far, all threads together.
#[derive(Clone, Copy, Debug)]
pub struct ProcessUsage {
    /// Time on a processor; exact to the nanosecond on Linux.
    pub cpu: Duration,
    /// How often a thread went to sleep.
    pub voluntary_switches: i64,
    /// How often a thread was taken off its processor.
    pub involuntary_switches: i64,
}

impl ProcessUsage {
    /// Allocates nothing.
    ///
    /// # Panics
    ///
    /// If the system does not tell.
    pub fn now() -> Self {
        let cpu = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).expect("every POSIX system keeps this clock");
        let usage = getrusage(UsageWho::RUSAGE_SELF).expect("asked for the process itself");
        ProcessUsage {
            cpu: cpu.into(),
            voluntary_switches: usage.voluntary_context_switches(),
            involuntary_switches: usage.involuntary_context_switches(),
        }
    }
}

/// What the process takes while a region lasts, put into a sample's counters: `cpu_ns`, `voluntary_switches` and
/// `involuntary_switches`.
#[derive(Debug)]
pub struct UsageMeter {
    begun: ProcessUsage,
}

impl UsageMeter {
    /// Counts from now on. Belongs before the clock's first reading.
    pub fn begin() -> Self {
        UsageMeter {
            begun: ProcessUsage::now(),
        }
    }

    /// Counts until now. Belongs after the clock's last reading.
    pub fn end(self, sample: &mut Sample) {
        let now = ProcessUsage::now();
        sample.count("cpu_ns", now.cpu.saturating_sub(self.begun.cpu).as_nanos() as f64);
        sample.count(
            "voluntary_switches",
            (now.voluntary_switches - self.begun.voluntary_switches) as f64,
        );
        sample.count(
            "involuntary_switches",
            (now.involuntary_switches - self.begun.involuntary_switches) as f64,
        );
    }
}
