//! Compiling a variant with Cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::diagnostics;
use super::program::BINARY;
use crate::LabError;

const HINT: &str = "a variant is compiled on its own, without the notebook's variables: it may use what its own cell \
                    declares, and the component; keep statements in another cell";

/// Compiles the crate in `folder`, with what has already been compiled for the component.
///
/// # Errors
///
/// It does not compile; with the cell's own lines and columns.
pub(crate) fn compile(folder: &Path, component: &Path, type_name: &str) -> Result<PathBuf, LabError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--offline", "--quiet", "--message-format", "json"]);
    command.arg("--manifest-path").arg(folder.join("Cargo.toml"));
    // In the component's folder, for the sake of what it says in `.cargo`.
    command
        .current_dir(component)
        .env("CARGO_TARGET_DIR", component.join("target"));
    // evcxr's own settings for cells.
    for name in ["RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_BUILD_BUILD_DIR"] {
        command.env_remove(name);
    }
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|problem| LabError::missing(format!("cargo does not start: {problem}"), "./lab doctor"))?;
    let said = String::from_utf8_lossy(&done.stdout);
    let errors = diagnostics::errors(&said);
    if !errors.is_empty() {
        let text = format!("{type_name} does not compile\n{}", errors.join("\n"));
        return Err(LabError::usage(text, HINT));
    }
    match diagnostics::executable(&said, BINARY) {
        Some(program) if done.status.success() => Ok(program.into()),
        _ => {
            let log = String::from_utf8_lossy(&done.stderr);
            let text = format!("cargo did not build {type_name}\n{}", log.trim());
            Err(LabError::missing(text, "./lab doctor"))
        }
    }
}
