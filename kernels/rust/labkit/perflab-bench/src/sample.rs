//! One measurement in the making.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::latencies::Latencies;
use crate::protocol::shortest;

/// One measurement in the making: operations, their time, latencies and counters.
#[derive(Debug)]
pub struct Sample {
    ops: f64,
    time: Duration,
    latencies: Latencies,
    counters: BTreeMap<&'static str, f64>,
}

impl Default for Sample {
    fn default() -> Self {
        Sample::new()
    }
}

impl Sample {
    /// A sample without operations.
    pub fn new() -> Self {
        Sample { ops: 0.0, time: Duration::ZERO, latencies: Latencies::new(), counters: BTreeMap::new() }
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
