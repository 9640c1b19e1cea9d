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

/// Frees a large block, so that glibc treats the payloads of all variants alike.
///
/// A block above a limit is mapped when it is allocated, and unmapped when it is freed, unless a larger one was freed before:
/// that raises the limit, and the size up to which the top of the heap is kept, for the rest of the process. A variant whose
/// topics are rings of some MiB would raise both for itself alone.
pub(crate) fn even_heap() {
    const BYTES: usize = 4 << 20;
    drop(std::hint::black_box(vec![0_u8; BYTES]));
}
