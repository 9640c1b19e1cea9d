//! What can be measured against each other.

use perflab_bench::{Role, Variant};

use crate::Subject;
use crate::systems::{Lab, Published, TokioTasks};

/// A variant that has the scenarios which its subject can do.
pub fn variant(name: &str, role: Role, description: &str, source: &str, subject: Subject) -> Variant<Subject> {
    let scenarios: Vec<_> = subject.names().collect();
    Variant::new(name, role, description, source, subject).scenarios(scenarios)
}

pub(crate) fn all() -> [Variant<Subject>; 3] {
    [
        variant(
            "published",
            Role::Before,
            "AirsSys-RT as its report found it",
            "published/src",
            Subject::of::<Published>()
                .asks::<Published>()
                .publishes::<Published>()
                .mailboxes::<Published>()
                .supervises::<Published>()
                .without(&["restart-storm", "tree-depth"])
                .measured_as_published(),
        ),
        variant(
            "tokio",
            Role::Peer,
            "bare tokio tasks with channels, the floor",
            "bench/src/systems/tokio_tasks.rs",
            Subject::of::<TokioTasks>()
                .asks::<TokioTasks>()
                .publishes::<TokioTasks>()
                .mailboxes::<TokioTasks>()
                .supervises::<TokioTasks>()
                .without(&["tree-depth"]),
        ),
        variant(
            "lab",
            Role::Lab,
            "this lab's own runtime: lean mailboxes, a shared log, trees that restart",
            "lab/src",
            Subject::of::<Lab>()
                .asks::<Lab>()
                .publishes::<Lab>()
                .mailboxes::<Lab>()
                .shuts_down::<Lab>()
                .supervises::<Lab>(),
        ),
    ]
}
