//! A variant of the reader's own.
//!
//! Rust has no stable interface between separately compiled libraries, so that a plug-in is a whole program: the
//! component's bench program with one more variant, linked anew. Whoever is given `--plugin PATH` becomes that program
//! and hands it the other arguments. The process is the same one, so that whoever waits for it, counts what it uses or
//! profiles it has lost nothing.

use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::Error;

const OPTION: &str = "--plugin";

/// Whether there is a `--plugin` among a command's arguments.
pub(crate) fn is_named(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| is_option(argument))
}

/// Takes `--plugin PATH` out of a command's arguments.
pub(crate) fn take(arguments: &mut Vec<String>) -> Result<Option<String>, Error> {
    let Some(at) = arguments.iter().position(|argument| is_option(argument)) else {
        return Ok(None);
    };
    let option = arguments.remove(at);
    if let Some((_, path)) = option.split_once('=') {
        return Ok(Some(path.to_owned()));
    }
    if at == arguments.len() {
        return Err(Error::usage(format!("option '{OPTION}' has no value"), [format!("{OPTION} PATH")]));
    }
    Ok(Some(arguments.remove(at)))
}

fn is_option(argument: &str) -> bool {
    argument.split('=').next() == Some(OPTION)
}

/// Becomes the plug-in; comes back only if it cannot.
pub(crate) fn become_it(path: &str, arguments: &[String]) -> Result<Infallible, Error> {
    const NOTHING: [&str; 0] = [];
    if !Path::new(path).is_file() {
        return Err(Error::usage(format!("no plug-in can be read at '{path}'"), NOTHING));
    }
    let problem = Command::new(Path::new(path).canonicalize()?).args(arguments).exec();
    Err(Error::usage(format!("the plug-in '{path}' does not start: {problem}"), NOTHING))
}
