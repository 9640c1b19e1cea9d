//! A scenario's parameters, and their values in one run.

use serde_json::{Map, Value, json};

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
        value.ok_or_else(|| Error::refused(format!("parameter '{}' cannot be '{text}'", self.name)))
    }

    pub(crate) fn to_json(&self) -> Value {
        let (kind, range) = match self.range {
            Range::Int { min, max } => ("int", json!({"min": min, "max": max})),
            Range::Float { min, max } => ("float", json!({"min": min, "max": max})),
            Range::Bool => ("bool", json!({})),
            Range::Choice(choices) => ("string", json!({"choices": choices})),
        };
        let mut json = json!({"name": self.name, "type": kind, "default": self.default, "help": self.help});
        json.as_object_mut()
            .into_iter()
            .for_each(|fields| fields.extend(range.as_object().cloned().unwrap_or_default()));
        json
    }
}

/// The values of a scenario's parameters in one run: those given, and the defaults of the others.
///
/// Its getters panic on a name that the scenario does not declare, or declares with another type: a slip in the
/// scenario's source and not in what the user typed.
#[derive(Clone, Debug)]
pub struct Parameters {
    values: Map<String, Value>,
}

#[allow(clippy::missing_panics_doc, reason = "see the type")]
impl Parameters {
    /// Binds the texts of `--param` to what a scenario declares.
    pub fn bind(declared: &[Parameter], given: &[(String, String)]) -> Result<Self, Error> {
        let is_declared = |name: &String| declared.iter().any(|parameter| parameter.name == name);
        if let Some((name, _)) = given.iter().find(|(name, _)| !is_declared(name)) {
            return Err(Error::unknown("parameter", name));
        }
        let mut values = Map::new();
        for parameter in declared {
            let text = given.iter().rfind(|(name, _)| name == parameter.name).map(|(_, text)| text);
            let value = text.map_or_else(|| Ok(parameter.default.clone()), |text| parameter.parse(text))?;
            values.insert(parameter.name.into(), value);
        }
        Ok(Parameters { values })
    }

    /// Whether the scenario declares such a parameter.
    pub fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A whole number.
    pub fn int(&self, name: &str) -> i64 {
        self.value(name).as_i64().expect("an int parameter")
    }

    /// A whole number that counts something.
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.int(name)).expect("a parameter whose least value is at least zero")
    }

    /// A number.
    pub fn float(&self, name: &str) -> f64 {
        self.value(name).as_f64().expect("a float parameter")
    }

    /// True or false.
    pub fn bool(&self, name: &str) -> bool {
        self.value(name).as_bool().expect("a bool parameter")
    }

    /// A word.
    pub fn string(&self, name: &str) -> &str {
        self.value(name).as_str().expect("a string parameter")
    }

    pub(crate) fn to_json(&self) -> Value {
        Value::Object(self.values.clone())
    }

    fn value(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or_else(|| panic!("the scenario declares no parameter '{name}'"))
    }
}
