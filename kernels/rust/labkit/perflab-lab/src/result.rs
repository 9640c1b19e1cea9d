//! What a command returned, or what went wrong.

use std::fmt;

use serde_json::Value;

use crate::show::send_content;

/// What is wrong, and what to do about it.
#[derive(Clone, Debug)]
pub struct LabError {
    text: String,
    hint: String,
    exit_status: i32,
}

impl LabError {
    pub(crate) fn new(text: impl Into<String>, hint: impl Into<String>, exit_status: i32) -> Self {
        LabError { text: text.into(), hint: hint.into(), exit_status }
    }

    /// Something of this machine that is in the way.
    pub(crate) fn missing(text: impl Into<String>, hint: impl Into<String>) -> Self {
        LabError::new(text, hint, 3)
    }

    /// Something that the cell's author wrote.
    pub(crate) fn usage(text: impl Into<String>, hint: impl Into<String>) -> Self {
        LabError::new(text, hint, 2)
    }

    /// What is wrong.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What to do about it; may be empty.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// The exit status of `./lab`; 130 after an interrupt.
    pub fn exit_status(&self) -> i32 {
        self.exit_status
    }
}

impl fmt::Display for LabError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)?;
        if !self.hint.is_empty() {
            write!(formatter, "\n  hint: {}", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for LabError {}

/// What a command returned: what `./lab COMMAND --json` prints.
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
        LabResult { json, exit_status, shown }
    }

    /// The JSON.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The exit status of `./lab`.
    pub fn exit_status(&self) -> i32 {
        self.exit_status
    }

    /// The value at a path of keys and indices, as in `variants/0/name`; null if there is none.
    #[must_use]
    pub fn get(&self, path: &str) -> LabResult {
        let found = self.json.pointer(&format!("/{path}")).cloned();
        LabResult::new(found.unwrap_or_default(), 0, false)
    }

    /// A text, number or boolean as text.
    pub fn text(&self) -> Option<String> {
        match &self.json {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => Some(self.json.to_string()),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&self) -> Option<f64> {
        self.json.as_f64()
    }

    /// The elements of an array; none of all else.
    pub fn list(&self) -> Vec<LabResult> {
        let elements = self.json.as_array().into_iter().flatten();
        elements.map(|element| LabResult::new(element.clone(), 0, false)).collect()
    }

    /// The run's id, for commands that leave one.
    pub fn id(&self) -> Option<String> {
        ["id", "run", "run/id"].into_iter().find_map(|path| self.get(path).text())
    }

    pub(crate) fn require_id(&self) -> Result<String, LabError> {
        self.id().ok_or_else(|| LabError::usage("this result is of no run", "pass what lab.measure returned"))
    }

    /// Shows it as the value of a cell: the JSON, or nothing where the command has shown its figures.
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

    #[test]
    fn a_path_leads_through_objects_and_arrays() {
        let topics = LabResult::new(json!([{"name": "toy", "size": 1.5, "new": true}]), 0, false);
        assert_eq!(topics.get("0/name").text().as_deref(), Some("toy"));
        assert_eq!(topics.get("0/size").number(), Some(1.5));
        assert_eq!(topics.get("0/new").text().as_deref(), Some("true"));
        assert_eq!(topics.get("7/name/3").text(), None);
        assert_eq!(topics.list().len(), 1);
        assert_eq!(topics.require_id().unwrap_err().exit_status(), 2);
    }
}
