//! What is published.

use serde::{Deserialize, Serialize};

/// A payload of any size.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Payload {
    number: u64,
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
