//! A scenario's parameters.

use serde_json::{Value, json};

use crate::Error;

/// A parameter of a scenario: its name after `--param`, its default, what is allowed, and a line of help with its unit.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) default: Value,
    help: &'static str,
    range: Range,
}

#[derive(Clone, Debug)]
enum Range {
    Int { min: i64, max: i64 },
    Float { min: f64, max: f64 },
    Bool,
    Choice(&'static [&'static str]),
}

impl Parameter {
    /// A whole number; both bounds are allowed.
    pub fn int(name: &'static str, default: i64, min: i64, max: i64, help: &'static str) -> Self {
        Parameter { name, default: default.into(), help, range: Range::Int { min, max } }
    }

    /// A finite number; both bounds are allowed.
    pub fn float(name: &'static str, default: f64, min: f64, max: f64, help: &'static str) -> Self {
        Parameter { name, default: default.into(), help, range: Range::Float { min, max } }
    }

    /// True or false.
    pub fn bool(name: &'static str, default: bool, help: &'static str) -> Self {
        Parameter { name, default: default.into(), help, range: Range::Bool }
    }

    /// One of some words, the first of which is the default.
    ///
    /// # Panics
    ///
    /// If there are no choices.
    pub fn choice(name: &'static str, choices: &'static [&'static str], help: &'static str) -> Self {
        Parameter { name, default: choices[0].into(), help, range: Range::Choice(choices) }
    }

    /// The same with another default, for scenarios that share one.
    ///
    /// # Panics
    ///
    /// If the default is not allowed.
    #[must_use]
    pub fn with_default(mut self, text: &str) -> Self {
        self.default = self.parse(text).unwrap_or_else(|refusal| panic!("{refusal}"));
        self
    }

    /// Reads a value given on the command line.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, Error> {
        let value = match self.range {
            Range::Int { min, max } => text.parse::<i64>().ok().filter(|n| (min..=max).contains(n)).map(Value::from),
            Range::Float { min, max } => text.parse::<f64>().ok().filter(|x| (min..=max).contains(x)).map(Value::from),
            Range::Bool => text.parse::<bool>().ok().map(Value::from),
            Range::Choice(choices) => choices.contains(&text).then(|| Value::from(text)),
        };
        value.ok_or_else(|| {
            let refusal = format!("parameter '{}' cannot be '{text}'", self.name);
            Error::usage(refusal, self.allowed())
        })
    }

    fn allowed(&self) -> Vec<String> {
        match self.range {
            Range::Int { min, max } => vec![format!("a whole number from {min} to {max}")],
            Range::Float { min, max } => vec![format!("a number from {min} to {max}")],
            Range::Bool => vec!["true or false".into()],
            Range::Choice(choices) => choices.iter().map(|choice| (*choice).into()).collect(),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let mut json = json!({"name": self.name, "type": self.kind(), "default": self.default, "help": self.help});
        match self.range {
            Range::Int { min, max } => {
                json["min"] = min.into();
                json["max"] = max.into();
            }
            Range::Float { min, max } => {
                json["min"] = min.into();
                json["max"] = max.into();
            }
            Range::Bool => {}
            Range::Choice(choices) => json["choices"] = choices.into(),
        }
        json
    }

    fn kind(&self) -> &'static str {
        match self.range {
            Range::Int { .. } => "int",
            Range::Float { .. } => "float",
            Range::Bool => "bool",
            Range::Choice(_) => "string",
        }
    }
}
