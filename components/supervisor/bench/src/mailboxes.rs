//! The size of mailboxes as a knob.

use perflab_bench::{Parameter, Parameters};
use supervisor_contract::Mailbox;

/// How large mailboxes are.
pub(crate) fn mailbox() -> [Parameter; 2] {
    [
        Parameter::choice("mailbox", &["unbounded", "bounded"], "kind of the actors' mailboxes"),
        Parameter::int("capacity", 1024, 1, 1 << 20, "messages that a bounded mailbox holds"),
    ]
}

pub(crate) fn mailbox_of(parameters: &Parameters) -> Mailbox {
    match parameters.word("mailbox") {
        "bounded" => Mailbox::Bounded(parameters.count("capacity")),
        _ => Mailbox::Unbounded,
    }
}
