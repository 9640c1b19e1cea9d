//! Showing things in the cell that runs: one line of progress, kept up to date, then the charts.

use std::io::{self, Write};
use std::time::{Duration, Instant};
use std::{env, process};

use serde_json::{Value, json};

use crate::{LabError, now_ns};

/// Every update is a message to the browser, and one more of the same kind to the notebook's file.
const UPDATE_INTERVAL: Duration = Duration::from_millis(250);
/// Where a line of progress cannot be replaced, each is one more.
const LINE_INTERVAL: Duration = Duration::from_secs(10);
const BAR_CELLS: usize = 24;

/// What one command shows.
pub(crate) struct Cell {
    screen: Screen,
    title: String,
    quiet: bool,
    name: String,
    begun: Instant,
    shown: Option<Instant>,
    has_shown: bool,
}

impl Cell {
    pub(crate) fn new(title: &str, quiet: bool) -> Self {
        Cell {
            screen: Screen::present(),
            title: title.to_owned(),
            quiet,
            // By the time: a cell may have a copy of this crate of its own, and a counter would begin anew in each.
            name: format!("perflab-{}-{}", process::id(), now_ns()),
            begun: Instant::now(),
            shown: None,
            has_shown: false,
        }
    }

    /// Whether anything but progress was shown.
    pub(crate) fn has_shown(&self) -> bool {
        self.has_shown
    }

    pub(crate) fn progress(&mut self, message: &Value) {
        let interval = if matches!(self.screen, Screen::Relay { .. }) { UPDATE_INTERVAL } else { LINE_INTERVAL };
        if !self.quiet && self.shown.is_none_or(|shown| shown.elapsed() >= interval) {
            let (plain, html) = progress_texts(message);
            self.put(&plain, &html);
        }
    }

    pub(crate) fn display(&mut self, data: &Value, metadata: &Value) {
        if !self.quiet {
            self.has_shown = true;
            self.screen.show(data, metadata);
        }
    }

    pub(crate) fn note(&self, text: &str) {
        if !self.quiet && !text.trim().is_empty() {
            println!("{}", harmless(text));
        }
    }

    /// Puts a last line in place of the progress, if there was any.
    pub(crate) fn finish(&mut self, word: &str) {
        if self.shown.is_some() {
            let text = format!("{}: {word} after {} s", self.title, self.begun.elapsed().as_secs());
            let html = format!(r#"<span style="opacity: 0.6">{}</span>"#, escape(&text));
            self.put(&text, &html);
        }
    }

    fn put(&mut self, plain: &str, html: &str) {
        if let Screen::Relay { mark } = &self.screen {
            let kind = if self.shown.is_none() { "display" } else { "update" };
            let data = json!({"text/plain": plain, "text/html": html});
            say(&mut io::stdout().lock(), mark, &json!({"kind": kind, "id": self.name, "data": data}));
        } else {
            println!("{}", harmless(plain));
        }
        self.shown = Some(Instant::now());
    }
}

fn progress_texts(message: &Value) -> (String, String) {
    let done = message["done"].as_f64().unwrap_or(0.0).clamp(0.0, 1.0);
    let mut words = vec![format!("{:.0} %", done * 100.0)];
    words.extend(message["text"].as_str().map(str::to_owned));
    words.extend(message["seconds_left"].as_f64().map(|left| format!("{left:.0} s left")));
    let words = words.join(" · ");
    let full = (1..=BAR_CELLS).filter(|cell| *cell as f64 <= done * BAR_CELLS as f64 + 0.5).count();
    let bar = "#".repeat(full) + &".".repeat(BAR_CELLS - full);
    let style = "width: 18em; vertical-align: middle";
    let html = format!(r#"<progress max="1" value="{done}" style="{style}"></progress> {}"#, escape(&words));
    (format!("[{bar}] {words}"), html)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The ways to show something, by what the cell runs in.
pub(crate) enum Screen {
    /// evcxr behind the lab's relay, where lines with a mark are displays: any number of them, which can be replaced.
    Relay { mark: String },
    /// evcxr by itself: what a cell shows is one bundle, at its end, so that the last one of a kind stays.
    Evcxr,
    /// No kernel at all.
    Terminal,
}

impl Screen {
    pub(crate) fn present() -> Self {
        match env::var("PERFLAB_DISPLAY") {
            Ok(mark) => Screen::Relay { mark },
            Err(_) if env::var_os("EVCXR_IS_RUNTIME").is_some() => Screen::Evcxr,
            Err(_) => Screen::Terminal,
        }
    }

    fn show(&self, data: &Value, metadata: &Value) {
        match self {
            Screen::Relay { mark } => {
                let metadata = if metadata.is_object() { metadata.clone() } else { json!({}) };
                let said = json!({"kind": "display", "data": data, "metadata": metadata});
                say(&mut io::stdout().lock(), mark, &said);
            }
            Screen::Evcxr => {
                for (mime, content) in data.as_object().into_iter().flatten() {
                    match content {
                        Value::String(text) => send_content(mime, text),
                        json => send_content(mime, &json.to_string()),
                    }
                }
            }
            Screen::Terminal => println!("{}", data["text/plain"].as_str().unwrap_or_default()),
        }
    }

    /// Says that this error is about to be returned: if the cell does not handle it, the cell has failed.
    pub(crate) fn announce(&self, error: &LabError) {
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
fn harmless(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_and_html_shows_what_looks_like_a_tag() {
        for (done, full) in [(0.0, 0), (0.5, 12), (1.7, 24)] {
            let (plain, html) = progress_texts(&json!({"done": done, "text": "<linked>", "seconds_left": 3.2}));
            assert_eq!(plain.matches('#').count(), full);
            assert!(plain.ends_with(" % · <linked> · 3 s left"));
            assert!(html.contains("&lt;linked&gt;"));
        }
    }
}
