//! What `run` prints.

mod fixture;

use std::sync::atomic::Ordering;

use fixture::Fixture;
use serde_json::json;

#[test]
fn a_start_samples_and_an_end() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--samples", "2", "--sample-ms", "3", "--param", "step=4", "--seed", "9"]), 0);
    assert_eq!(fixture.types(), ["start", "sample", "sample", "end"]);
    let start = &fixture.lines[0];
    assert_eq!(start["params"], json!({"step": 4, "ratio": 0.5, "fail": false, "mode": "plain"}));
    assert_eq!(start["seed"], 9);
    assert_eq!(start["runtime"]["name"], "Rust");
    let sample = &fixture.lines[2];
    assert_eq!(sample["i"], 1);
    assert_eq!(sample["ops"], 12);
    assert_eq!(sample["ns"], 3_000_000);
    assert_eq!(sample["counters"], json!({"odd": 0}));
    assert_eq!(sample["percentiles"]["p50"], 1_000);
    let end = fixture.last();
    assert_eq!(end["samples"], 2);
    assert_eq!(end["ops"], 24);
    assert_eq!(end["ns"], 6_000_000);
    assert_eq!(end["validation"], json!({"passed": true, "checks": ["counts are right"]}));
    assert!(fixture.deeds.closed.load(Ordering::Relaxed));
}

#[test]
fn warm_up_runs_and_leaves_no_sample() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--warmup-ms", "5"]), 0);
    assert_eq!(fixture.types(), ["start", "sample", "end"]);
    assert_eq!(fixture.deeds.repetitions.load(Ordering::Relaxed), 6);
}

#[test]
fn the_last_of_two_values_counts() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--param", "step=2", "--param=step=3"]), 0);
    assert_eq!(fixture.lines[0]["params"]["step"], 3);
}
