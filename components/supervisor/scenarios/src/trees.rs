//! Trees of children as knobs.

use perflab_bench::{Error, Parameter};
use supervisor_contract::Strategy;

/// The knob of strategies.
pub(crate) fn strategy() -> Parameter {
    Parameter::choice(
        "strategy",
        &["one-for-one", "one-for-all", "rest-for-one"],
        "who is restarted",
    )
}

pub(crate) fn strategy_of(word: &str) -> Strategy {
    match word {
        "one-for-all" => Strategy::OneForAll,
        "rest-for-one" => Strategy::RestForOne,
        _ => Strategy::OneForOne,
    }
}

/// Leaves that a failure concerns.
pub(crate) fn concerned(strategy: Strategy, failed: usize, children: usize) -> Vec<usize> {
    match strategy {
        Strategy::OneForOne => vec![failed],
        Strategy::OneForAll => (0..children).collect(),
        Strategy::RestForOne => (failed..children).collect(),
    }
}

/// A tree that the runtime does not have is bad input.
pub(crate) fn unsupported(refusal: supervisor_contract::Unsupported) -> Error {
    const NO_LIST: [&str; 0] = [];
    Error::usage(refusal.to_string(), NO_LIST)
}
