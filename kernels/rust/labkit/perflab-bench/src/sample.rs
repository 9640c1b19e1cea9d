//! One measurement in the making, and what the process takes meanwhile.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use nix::sys::resource::{UsageWho, getrusage};
use nix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value, json};

use crate::protocol::shortest;

/// One measurement in the making: operations, their time, latencies and counters.
#[derive(Debug, Default)]
pub struct Sample {
    ops: f64,
    time: Duration,
    latencies: Latencies,
    counters: BTreeMap<&'static str, f64>,
}

impl Sample {
    /// A sample without operations.
    pub fn new() -> Self {
        Sample::default()
    }

    /// Adds a timed region that held so many operations.
    ///
    /// # Panics
    ///
    /// If there were no operations, or no time went by.
    pub fn add(&mut self, operations: f64, time: Duration) {
        assert!(operations > 0.0 && time > Duration::ZERO, "{operations} operations in {time:?}");
        self.ops += operations;
        self.time += time;
    }

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

    /// Times a region that holds so many operations.
    pub fn time<T>(&mut self, operations: f64, region: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = region();
        self.add(operations, begun.elapsed());
        result
    }

    /// Records one latency.
    pub fn latency(&mut self, latency: Duration) {
        self.latencies.add(u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds to a counter. A counter that stays at zero appears too once zero was added.
    pub fn count(&mut self, counter: &'static str, amount: f64) {
        *self.counters.entry(counter).or_default() += amount;
    }

    /// All operations so far.
    pub fn ops(&self) -> f64 {
        self.ops
    }

    /// All their time.
    pub fn total(&self) -> Duration {
        self.time
    }

    pub(crate) fn to_json(&self, index: i64) -> Value {
        let mut line = json!({"type": "sample", "i": index, "ops": shortest(self.ops), "ns": nanoseconds(self.time)});
        if let Some(percentiles) = self.latencies.percentiles() {
            line["percentiles"] = percentiles;
        }
        if !self.counters.is_empty() {
            line["counters"] =
                self.counters.iter().map(|(name, amount)| ((*name).to_owned(), shortest(*amount))).collect();
        }
        line
    }
}

/// As the protocol counts time.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

const PERCENTILES: [(&str, f64); 9] = [
    ("p0", 0.0),
    ("p50", 50.0),
    ("p75", 75.0),
    ("p90", 90.0),
    ("p95", 95.0),
    ("p99", 99.0),
    ("p99.9", 99.9),
    ("p99.99", 99.99),
    ("max", 100.0),
];

/// Latencies in an `HdrHistogram` from 1 ns to a day, each within 0.1 %.
#[derive(Debug, Default)]
struct Latencies {
    /// None before the first latency, to take no memory.
    histogram: Option<Histogram<u64>>,
}

impl Latencies {
    const DIGITS: u8 = 3;
    const LONGEST_NS: u64 = 24 * 3_600 * 1_000_000_000;

    /// What lies outside the range counts as its nearest end.
    fn add(&mut self, nanoseconds: u64) {
        self.histogram
            .get_or_insert_with(|| {
                Histogram::new_with_bounds(1, Self::LONGEST_NS, Self::DIGITS).expect("bounds that the crate allows")
            })
            .saturating_record(nanoseconds.max(1));
    }

    /// None if there were none.
    fn percentiles(&self) -> Option<Value> {
        let histogram = self.histogram.as_ref()?;
        let one = |&(name, percent): &(&str, f64)| {
            let ns = match name {
                "p0" => histogram.min(),
                "max" => histogram.max(),
                _ => histogram.value_at_percentile(percent),
            };
            (name.to_owned(), Value::from(ns))
        };
        Some(Value::Object(PERCENTILES.iter().map(one).collect::<Map<_, _>>()))
    }
}

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

#[cfg(test)]
mod tests {
    use super::Latencies;

    #[test]
    fn percentiles_are_within_a_thousandth() {
        let mut latencies = Latencies::default();
        for ns in 1..=100_000_u64 {
            latencies.add(ns);
        }
        let percentiles = latencies.percentiles().unwrap();
        for (name, ns) in [("p0", 1.0), ("p50", 50_000.0), ("p99", 99_000.0), ("max", 100_000.0)] {
            let seen = percentiles[name].as_f64().unwrap();
            assert!((seen - ns).abs() <= 0.001 * ns, "{name} is {seen}, not {ns}");
        }
    }

    #[test]
    fn none_have_no_percentiles_and_those_out_of_range_count_as_its_ends() {
        assert!(Latencies::default().percentiles().is_none());
        let mut latencies = Latencies::default();
        latencies.add(0);
        assert_eq!(latencies.percentiles().unwrap()["max"], 1);
        latencies.add(u64::MAX);
        assert!(latencies.percentiles().unwrap()["max"].as_u64().unwrap() >= Latencies::LONGEST_NS);
    }
}
