//! A command's options.

use crate::Error;

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
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            if !known.contains(&name) {
                return Err(Error::unknown("option", name, known));
            }
            let Some(value) = value.or_else(|| rest.next().cloned()) else {
                return Err(Error::usage(format!("option '{name}' has no value"), known.iter().copied()));
            };
            given.push((name.to_owned(), value));
        }
        Ok(CommandLine { given })
    }

    /// The option's value, the last one if it was given twice.
    pub(crate) fn value(&self, option: &str) -> Option<&str> {
        self.given.iter().rfind(|(name, _)| name == option).map(|(_, value)| value.as_str())
    }

    pub(crate) fn required(&self, option: &str) -> Result<&str, Error> {
        self.value(option)
            .ok_or_else(|| Error::usage(format!("the option '{option}' is missing"), [format!("{option} NAME")]))
    }

    /// What a repeatable option was given, as `name=value` each.
    pub(crate) fn pairs(&self, option: &str) -> Result<Vec<(String, String)>, Error> {
        self.given
            .iter()
            .filter(|(name, _)| name == option)
            .map(|(_, pair)| match pair.split_once('=') {
                Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
                None => Err(Error::usage(format!("'{option} {pair}' has no value"), [format!("{option} NAME=VALUE")])),
            })
            .collect()
    }

    pub(crate) fn whole(&self, option: &str, otherwise: i64, least: i64) -> Result<i64, Error> {
        let Some(text) = self.value(option) else {
            return Ok(otherwise);
        };
        let Ok(value) = text.parse::<i64>() else {
            return Err(Error::usage(
                format!("{option} cannot be '{text}'"),
                [format!("{option} with a whole number")],
            ));
        };
        if value < least {
            let allowed = format!("a whole number of at least {least}");
            return Err(Error::usage(format!("{option} cannot be {value}"), [allowed]));
        }
        Ok(value)
    }
}
