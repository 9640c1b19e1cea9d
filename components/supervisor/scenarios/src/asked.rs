//! As the report named a row, or as it measured it.

use perflab_bench::{Parameter, Parameters};

/// The knob of every row of the report.
pub(crate) fn knob() -> Parameter {
    Parameter::choice(
        "as",
        &["named", "published"],
        "what the report's row is called, or what its benchmark did (variant `published` alone)",
    )
}

/// Whether the benchmark itself is asked for.
pub(crate) fn is_published(parameters: &Parameters) -> bool {
    parameters.has("as") && parameters.word("as") == "published"
}
