//! The size of mailboxes as a knob.

use perflab_bench::{Error, Parameter, Parameters};
use supervisor_contract::{Mailbox, Runtime};

/// How large mailboxes are.
pub(crate) fn mailbox() -> [Parameter; 2] {
    [
        Parameter::choice("mailbox", &["unbounded", "bounded"], "kind of the actors' mailboxes"),
        Parameter::int("capacity", 1024, 1, 1 << 20, "messages that a bounded mailbox holds"),
    ]
}

/// # Errors
///
/// A capacity is asked for that the runtime cannot give.
pub(crate) fn actors_mailbox_of<R: Runtime>(parameters: &Parameters) -> Result<Mailbox, Error> {
    match mailbox_of(parameters) {
        Mailbox::Bounded(_) if !R::BOUNDED => Err(Error::usage(
            "this variant has no bounded mailboxes",
            ["mailbox=unbounded"],
        )),
        size => Ok(size),
    }
}

pub(crate) fn mailbox_of(parameters: &Parameters) -> Mailbox {
    match parameters.word("mailbox") {
        "bounded" => Mailbox::Bounded(parameters.count("capacity")),
        _ => Mailbox::Unbounded,
    }
}
