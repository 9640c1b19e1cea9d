//! What can be measured against each other.

use perflab_bench::{Role, Variant};
use supervisor_scenarios::known as scenarios;
use supervisor_suite::known as suite;

use crate::Subject;
use crate::contract as the;

/// A variant that has the scenarios which its subject can do.
pub fn variant(name: &str, role: Role, description: &str, source: &str, subject: Subject) -> Variant<Subject> {
    let scenarios: Vec<_> = subject.names().collect();
    Variant::new(name, role, description, source, subject).scenarios(scenarios)
}

pub(crate) fn all() -> [Variant<Subject>; 6] {
    [published(), tokio(), ractor(), kameo(), actix(), lab()]
}

fn published() -> Variant<Subject> {
    let scenarios = scenarios::published().measured_as_published();
    // Its supervisors have no supervisors.
    let subject = Subject::new(scenarios, suite::published().without(&[the::ESCALATES]));
    let role = Role::Before;
    variant(
        "published",
        role,
        "AirsSys-RT as its report found it",
        "published/src",
        subject,
    )
    .findings([
        the::STOPPED_REFUSES,
        the::STOPPED_LEAVES,
        the::FULL_REFUSES,
        the::FULL_WAITS,
        the::LEAVERS_ARE_PRUNED,
        the::PAYLOADS_ARE_SHARED,
        the::SHUTDOWN_ENDS,
        the::ALL_COME_BACK,
        the::REST_COMES_BACK,
        the::GIVES_UP,
    ])
}

fn tokio() -> Variant<Subject> {
    let statements = suite::tokio().without(&[the::ALL_COME_BACK, the::REST_COMES_BACK, the::GIVES_UP, the::ESCALATES]);
    let subject = Subject::new(scenarios::tokio(), statements);
    let source = "systems/src/tokio_tasks.rs";
    variant(
        "tokio",
        Role::Peer,
        "bare tokio tasks with channels, the floor",
        source,
        subject,
    )
}

fn ractor() -> Variant<Subject> {
    // Strategies are left to its users.
    let statements = suite::ractor().without(&[the::ALL_COME_BACK, the::REST_COMES_BACK, the::ESCALATES]);
    let subject = Subject::new(scenarios::ractor(), statements);
    let source = "systems/src/ractor.rs";
    variant(
        "ractor",
        Role::Peer,
        "ractor, actors in the manner of Erlang",
        source,
        subject,
    )
    // Its supervisor is told before the state of the one that failed is dropped; whether it shows is up to the scheduler.
    .findings([the::GONE_BEFORE_MADE])
}

fn kameo() -> Variant<Subject> {
    let subject = Subject::new(scenarios::kameo(), suite::kameo());
    let source = "systems/src/kameo.rs";
    variant(
        "kameo",
        Role::Peer,
        "kameo, typed actors with supervision",
        source,
        subject,
    )
    .findings([
        // Its children stand in a map, whose order is as it comes.
        the::ALL_COME_BACK,
        the::REST_COMES_BACK,
        the::STOPS_IN_REVERSE,
        // As ractor's.
        the::GONE_BEFORE_MADE,
    ])
}

fn actix() -> Variant<Subject> {
    let subject = Subject::new(scenarios::actix(), suite::actix());
    variant(
        "actix",
        Role::Peer,
        "actix, actors on event loops",
        "systems/src/actix.rs",
        subject,
    )
}

fn lab() -> Variant<Subject> {
    let subject = Subject::new(scenarios::lab(), suite::lab());
    let description = "this lab's own runtime: lean mailboxes, a shared log, trees that restart";
    variant("lab", Role::Lab, description, "lab/src", subject)
}
