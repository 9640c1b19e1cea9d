#![allow(unused_imports, dead_code)]

#[cfg(feature = "cell")]
include!(env!("PERFLAB_VARIANT"));

#[cfg(not(feature = "cell"))]
fn main() {}
