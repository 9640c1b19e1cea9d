//! What can be measured against each other.

use perflab_bench::{Role, Variant};

use crate::Subject;
use crate::contract::statements as the;
use crate::systems::{Actix, Kameo, Lab, Published, Ractor, TokioTasks};

/// A variant that has the scenarios which its subject can do.
pub fn variant(name: &str, role: Role, description: &str, source: &str, subject: Subject) -> Variant<Subject> {
    let scenarios: Vec<_> = subject.names().collect();
    Variant::new(name, role, description, source, subject).scenarios(scenarios)
}

pub(crate) fn all() -> [Variant<Subject>; 6] {
    [published(), tokio(), ractor(), kameo(), actix(), lab()]
}

fn published() -> Variant<Subject> {
    let subject = Subject::of::<Published>()
        .asks::<Published>()
        .bounds::<Published>()
        .publishes::<Published>()
        .mailboxes::<Published>()
        .shuts_down::<Published>()
        .supervises::<Published>()
        // Five restarts a minute are no storm, supervisors have no supervisors here, and no shutdown ends.
        .without(&["restart-storm", "tree-depth", "shutdown"])
        .not_promising(&[the::ESCALATES])
        .measured_as_published();
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
        // Now and then; at each run in `published/tests/design.rs`.
        the::ANSWERED,
    ])
}

fn tokio() -> Variant<Subject> {
    let subject = Subject::of::<TokioTasks>()
        .asks::<TokioTasks>()
        .bounds::<TokioTasks>()
        .publishes::<TokioTasks>()
        .mailboxes::<TokioTasks>()
        .supervises::<TokioTasks>()
        .without(&["tree-depth"])
        .not_promising(&[the::ALL_COME_BACK, the::REST_COMES_BACK, the::GIVES_UP, the::ESCALATES]);
    let source = "bench/src/systems/tokio_tasks.rs";
    variant(
        "tokio",
        Role::Peer,
        "bare tokio tasks with channels, the floor",
        source,
        subject,
    )
}

fn ractor() -> Variant<Subject> {
    let subject = Subject::of::<Ractor>()
        .asks::<Ractor>()
        .supervises::<Ractor>()
        // Strategies are left to its users.
        .without(&["tree-depth"])
        .not_promising(&[the::ALL_COME_BACK, the::REST_COMES_BACK, the::ESCALATES]);
    let source = "bench/src/systems/ractor.rs";
    variant(
        "ractor",
        Role::Peer,
        "ractor, actors in the manner of Erlang",
        source,
        subject,
    )
}

fn kameo() -> Variant<Subject> {
    let subject = Subject::of::<Kameo>()
        .asks::<Kameo>()
        .bounds::<Kameo>()
        .supervises::<Kameo>();
    let source = "bench/src/systems/kameo.rs";
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
    ])
}

fn actix() -> Variant<Subject> {
    let subject = Subject::of::<Actix>().asks::<Actix>();
    variant(
        "actix",
        Role::Peer,
        "actix, actors on event loops",
        "bench/src/systems/actix.rs",
        subject,
    )
}

fn lab() -> Variant<Subject> {
    let subject = Subject::of::<Lab>()
        .asks::<Lab>()
        .bounds::<Lab>()
        .publishes::<Lab>()
        .mailboxes::<Lab>()
        .shuts_down::<Lab>()
        .supervises::<Lab>();
    let description = "this lab's own runtime: lean mailboxes, a shared log, trees that restart";
    variant("lab", Role::Lab, description, "lab/src", subject)
}
