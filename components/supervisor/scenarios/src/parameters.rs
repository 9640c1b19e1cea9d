//! Metrics and parameters that several scenarios have.

use perflab_bench::{Better, Error, Metric, Parameter, Parameters};
use supervisor_contract::{Mailbox, Runtime, Strategy};

/// A figure of which less is better.
pub(crate) fn less(name: &'static str, of: &'static str, unit: &'static str) -> Metric {
    Metric::new(name, of, unit, Better::Lower)
}

/// The time of an operation.
pub(crate) fn time(unit: &'static str) -> Metric {
    less("time", "time", unit)
}

/// Operations in a second.
pub(crate) fn rate(unit: &'static str) -> Metric {
    Metric::new("rate", "rate", unit, Better::Higher)
}

/// What a [`Stopwatch`](perflab_bench::Stopwatch) counts, per operation.
pub(crate) fn usage() -> [Metric; 2] {
    [
        less("cpu", "counter:cpu_ns/op", "ns of CPU/op"),
        less("switches", "counter:voluntary_switches/op", "sleeps/op"),
    ]
}

/// High percentiles of a latency.
pub(crate) fn tail() -> [Metric; 3] {
    ["p99", "p99.9", "max"].map(|name| less(name, name, "ns"))
}

/// As the report named a row, or as it measured it.
pub(crate) fn asked() -> Parameter {
    Parameter::choice(
        "as",
        &["named", "published"],
        "what the report's row is called, or what its benchmark did (variant `published` alone)",
    )
}

/// Whether the benchmark itself is asked for.
pub(crate) fn is_published(parameters: &Parameters) -> bool {
    parameters.has("as") && parameters.string("as") == "published"
}

/// How large mailboxes are.
pub(crate) fn mailbox() -> [Parameter; 2] {
    [
        Parameter::choice("mailbox", &["unbounded", "bounded"], "kind of the actors' mailboxes"),
        Parameter::int("capacity", 1024, 1, 1 << 20, "messages that a bounded mailbox holds"),
    ]
}

pub(crate) fn mailbox_of(parameters: &Parameters) -> Mailbox {
    match parameters.string("mailbox") {
        "bounded" => Mailbox::Bounded(parameters.count("capacity")),
        _ => Mailbox::Unbounded,
    }
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

pub(crate) fn strategy() -> Parameter {
    Parameter::choice(
        "strategy",
        &["one-for-one", "one-for-all", "rest-for-one"],
        "who is restarted",
    )
}

pub(crate) fn strategy_of(parameters: &Parameters) -> Strategy {
    match parameters.string("strategy") {
        "one-for-all" => Strategy::OneForAll,
        "rest-for-one" => Strategy::RestForOne,
        _ => Strategy::OneForOne,
    }
}

pub(crate) fn payload() -> Parameter {
    Parameter::int("payload-bytes", 16, 0, 1 << 20, "bytes of a payload, on the heap")
}
