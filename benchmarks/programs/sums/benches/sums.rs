//! Sums in hash maps; WORK is the work in thousandths.
use criterion::{criterion_group, criterion_main, Criterion};
use std::{collections::HashMap, env, hint::black_box};

#[inline(never)]
fn work(thousandths: u64) -> u64 {
    (0..black_box(thousandths))
        .map(|step| {
            let mut sums: HashMap<u64, u64> = HashMap::new();
            for i in step..step + 10 {
                *sums.entry(i * 7919 % 5).or_default() += i;
            }
            sums.values().sum::<u64>()
        })
        .fold(0, u64::wrapping_add)
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
