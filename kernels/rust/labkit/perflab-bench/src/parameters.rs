//! The values of a scenario's parameters in one run.

use serde_json::{Map, Value};

use crate::{Error, Parameter};

/// The values of a scenario's parameters in one run: those given, and the defaults of the others.
///
/// Its getters panic on a name that the scenario does not declare, or declares with another type: a slip in the
/// scenario's source and not in what the user typed.
#[derive(Clone, Debug)]
pub struct Parameters {
    values: Map<String, Value>,
}

impl Parameters {
    /// Binds the texts of `--param` to what a scenario declares.
    pub fn bind(declared: &[Parameter], given: &[(String, String)]) -> Result<Self, Error> {
        let names: Vec<&str> = declared.iter().map(|parameter| parameter.name).collect();
        if let Some((name, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
            return Err(Error::unknown("parameter", name, &names));
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
    #[allow(clippy::missing_panics_doc, reason = "see the type")]
    pub fn int(&self, name: &str) -> i64 {
        self.value(name).as_i64().expect("an int parameter")
    }

    /// A whole number that counts something.
    #[allow(clippy::missing_panics_doc, reason = "see the type")]
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.int(name)).expect("a parameter whose least value is at least zero")
    }

    /// A number.
    #[allow(clippy::missing_panics_doc, reason = "see the type")]
    pub fn float(&self, name: &str) -> f64 {
        self.value(name).as_f64().expect("a float parameter")
    }

    /// True or false.
    #[allow(clippy::missing_panics_doc, reason = "see the type")]
    pub fn bool(&self, name: &str) -> bool {
        self.value(name).as_bool().expect("a bool parameter")
    }

    /// A word.
    #[allow(clippy::missing_panics_doc, reason = "see the type")]
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
