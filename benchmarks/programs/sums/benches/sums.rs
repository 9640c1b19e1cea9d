//! Sums over a hash map; WORK is the work in thousandths.
use criterion::{criterion_group, criterion_main, Criterion};
use std::{collections::HashMap, env, hint::black_box};

#[inline(never)]
fn work(thousandths: u64) -> u64 {
    let mut sums: HashMap<u64, u64> = HashMap::new();
    for i in 0..black_box(thousandths) * 10 {
        *sums.entry(i * 7919 % 503).or_default() += i;
    }
    sums.values().sum()
}

fn all(criterion: &mut Criterion) {
    let given = env::var("WORK").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    let amounts = [("base", 1000), ("same", 1000), ("plus2", 1020), ("plus3", 1030), ("half", 500), ("more", 1500)];
    for (name, thousandths) in amounts.into_iter().chain([("work", given)]) {
        criterion.bench_function(name, |bencher| bencher.iter(|| work(thousandths)));
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
