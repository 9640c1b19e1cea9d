//! Named figures of a fork.

use serde_json::{Value, json};

/// Which direction of a metric is an improvement.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Better {
    /// A rate, say.
    Higher,
    /// A time, say.
    Lower,
}

impl Better {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Better::Higher => "higher",
            Better::Lower => "lower",
        }
    }
}

/// A named figure of a fork, computed by `perflab` from the fork's samples.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub(crate) name: &'static str,
    pub(crate) of: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
}

impl Metric {
    /// `of` is an expression of the protocol, such as `counter:refused/op` or `p99`.
    pub const fn new(name: &'static str, of: &'static str, unit: &'static str, better: Better) -> Self {
        Metric { name, of, unit, better }
    }

    pub(crate) fn to_json(self) -> Value {
        json!({"name": self.name, "of": self.of, "unit": self.unit, "better": self.better.name()})
    }
}
