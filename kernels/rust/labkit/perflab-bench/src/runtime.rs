//! What the bench program runs on.

use serde_json::{Value, json};

// From build.rs: the compiler that this program was built with.
const VERSION: &str = env!("PERFLAB_RUSTC_VERSION");

pub(crate) fn to_json() -> Value {
    let mut flags = vec![if cfg!(debug_assertions) { "profile=debug" } else { "profile=release" }.to_owned()];
    // What tokio reads from the environment, unless a scenario sets it by a parameter.
    if let Ok(threads) = std::env::var("TOKIO_WORKER_THREADS") {
        flags.push(format!("TOKIO_WORKER_THREADS={threads}"));
    }
    json!({"name": "Rust", "version": VERSION, "flags": flags})
}
