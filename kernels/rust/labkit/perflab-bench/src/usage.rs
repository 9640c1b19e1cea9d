//! What the process takes.

use std::ops::AddAssign;
use std::time::{Duration, Instant};

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

/// Times a region, and what the process takes meanwhile.
#[derive(Debug)]
pub struct Stopwatch {
    usage: ProcessUsage,
    begun: Instant,
}

/// What regions took. Laps can be added up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lap {
    /// By the clock.
    pub time: Duration,
    cpu: Duration,
    voluntary_switches: i64,
    involuntary_switches: i64,
}

impl Stopwatch {
    /// Starts it. The clock's first reading is the last thing that this does.
    pub fn start() -> Self {
        Stopwatch { usage: ProcessUsage::now(), begun: Instant::now() }
    }

    /// When it was started.
    pub fn begun(&self) -> Instant {
        self.begun
    }

    /// Stops it. The clock's last reading is the first thing that this does.
    pub fn stop(self) -> Lap {
        let time = self.begun.elapsed();
        let usage = ProcessUsage::now();
        Lap {
            time,
            cpu: usage.cpu.saturating_sub(self.usage.cpu),
            voluntary_switches: usage.voluntary_switches - self.usage.voluntary_switches,
            involuntary_switches: usage.involuntary_switches - self.usage.involuntary_switches,
        }
    }
}

impl AddAssign for Lap {
    fn add_assign(&mut self, more: Lap) {
        self.time += more.time;
        self.cpu += more.cpu;
        self.voluntary_switches += more.voluntary_switches;
        self.involuntary_switches += more.involuntary_switches;
    }
}

impl Sample {
    /// Adds a timed region that held so many operations, and to the counters `cpu_ns`, `voluntary_switches` and
    /// `involuntary_switches`.
    ///
    /// # Panics
    ///
    /// As [`Sample::add`].
    pub fn add_lap(&mut self, operations: f64, lap: Lap) {
        self.add(operations, lap.time);
        self.count("cpu_ns", lap.cpu.as_nanos() as f64);
        self.count("voluntary_switches", lap.voluntary_switches as f64);
        self.count("involuntary_switches", lap.involuntary_switches as f64);
    }
}
