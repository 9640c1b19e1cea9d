//! Compiling a variant with Cargo.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::dependencies::Dependency;
use super::diagnostics;
use crate::LabError;

const HINT: &str = "a variant is compiled on its own, without the notebook's variables: it may use what its own cell \
                    declares, and the component; keep statements in another cell";

/// The member of a component's workspace that a variant becomes the source of, by the environment and a feature. A workspace
/// of its own would have Cargo compile all crates of the component again, since it names what it compiles by the workspace.
const CRATE: &str = "variant";

/// Compiles the component's crate for variants with `source`, and what has already been compiled for the component.
///
/// # Errors
///
/// It does not compile; with the cell's own lines and columns.
pub(crate) fn compile(source: &Path, component: &Path, type_name: &str) -> Result<PathBuf, LabError> {
    let name = Dependency::at(&component.join(CRATE))?.name;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "build",
        "--release",
        "--locked",
        "--offline",
        "--quiet",
        "--message-format",
        "json",
    ]);
    command.args(["--package", &name, "--features", "cell"]);
    command
        .current_dir(component)
        .env("PERFLAB_VARIANT", source)
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
    match diagnostics::executable(&said, &name) {
        Some(program) if done.status.success() => Ok(program.into()),
        _ => {
            let log = String::from_utf8_lossy(&done.stderr);
            let text = format!("cargo did not build {type_name}\n{}", log.trim());
            Err(LabError::missing(text, "./lab doctor"))
        }
    }
}
