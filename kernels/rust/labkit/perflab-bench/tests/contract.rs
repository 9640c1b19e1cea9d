//! What `contract` prints.

mod fixture;

use fixture::{Fixture, IS_EVEN};
use serde_json::json;

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
