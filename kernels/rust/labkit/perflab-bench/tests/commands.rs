//! What the commands print, and how they fail.

mod fixture;

use std::sync::atomic::Ordering;

use fixture::{Fixture, IS_EVEN};
use serde_json::json;

#[test]
fn it_tells_scenarios_parameters_and_variants() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["describe"]), 0);
    let line = fixture.last();
    assert_eq!(line["protocol"], 1);
    assert_eq!(line["component"], "fixture");
    assert_eq!(line["runtime"]["name"], "Rust");
    assert!(line["runtime"]["version"].as_str().unwrap().starts_with("1."));
    let counting = &line["scenarios"][0];
    assert_eq!(counting["name"], "counting");
    assert_eq!(counting["metric"], "rate");
    assert_eq!(counting["unit"], "counts/s");
    assert_eq!(counting["better"], "higher");
    assert_eq!(
        counting["metrics"],
        json!([{"name": "odd", "of": "counter:odd/op", "unit": "odd counts/count", "better": "lower"}])
    );
    assert_eq!(
        counting["parameters"],
        json!([
            {"name": "step", "type": "int", "default": 1, "help": "how far a count goes", "min": 1, "max": 10},
            {"name": "ratio", "type": "float", "default": 0.5, "help": "unused", "min": 0.0, "max": 1.0},
            {"name": "fail", "type": "bool", "default": false, "help": "whether validation fails"},
            {
                "name": "mode", "type": "string", "default": "plain", "help": "how it behaves",
                "choices": ["plain", "panicking", "timeless", "failing", "idle"],
            },
        ])
    );
    assert_eq!(
        line["variants"][1],
        json!({
            "name": "four", "role": "after", "description": "the number 4", "source": "four.rs",
            "scenarios": ["counting"], "findings": [],
        })
    );
    assert_eq!(line["variants"][0]["scenarios"], json!(["counting", "summing"]));
    assert_eq!(line["variants"][0]["findings"], json!([IS_EVEN]));
}

#[test]
fn a_start_samples_and_an_end() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--samples", "2", "--sample-ms", "3000", "--param", "step=4", "--seed", "9"]), 0);
    assert_eq!(fixture.types(), ["start", "sample", "sample", "end"]);
    let start = &fixture.lines[0];
    assert_eq!(start["params"], json!({"step": 4, "ratio": 0.5, "fail": false, "mode": "plain"}));
    assert_eq!(start["seed"], 9);
    assert_eq!(start["runtime"]["name"], "Rust");
    let sample = &fixture.lines[2];
    assert_eq!(sample["i"], 1);
    assert_eq!(sample["ops"], 12);
    assert_eq!(sample["ns"], 3_000_000_000_u64);
    assert_eq!(sample["counters"], json!({"odd": 0}));
    assert_eq!(sample["percentiles"]["p50"], 1_000);
    let end = fixture.last();
    assert_eq!(end["samples"], 2);
    assert_eq!(end["ops"], 24);
    assert_eq!(end["ns"], 6_000_000_000_u64);
    assert_eq!(end["validation"], json!({"passed": true, "checks": ["counts are right"]}));
    assert!(fixture.deeds.closed.load(Ordering::Relaxed));
}

#[test]
fn warm_up_runs_and_leaves_no_sample() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--warmup-ms", "5000"]), 0);
    assert_eq!(fixture.types(), ["start", "sample", "end"]);
    assert_eq!(fixture.deeds.repetitions.load(Ordering::Relaxed), 6);
}

#[test]
fn a_sample_ends_by_the_wall_clock_if_its_own_covers_little() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--param", "mode=idle"]), 0);
    assert_eq!(fixture.deeds.repetitions.load(Ordering::Relaxed), 1);
}

#[test]
fn the_last_of_two_values_counts() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--param", "step=2", "--param=step=3"]), 0);
    assert_eq!(fixture.lines[0]["params"]["step"], 3);
}

#[test]
fn a_broken_statement_is_told_with_its_evidence_and_ends_with_status_four() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["contract", "--variant", "five"]), 4);
    assert_eq!(fixture.types(), ["check", "check", "check", "check", "end"]);
    assert_eq!(
        fixture.lines[1],
        json!({
            "type": "check", "variant": "five", "name": IS_EVEN, "passed": false, "known": false,
            "message": "it is odd",
        })
    );
    assert_eq!(*fixture.last(), json!({"type": "end", "checks": 4, "failed": 1, "findings": 0}));
}

#[test]
fn a_known_finding_is_told_and_fails_nothing() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["contract", "--variant", "three"]), 0);
    assert_eq!(fixture.lines[1]["passed"], false);
    assert_eq!(fixture.lines[1]["known"], true);
    assert_eq!(*fixture.last(), json!({"type": "end", "checks": 3, "failed": 0, "findings": 1}));
}

#[test]
fn a_panic_is_evidence_and_a_check_that_hangs_is_left_behind() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["contract", "--variant", "four", "--limit-ms", "500"]), 4);
    assert_eq!(fixture.lines[2]["message"], "panicked: four");
    assert_eq!(fixture.lines[3]["message"], "did not end within 500 ms");
    assert_eq!(fixture.last()["failed"], 2);
}

#[test]
fn without_a_name_the_readers_own_are_checked() {
    let mut fixture = Fixture::new();
    fixture.run(&["contract"]);
    assert!(fixture.lines[..4].iter().all(|line| line["variant"] == "five"));
}

fn assert_refused(arguments: &[&str], message: &str) {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(arguments), 2, "{}", fixture.text);
    assert_eq!(fixture.types(), ["error"]);
    assert_eq!(fixture.last()["kind"], "usage");
    assert_eq!(fixture.last()["message"], message);
}

#[test]
fn what_the_command_line_cannot_be_is_refused_in_one_line() {
    for (line, message) in [
        ("", "unknown command ''"),
        ("descrbe", "unknown command 'descrbe'"),
        ("run --scenario counting", "the option '--variant' is missing"),
        ("run --scenario cuonting --variant four", "unknown scenario 'cuonting'"),
        ("run --scenario counting --variant seven", "unknown variant 'seven'"),
        ("run --scenario summing --variant four", "variant 'four' does not support scenario 'summing'"),
        ("describe --plugin", "option '--plugin' has no value"),
        ("describe --plugin none", "no plug-in can be read at 'none'"),
    ] {
        assert_refused(&line.split_whitespace().collect::<Vec<_>>(), message);
    }
    for (argument, message) in [
        ("--sampels=3", "unknown option '--sampels'"),
        ("--samples", "option '--samples' has no value"),
        ("--samples=0", "--samples cannot be '0'"),
        ("--seed=x", "--seed cannot be 'x'"),
        ("--param=step", "'--param step' has no value"),
        ("--param=stepp=1", "unknown parameter 'stepp'"),
    ] {
        assert_refused(&["run", "--scenario", "counting", "--variant", "four", argument], message);
    }
}

#[test]
fn a_parameter_takes_what_it_allows() {
    for pair in [
        "step=0",
        "step=11",
        "step=x",
        "step=",
        "step=1.5",
        "step=99999999999999999999",
        "ratio=-0.1",
        "ratio=NaN",
        "ratio=inf",
        "ratio=half",
        "fail=yes",
        "mode=plein",
    ] {
        let (name, value) = pair.split_once('=').unwrap();
        let message = format!("parameter '{name}' cannot be '{value}'");
        assert_refused(&["run", "--scenario", "counting", "--variant", "four", "--param", pair], &message);
    }
}

#[test]
fn a_failed_validation_ends_the_run_with_status_four() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run_once(&["--param", "fail=true"]), 4);
    assert_eq!(fixture.types(), ["start", "error"]);
    assert_eq!(fixture.last()["kind"], "validation");
    assert_eq!(fixture.last()["message"], "counts are right: they are not");
}

#[test]
fn anything_else_ends_the_run_with_status_one() {
    for (mode, message) in [
        ("panicking", "panicked: on purpose"),
        ("failing", "not there"),
        ("timeless", "a repetition recorded no time: the sample would never end"),
    ] {
        let mut fixture = Fixture::new();
        assert_eq!(fixture.run_once(&["--param", &format!("mode={mode}")]), 1);
        assert_eq!(fixture.types(), ["start", "error"]);
        assert_eq!(fixture.last()["kind"], "internal");
        assert_eq!(fixture.last()["message"], message);
        assert_eq!(fixture.deeds.repetitions.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn help_is_no_error() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["run", "--help"]), 0);
    assert!(fixture.text.contains("--sample-ms"));
    assert!(!fixture.text.contains("\"error\""));
}
