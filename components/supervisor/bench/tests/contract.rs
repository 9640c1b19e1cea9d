//! Every system keeps the contract, but for the statements that it is known to break; those it still breaks.

use std::time::Duration;

use perflab_bench::Variant;
use supervisor_bench::{Subject, bench, contract};

const LIMIT: Duration = Duration::from_secs(60);

/// Checks all statements but the known ones; what breaks is named.
fn assert_keeps_the_contract(name: &str) {
    let bench = bench();
    let variant = bench.variant_named(name).unwrap_or_else(|error| panic!("{error}"));
    let broken: Vec<String> = bench
        .checks()
        .iter()
        .filter(|check| check.applies_to(variant.subject()) && !variant.known_findings().contains(&check.name()))
        .filter_map(|check| {
            check
                .run(&variant.shared_subject(), LIMIT)
                .err()
                .map(|why| format!("{}: {why}", check.name()))
        })
        .collect();
    assert!(broken.is_empty(), "{name} breaks\n  {}", broken.join("\n  "));
}

/// A finding that does not show any more is no finding.
fn assert_does_not_hold(name: &str, statement: &str) {
    let bench = bench();
    let variant: &Variant<Subject> = bench.variant_named(name).unwrap_or_else(|error| panic!("{error}"));
    assert!(
        variant.known_findings().contains(&statement),
        "'{statement}' is no known finding about {name}"
    );
    let check = bench
        .checks()
        .iter()
        .find(|check| check.name() == statement)
        .expect("a statement of the contract");
    assert!(
        check.run(&variant.shared_subject(), LIMIT).is_err(),
        "{name} keeps: {statement}"
    );
}

macro_rules! systems {
    ($($name:ident),*) => {
        mod keeps_the_contract {
            $(#[test]
            fn $name() {
                super::assert_keeps_the_contract(stringify!($name));
            })*
        }
    };
}

systems!(published, tokio, ractor, kameo, actix, lab);

macro_rules! findings {
    ($($name:ident: $statement:ident),* $(,)?) => {
        mod does_not_hold_for_published {
            $(#[test]
            fn $name() {
                super::assert_does_not_hold("published", super::contract::$statement);
            })*
        }
    };
}

findings!(
    an_actor_that_has_ended_leaves_the_books: STOPPED_LEAVES,
    a_message_to_an_actor_that_has_ended_is_refused: STOPPED_REFUSES,
    a_bounded_mailbox_refuses: FULL_REFUSES,
    a_full_mailbox_makes_its_sender_wait: FULL_WAITS,
    a_subscriber_that_has_left_is_forgotten: LEAVERS_ARE_PRUNED,
    a_payload_is_shared: PAYLOADS_ARE_SHARED,
    a_shutdown_ends: SHUTDOWN_ENDS,
    one_for_all_stops_in_reverse_and_starts_in_order: ALL_COME_BACK,
    rest_for_one_stops_in_reverse_and_starts_in_order: REST_COMES_BACK,
    a_supervisor_gives_up_as_often_as_it_was_told: GIVES_UP,
);
