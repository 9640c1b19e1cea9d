//! What Cargo and the compiler say.

use serde_json::Value;

use super::program::CELL;

/// The errors in Cargo's JSON lines, each with the line and column of the cell that it is about, if it is about one.
pub(crate) fn errors(lines: &str) -> Vec<String> {
    let messages = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages
        .filter(|message| message["reason"] == "compiler-message" && message["message"]["level"] == "error")
        .filter_map(|message| describe(&message["message"]))
        .collect()
}

/// The program that Cargo has made.
pub(crate) fn executable(lines: &str, name: &str) -> Option<String> {
    let messages = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let made = messages.filter(|message| message["target"]["name"] == name);
    made.filter_map(|message| message["executable"].as_str().map(str::to_owned))
        .next_back()
}

fn describe(message: &Value) -> Option<String> {
    let text = message["message"].as_str()?;
    if text.starts_with("aborting due to") {
        return None;
    }
    let place = place(message).map(|(line, column)| format!("line {line}, column {column}: "));
    let code = message["code"]["code"].as_str().map(|code| format!("{code}: "));
    let label = primary(message).and_then(|span| span["label"].as_str());
    let label = label.map(|label| format!(" ({label})"));
    Some(format!(
        "  {}{}{text}{}",
        place.unwrap_or_default(),
        code.unwrap_or_default(),
        label.unwrap_or_default()
    ))
}

fn place(message: &Value) -> Option<(u64, u64)> {
    let span = primary(message).and_then(in_cell).or_else(|| {
        let children = message["children"].as_array().into_iter().flatten();
        children
            .chain([message])
            .find_map(|one| one["spans"].as_array()?.iter().find_map(in_cell))
    })?;
    Some((span["line_start"].as_u64()?, span["column_start"].as_u64()?))
}

fn primary(message: &Value) -> Option<&Value> {
    message["spans"]
        .as_array()?
        .iter()
        .find(|span| span["is_primary"] == true)
}

/// The span, or the place in the cell from which a macro brought it there.
fn in_cell(span: &Value) -> Option<&Value> {
    if span["file_name"].as_str().is_some_and(|file| file.ends_with(CELL)) {
        return Some(span);
    }
    span["expansion"].get("span").and_then(in_cell)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn message(file: &str, children: &Value) -> String {
        let message = json!({
            "level": "error",
            "message": "mismatched types",
            "code": {"code": "E0308"},
            "spans": [{"file_name": file, "line_start": 3, "column_start": 5, "is_primary": true, "label": "expected u32"}],
            "children": children,
        });
        json!({"reason": "compiler-message", "message": message}).to_string()
    }

    #[test]
    fn an_error_has_the_cells_line() {
        let errors = errors(&message("/x/src/cell.rs", &json!([])));
        assert_eq!(errors, ["  line 3, column 5: E0308: mismatched types (expected u32)"]);
    }

    #[test]
    fn one_about_the_generated_lines_has_the_line_that_it_mentions_or_none() {
        let child = json!([{"spans": [{"file_name": "src/cell.rs", "line_start": 1, "column_start": 8}]}]);
        assert_eq!(
            errors(&message("src/main.rs", &child)),
            ["  line 1, column 8: E0308: mismatched types (expected u32)"]
        );
        assert_eq!(
            errors(&message("src/main.rs", &json!([]))),
            ["  E0308: mismatched types (expected u32)"]
        );
    }

    #[test]
    fn the_program_is_the_one_of_that_name() {
        let lines = [
            json!({"reason": "compiler-artifact", "target": {"name": "other"}, "executable": "/target/other"}),
            json!({"reason": "compiler-artifact", "target": {"name": "mine"}, "executable": "/target/mine"}),
        ];
        let lines = lines.map(|line| line.to_string()).join("\nnot json\n");
        assert_eq!(executable(&lines, "mine").as_deref(), Some("/target/mine"));
        assert_eq!(executable(&lines, "nothing"), None);
    }
}
