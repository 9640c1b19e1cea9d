//! The protocol's lines, and standard output as theirs alone.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;

use nix::unistd::dup2_stdout;
use serde_json::{Value, json};

use crate::Error;

/// Takes standard output away from everybody else: the protocol's lines go to a descriptor of their own, and the one that
/// everybody knows becomes standard error. So nothing that a variant, its threads or its children print can stand between
/// the lines, and no thread that prints waits for a lock on them.
///
/// Not for a program that becomes its plug-in, which is handed standard output as it is.
pub(crate) fn take_stdout() -> io::Result<BufWriter<File>> {
    // No child inherits the copy: one that lives on would keep whoever reads the lines waiting for their end.
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    Ok(BufWriter::new(File::from(own)))
}

/// Writes JSON Lines, each as soon as it is complete.
pub(crate) struct ProtocolWriter<'a>(pub(crate) &'a mut dyn Write);

impl ProtocolWriter<'_> {
    pub(crate) fn line(&mut self, json: &Value) -> io::Result<()> {
        self.text(&format!("{json}\n"))
    }

    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.0.write_all(text.as_bytes())?;
        self.0.flush()
    }

    pub(crate) fn error(&mut self, error: &Error) -> io::Result<()> {
        let kind = format!("{:?}", error.kind()).to_lowercase();
        let mut line = json!({"type": "error", "kind": kind, "message": error.to_string()});
        if !error.allowed().is_empty() {
            line["allowed"] = error.allowed().into();
        }
        self.line(&line)
    }
}

/// What the bench program runs on: the compiler that it was built with, from build.rs, and what tokio reads from the
/// environment unless a scenario sets it by a parameter.
pub(crate) fn runtime() -> Value {
    let mut flags = vec![if cfg!(debug_assertions) { "profile=debug" } else { "profile=release" }.to_owned()];
    if let Ok(threads) = std::env::var("TOKIO_WORKER_THREADS") {
        flags.push(format!("TOKIO_WORKER_THREADS={threads}"));
    }
    json!({"name": "Rust", "version": env!("PERFLAB_RUSTC_VERSION"), "flags": flags})
}

/// A whole number without a fraction or an exponent, anything else as it is.
pub(crate) fn shortest(number: f64) -> Value {
    const LARGEST_EXACT_INTEGER: f64 = (1_u64 << 53) as f64;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT_INTEGER {
        #[allow(clippy::cast_possible_truncation, reason = "a whole number of at most 2^53")]
        Value::from(number as i64)
    } else {
        Value::from(number)
    }
}
