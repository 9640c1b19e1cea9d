//! Steady rows under Criterion, on every system that has them: `cargo bench -- mailbox/lab`.
//!
//! The bench program has a sample loop of its own, because the lab compares whole processes and Criterion's loop would
//! print, warm up and stop by its own lights. What is timed is the same: here an iteration is a scenario's operation.

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use perflab_bench::Sample;
use supervisor_bench::bench;

const ROWS: [&str; 4] = ["mailbox", "message-throughput", "ring", "fan-in"];

fn rows(criterion: &mut Criterion) {
    let bench = bench();
    for row in ROWS {
        let mut group = criterion.benchmark_group(row);
        for variant in bench.variants_listed().iter().filter(|variant| variant.supports(row)) {
            group.bench_function(variant.name(), |bencher| {
                let scenario = bench.scenario_named(row).unwrap_or_else(|error| panic!("{error}"));
                let setting = scenario.spec().defaults(1);
                let mut experiment = scenario
                    .open(variant.subject(), setting)
                    .unwrap_or_else(|error| panic!("{error}"));
                bencher.iter_custom(|iterations| {
                    let mut sample = Sample::new();
                    while sample.ops() < iterations as f64 {
                        experiment.repeat(&mut sample).unwrap_or_else(|error| panic!("{error}"));
                    }
                    // A repetition has as many operations as it has: what was timed, scaled to what was asked for.
                    sample.total().mul_f64(iterations as f64 / sample.ops())
                });
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(3));
    targets = rows
}
criterion_main!(benches);
