//! A command's options, and becoming a plug-in.

use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::Error;

const PLUGIN: &str = "--plugin";

/// A command's options, each as `--name value` or `--name=value`, all with a value.
#[derive(Debug)]
pub(crate) struct CommandLine {
    given: Vec<(String, String)>,
}

impl CommandLine {
    pub(crate) fn read(arguments: &[String], known: &[&str]) -> Result<Self, Error> {
        let mut given = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (argument.as_str(), None),
            };
            if !known.contains(&name) {
                return Err(Error::unknown("option", name));
            }
            let value = value.or_else(|| rest.next().map(String::as_str));
            let value = value.ok_or_else(|| Error::refused(format!("option '{name}' has no value")))?;
            given.push((name.to_owned(), value.to_owned()));
        }
        Ok(CommandLine { given })
    }

    /// The option's value, the last one if it was given twice.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.given.iter().rfind(|(name, _)| name == option).map(|(_, value)| value.as_str())
    }

    pub(crate) fn required(&self, option: &str) -> Result<&str, Error> {
        self.value(option).ok_or_else(|| Error::refused(format!("the option '{option}' is missing")))
    }

    /// What a repeatable option was given, as `name=value` each.
    pub(crate) fn pairs(&self, option: &str) -> Result<Vec<(String, String)>, Error> {
        let pairs = self.given.iter().filter(|(name, _)| name == option).map(|(_, pair)| {
            let (name, value) =
                pair.split_once('=').ok_or_else(|| Error::refused(format!("'{option} {pair}' has no value")))?;
            Ok((name.to_owned(), value.to_owned()))
        });
        pairs.collect()
    }

    pub(crate) fn whole(&self, option: &str, otherwise: i64, least: i64) -> Result<i64, Error> {
        let text = self.value(option);
        let value = text.map_or(Some(otherwise), |text| text.parse().ok()).filter(|value| *value >= least);
        value.ok_or_else(|| Error::refused(format!("{option} cannot be '{}'", text.unwrap_or_default())))
    }

    /// Takes `--plugin PATH` out of a command's arguments.
    pub(crate) fn take_plugin(arguments: &mut Vec<String>) -> Result<Option<String>, Error> {
        let Some(at) = arguments.iter().position(|argument| is_plugin(argument)) else {
            return Ok(None);
        };
        let option = arguments.remove(at);
        match option.split_once('=') {
            Some((_, path)) => Ok(Some(path.to_owned())),
            None if at < arguments.len() => Ok(Some(arguments.remove(at))),
            None => Err(Error::refused(format!("option '{PLUGIN}' has no value"))),
        }
    }
}

/// Whether the argument is `--plugin`, with its value or before it.
pub(crate) fn is_plugin(argument: &str) -> bool {
    argument.split('=').next() == Some(PLUGIN)
}

/// Becomes a plug-in; comes back only if it cannot.
///
/// Rust has no stable interface between separately compiled libraries, so that a plug-in is a whole program: the
/// component's bench program with one more variant, linked anew. The process is the same one, so that whoever waits for
/// it, counts what it uses or profiles it has lost nothing.
pub(crate) fn become_plugin(path: &str, arguments: &[String]) -> Result<Infallible, Error> {
    if !Path::new(path).is_file() {
        return Err(Error::refused(format!("no plug-in can be read at '{path}'")));
    }
    let problem = Command::new(Path::new(path).canonicalize()?).args(arguments).exec();
    Err(Error::refused(format!("the plug-in '{path}' does not start: {problem}")))
}
