//! What is published.

use perflab_bench::Parameter;
use serde::{Deserialize, Serialize};

/// A payload of any size.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Payload {
    pub(crate) number: u64,
    bytes: Vec<u8>,
}

impl Payload {
    pub(crate) fn new(number: u64, size: usize) -> Self {
        Payload {
            number,
            bytes: vec![0; size],
        }
    }

    /// Whether it is what was published.
    pub(crate) fn is(&self, number: u64, size: usize) -> bool {
        self.number == number && self.bytes.len() == size
    }
}

/// The size as a knob.
pub(crate) fn size() -> Parameter {
    Parameter::int("payload-bytes", 16, 0, 1 << 20, "bytes of a payload, on the heap")
}
