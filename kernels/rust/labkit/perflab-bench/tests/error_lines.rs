//! Each way to fail is one line and an exit status of the protocol.

mod fixture;

use std::sync::atomic::Ordering;

use fixture::Fixture;
use serde_json::{Value, json};

fn assert_usage(fixture: &Fixture, status: u8, message: &str, allowed: &Value) {
    assert_eq!(status, 2, "{}", fixture.text);
    assert_eq!(fixture.types(), ["error"]);
    assert_eq!(fixture.last()["kind"], "usage");
    assert_eq!(fixture.last()["message"], message);
    assert_eq!(fixture.last().get("allowed").unwrap_or(&json!([])), allowed);
}

#[test]
fn an_unknown_scenario_names_all() {
    let mut fixture = Fixture::new();
    let status = fixture.run(&["run", "--scenario", "cuonting", "--variant", "four"]);
    let message = "unknown scenario 'cuonting'";
    assert_usage(&fixture, status, message, &json!(["counting", "summing"]));
}

#[test]
fn an_unknown_variant_names_all() {
    let mut fixture = Fixture::new();
    let status = fixture.run(&["run", "--scenario", "counting", "--variant", "seventeen"]);
    assert_usage(&fixture, status, "unknown variant 'seventeen'", &json!(["three", "four", "five"]));
}

#[test]
fn a_scenario_that_the_variant_lacks_names_those_it_has() {
    let mut fixture = Fixture::new();
    let status = fixture.run(&["run", "--scenario", "summing", "--variant", "four"]);
    assert_usage(&fixture, status, "variant 'four' does not support scenario 'summing'", &json!(["counting"]));
}

#[test]
fn a_value_that_is_not_allowed_names_what_is() {
    let whole = "a whole number from 1 to 10";
    let number = "a number from 0 to 1";
    for (name, value, allowed) in [
        ("step", "0", whole),
        ("step", "11", whole),
        ("step", "x", whole),
        ("step", "", whole),
        ("step", "1.5", whole),
        ("step", "99999999999999999999", whole),
        ("ratio", "-0.1", number),
        ("ratio", "NaN", number),
        ("ratio", "inf", number),
        ("ratio", "half", number),
        ("fail", "yes", "true or false"),
    ] {
        let mut fixture = Fixture::new();
        let status = fixture.run_once(&["--param", &format!("{name}={value}")]);
        assert_usage(&fixture, status, &format!("parameter '{name}' cannot be '{value}'"), &json!([allowed]));
    }
}

#[test]
fn a_word_that_is_no_choice_names_the_choices() {
    let mut fixture = Fixture::new();
    let status = fixture.run_once(&["--param", "mode=plein"]);
    let message = "parameter 'mode' cannot be 'plein'";
    assert_usage(&fixture, status, message, &json!(["plain", "panicking", "timeless", "failing"]));
}

#[test]
fn an_unknown_parameter_names_all() {
    let mut fixture = Fixture::new();
    let status = fixture.run_once(&["--param", "stepp=1"]);
    let message = "unknown parameter 'stepp'";
    assert_usage(&fixture, status, message, &json!(["step", "ratio", "fail", "mode"]));
}

#[test]
fn what_cannot_be_parsed_is_a_usage_error_too() {
    for (argument, allowed) in [
        ("--samples=0", "a whole number of at least 1"),
        ("--warmup-ms=-1", "a whole number of at least 0"),
        ("--samples=x", "--samples with a whole number"),
        ("--seed=x", "--seed with a whole number"),
        ("--param=step", "--param NAME=VALUE"),
        ("--sampels=3", "--samples"),
        ("--samples", "--samples"),
        ("--plugin", "--plugin PATH"),
    ] {
        let mut fixture = Fixture::new();
        assert_eq!(fixture.run_once(&[argument]), 2, "{argument}");
        assert_eq!(fixture.types(), ["error"]);
        let said = fixture.last()["allowed"].as_array().unwrap();
        assert!(said.contains(&json!(allowed)), "{argument}: {said:?}");
    }
}

#[test]
fn a_missing_option_or_command_is_named() {
    let mut fixture = Fixture::new();
    assert_eq!(fixture.run(&["run", "--scenario", "counting"]), 2);
    assert!(fixture.text.contains("--variant"));
    let commands = json!(["describe", "run", "contract"]);
    let status = fixture.run(&["descrbe"]);
    assert_usage(&fixture, status, "unknown command 'descrbe'", &commands);
    let status = fixture.run(&[]);
    assert_usage(&fixture, status, "no command was given", &commands);
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
