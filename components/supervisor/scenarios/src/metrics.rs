//! Metrics that several scenarios have.

use perflab_bench::{Better, Metric};

/// What [`UsageMeter`](perflab_bench::UsageMeter) counts, per operation.
pub(crate) fn usage() -> [Metric; 2] {
    [
        Metric::new("cpu", "counter:cpu_ns/op", "ns of CPU/op", Better::Lower),
        Metric::new("switches", "counter:voluntary_switches/op", "sleeps/op", Better::Lower),
    ]
}

/// Percentiles of a latency.
pub(crate) fn percentiles() -> [Metric; 4] {
    [
        Metric::new("p50", "p50", "ns", Better::Lower),
        Metric::new("p99", "p99", "ns", Better::Lower),
        Metric::new("p99.9", "p99.9", "ns", Better::Lower),
        Metric::new("max", "max", "ns", Better::Lower),
    ]
}
