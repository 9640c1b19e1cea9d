//! The lines that `./lab ... --stream` prints, see `docs/protocol.md`, "The stream between perflab and a notebook".

use serde_json::{Map, Value};

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    Progress(Progress),
    /// A remark that stays.
    Note(String),
    /// A MIME bundle to show as it is.
    Display {
        data: Map<String, Value>,
        metadata: Value,
    },
    /// What the command is about. It may come with a status that is not zero: a claim that did not hold, say.
    Result(Value),
    /// The last line if not all went well.
    Failure {
        message: String,
        hint: String,
        exit: Option<i32>,
    },
}

/// How far the command is: `done` from 0 to 1; replaces the one before it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    pub(crate) done: f64,
    pub(crate) text: String,
    pub(crate) seconds_left: Option<f64>,
}

impl Message {
    /// The message in a line, or `None` where it is none: a stray print, say, or a type of a later protocol.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let Value::Object(mut fields) = serde_json::from_str(line).ok()? else {
            return None;
        };
        let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| fields.get(name).and_then(Value::as_f64);
        Some(match fields.get("type")?.as_str()? {
            "progress" => Message::Progress(Progress {
                done: number("done").unwrap_or(0.0).clamp(0.0, 1.0),
                text: text("text"),
                seconds_left: number("seconds_left"),
            }),
            "note" => Message::Note(text("text")),
            "display" => {
                let metadata = fields.remove("metadata").unwrap_or_else(|| Value::Object(Map::new()));
                let Value::Object(data) = fields.remove("data")? else {
                    return None;
                };
                Message::Display { data, metadata }
            }
            "result" => Message::Result(fields.remove("data").unwrap_or_default()),
            "error" => Message::Failure {
                message: text("message"),
                hint: text("hint"),
                exit: fields
                    .get("exit")
                    .and_then(Value::as_i64)
                    .and_then(|status| i32::try_from(status).ok()),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_none() {
        for line in [
            "",
            "12",
            "[]",
            "{}",
            "round 3",
            r#"{"type": "later"}"#,
            r#"{"type": "display"}"#,
        ] {
            assert_eq!(Message::parse(line), None, "{line}");
        }
    }

    #[test]
    fn progress_stays_between_none_and_all() {
        let Some(Message::Progress(progress)) = Message::parse(r#"{"type": "progress", "done": 1.7, "text": "t"}"#)
        else {
            panic!("a progress");
        };
        assert_eq!((progress.done, progress.seconds_left), (1.0, None));
    }

    #[test]
    fn an_error_has_its_status() {
        let parsed = Message::parse(r#"{"type": "error", "message": "m", "hint": "h", "exit": 3}"#);
        let expected = Message::Failure {
            message: "m".into(),
            hint: "h".into(),
            exit: Some(3),
        };
        assert_eq!(parsed, Some(expected));
    }
}
