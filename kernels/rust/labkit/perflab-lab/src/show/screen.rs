//! Where a cell shows things.

use std::env;
use std::io::{self, Write};

use serde_json::{Map, Value, json};

/// Set by the lab's relay in front of evcxr: what lines begin with that are displays.
const RELAY: &str = "PERFLAB_DISPLAY";

/// Set by evcxr in the process that runs cells.
const EVCXR: &str = "EVCXR_IS_RUNTIME";

/// A MIME bundle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bundle {
    pub(crate) data: Map<String, Value>,
    pub(crate) metadata: Value,
}

impl Bundle {
    /// Of a text and its HTML.
    pub(crate) fn of_text(plain: &str, html: &str) -> Self {
        let data = [("text/plain", plain), ("text/html", html)];
        Bundle {
            data: data
                .into_iter()
                .map(|(mime, text)| (mime.to_owned(), text.into()))
                .collect(),
            metadata: json!({}),
        }
    }
}

/// The ways to show something, by what the cell runs in.
#[derive(Clone, Debug)]
pub(crate) enum Screen {
    /// evcxr behind the lab's relay: any number of displays while the cell runs, which can be replaced.
    Relay { mark: String },
    /// evcxr by itself: what a cell shows is one bundle, at its end, so that the last one of a kind stays.
    Evcxr,
    /// No kernel at all.
    Terminal,
}

impl Screen {
    /// That of this process.
    pub(crate) fn present() -> Self {
        match env::var(RELAY) {
            Ok(mark) => Screen::Relay { mark },
            Err(_) if env::var_os(EVCXR).is_some() => Screen::Evcxr,
            Err(_) => Screen::Terminal,
        }
    }

    /// Shows a bundle.
    pub(crate) fn show(&self, bundle: &Bundle) {
        match self {
            Screen::Relay { mark } => {
                let said = json!({"kind": "display", "data": bundle.data, "metadata": bundle.metadata});
                say(&mut io::stdout().lock(), mark, &said);
            }
            Screen::Evcxr => {
                for (mime, content) in &bundle.data {
                    match content {
                        Value::String(text) => send_content(mime, text),
                        json => send_content(mime, &json.to_string()),
                    }
                }
            }
            Screen::Terminal => println!(
                "{}",
                bundle.data.get("text/plain").and_then(Value::as_str).unwrap_or("")
            ),
        }
    }

    /// Shows a bundle in place of the one of the same name, and says whether it can.
    pub(crate) fn replace(&self, name: &str, bundle: &Bundle, is_first: bool) -> bool {
        let Screen::Relay { mark } = self else {
            return false;
        };
        let kind = if is_first { "display" } else { "update" };
        let said = json!({"kind": kind, "id": name, "data": bundle.data, "metadata": bundle.metadata});
        say(&mut io::stdout().lock(), mark, &said);
        true
    }

    /// Says that this error is about to be returned: if the cell does not handle it, the cell has failed.
    pub(crate) fn announce(&self, error: &crate::LabError) {
        if let Screen::Relay { mark } = self {
            let text = error.to_string();
            // Where evcxr prints the error, so that one comes before the other; and where it says that the cell has ended, so
            // that both come before that.
            let failure = json!({"kind": "failure", "name": "LabError", "text": text});
            say(&mut io::stderr().lock(), mark, &failure);
            say(&mut io::stdout().lock(), mark, &json!({"kind": "expect", "text": text}));
        }
    }
}

/// A text without what evcxr obeys in a line that a cell prints, as `EVCXR_BEGIN_CONTENT text/html`: others wrote it.
pub(crate) fn harmless(text: &str) -> String {
    text.replace("EVCXR_", "EVCXR-")
}

fn say(output: &mut dyn Write, mark: &str, said: &Value) {
    // evcxr looks for its words anywhere in a line; in JSON they can be written otherwise.
    let line = said.to_string().replace("EVCXR_", r"EVCXR\u005f");
    // Whoever reads it has gone only if the kernel has.
    let _ = writeln!(output, "{mark}{line}");
    let _ = output.flush();
}

/// Content of the running cell's value, as evcxr takes it.
pub(crate) fn send_content(mime: &str, text: &str) {
    let (mut output, text) = (io::stdout().lock(), harmless(text));
    let _ = writeln!(output, "EVCXR_BEGIN_CONTENT {mime}\n{text}\nEVCXR_END_CONTENT");
    let _ = output.flush();
}
