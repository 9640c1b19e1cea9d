//! The bench program with one more variant, whose source a notebook's labkit writes.
//!
//! A member of the workspace, because Cargo names what it compiles by the workspace: as one of its own it would compile all
//! that it stands on again.

#![allow(unused_imports, dead_code, missing_docs, unreachable_pub)]

#[cfg(feature = "cell")]
include!(env!("PERFLAB_VARIANT"));

#[cfg(not(feature = "cell"))]
fn main() {
    eprintln!("made by the feature `cell`, of the source that PERFLAB_VARIANT names");
}
