//! Latencies of a sample.

use hdrhistogram::Histogram;
use serde_json::{Map, Value};

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
#[derive(Debug)]
pub(crate) struct Latencies {
    histogram: Option<Histogram<u64>>,
}

impl Latencies {
    const DIGITS: u8 = 3;
    const LONGEST_NS: u64 = 24 * 3_600 * 1_000_000_000;

    /// Takes no memory before the first latency.
    pub(crate) fn new() -> Self {
        Latencies { histogram: None }
    }

    /// What lies outside the range counts as its nearest end.
    pub(crate) fn add(&mut self, nanoseconds: u64) {
        self.histogram
            .get_or_insert_with(|| {
                Histogram::new_with_bounds(1, Self::LONGEST_NS, Self::DIGITS).expect("bounds that the crate allows")
            })
            .saturating_record(nanoseconds.max(1));
    }

    /// None if there were none.
    pub(crate) fn percentiles(&self) -> Option<Value> {
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

#[cfg(test)]
mod tests {
    use super::Latencies;

    #[test]
    fn percentiles_are_within_a_thousandth() {
        let mut latencies = Latencies::new();
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
        assert!(Latencies::new().percentiles().is_none());
        let mut latencies = Latencies::new();
        latencies.add(0);
        assert_eq!(latencies.percentiles().unwrap()["max"], 1);
        latencies.add(u64::MAX);
        assert!(latencies.percentiles().unwrap()["max"].as_u64().unwrap() >= Latencies::LONGEST_NS);
    }
}
