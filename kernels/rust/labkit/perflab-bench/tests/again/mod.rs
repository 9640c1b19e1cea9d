//! This very test program once more, as a bench program in a process of its own.

use std::process::{Command, Output};

/// Runs the test `as_a_program`, which is ignored otherwise, with these in the variable `ARGUMENTS`, a line for each.
pub(crate) fn program(arguments: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "as_a_program", "--nocapture", "--ignored"])
        .env("ARGUMENTS", arguments.join("\n"))
        .output()
        .unwrap()
}
