//! What a command returned.

use std::fmt;

use serde_json::Value;

use crate::LabError;
use crate::show::send_content;

/// What a command returned, the same as `./lab COMMAND --json` prints.
///
/// `lab.describe("supervisor")?.get("variants/0/name").text()`
#[derive(Clone, Debug, Default)]
pub struct LabResult {
    json: Value,
    exit_status: i32,
    shown: bool,
}

impl LabResult {
    /// `shown`: whether the command has shown its figures.
    pub(crate) fn new(json: Value, exit_status: i32, shown: bool) -> Self {
        LabResult {
            json,
            exit_status,
            shown,
        }
    }

    /// The whole of it.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// 0, or 1 for a shortfall and 4 for a failure that the result tells of.
    pub fn exit_status(&self) -> i32 {
        self.exit_status
    }

    /// What is at a path of keys and indices, as in `variants/0/name`; a JSON null if there is nothing.
    #[must_use]
    pub fn get(&self, path: &str) -> LabResult {
        let found = self.json.pointer(&format!("/{path}")).cloned();
        LabResult::new(found.unwrap_or_default(), 0, false)
    }

    /// It as text, if it is text, a number or a boolean.
    pub fn text(&self) -> Option<String> {
        match &self.json {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            _ => None,
        }
    }

    /// It as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        self.json.as_f64()
    }

    /// The elements of an array; none if it is no array.
    pub fn list(&self) -> Vec<LabResult> {
        let elements = self.json.as_array().into_iter().flatten();
        elements
            .map(|element| LabResult::new(element.clone(), 0, false))
            .collect()
    }

    /// The run's id, for commands that leave one: measure, noise, profile.
    pub fn id(&self) -> Option<String> {
        ["id", "run", "run/id"]
            .into_iter()
            .find_map(|path| self.get(path).text())
    }

    pub(crate) fn require_id(&self) -> Result<String, LabError> {
        self.id()
            .ok_or_else(|| LabError::usage("this result is of no run", "pass what lab.measure returned"))
    }

    /// Shows it as the value of a cell: the JSON, or nothing where the command has already shown its figures.
    pub fn evcxr_display(&self) {
        if !self.shown {
            send_content("text/plain", &self.to_string());
        }
    }
}

impl fmt::Display for LabResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text() {
            Some(text) => formatter.write_str(&text),
            None => write!(formatter, "{:#}", self.json),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn result(json: Value) -> LabResult {
        LabResult::new(json, 0, false)
    }

    #[test]
    fn a_path_leads_through_objects_and_arrays() {
        let topics = result(json!([{"name": "toy", "size": 1.5, "new": true}]));
        assert_eq!(topics.get("0/name").text().as_deref(), Some("toy"));
        assert_eq!(topics.get("0/size").number(), Some(1.5));
        assert_eq!(topics.get("0/new").text().as_deref(), Some("true"));
        assert_eq!(topics.get("7/name/3").text(), None);
        assert_eq!(topics.list().len(), 1);
    }

    #[test]
    fn a_run_has_an_id_wherever_its_command_puts_it() {
        for json in [json!({"id": "r"}), json!({"run": "r"}), json!({"run": {"id": "r"}})] {
            assert_eq!(result(json).id().as_deref(), Some("r"));
        }
        let error = result(json!({"ready": []})).require_id().unwrap_err();
        assert_eq!(error.exit_status(), 2);
    }
}
