//! Loom models of the code that runs: a few threads, in every interleaving of at most so many preemptions.
//!
//! Run with `RUSTFLAGS="--cfg supervisor_loom" cargo test --release --lib models`. Each model has an outcome that is
//! forbidden: an assertion, or a deadlock, which loom reports when a thread waits for a wake-up that nobody will send.

mod broker;
mod mailbox;
mod restart;
mod shutdown;

/// Interleavings with at most this many preemptions of a thread that could go on: most bugs need one or two, and the number of
/// interleavings grows with it.
const PREEMPTIONS: usize = 3;

fn explore(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
