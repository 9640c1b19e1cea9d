//! Running commands of `./lab`, whose stream `docs/protocol.md` describes.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::{env, thread};

use serde_json::{Map, Value};

use crate::show::{Cell, Screen};
use crate::{LabError, LabResult, Plugin};

const LOG_LINES_KEPT: usize = 20;
/// 128 + SIGINT, as shells say it.
const INTERRUPTED: i32 = 130;

/// The checkout that the notebook is in.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    root: PathBuf,
}

impl Runner {
    pub(crate) fn here() -> Result<Self, LabError> {
        let here = env::current_dir().map_err(|problem| LabError::missing(problem.to_string(), ""))?;
        Runner::above(&here)
    }

    fn above(start: &Path) -> Result<Self, LabError> {
        let is_checkout = |folder: &&Path| folder.join("lab").is_file() && folder.join("components").is_dir();
        let root = start.ancestors().find(is_checkout).ok_or_else(|| {
            LabError::missing(
                "this notebook is not inside a checkout of perflab",
                "open it from the checkout's notebooks folder",
            )
        })?;
        Ok(Runner { root: root.to_owned() })
    }

    pub(crate) fn component(&self, name: &str) -> PathBuf {
        self.root.join("components").join(name)
    }

    /// A folder for what is made on this machine and never committed.
    pub(crate) fn generated(&self, name: &str) -> PathBuf {
        self.root.join(".lab").join(name)
    }
}

/// Tells the relay of a failure, in case the cell does not handle it.
pub(crate) fn announced<T>(outcome: Result<T, LabError>) -> Result<T, LabError> {
    outcome.inspect_err(|error| Screen::present().announce(error))
}

/// A command of `./lab` with its options, which says nothing until it is run.
#[derive(Clone, Debug)]
#[must_use = "a command does nothing until it is run"]
pub struct Command<'lab> {
    runner: &'lab Runner,
    title: String,
    words: Vec<String>,
    plugin: Option<&'lab Plugin>,
}

impl<'lab> Command<'lab> {
    pub(crate) fn new<W: Display>(runner: &'lab Runner, name: &str, words: impl IntoIterator<Item = W>) -> Self {
        let words = words.into_iter().map(|word| word.to_string());
        let words: Vec<String> = [name.to_owned()].into_iter().chain(words).collect();
        Command { runner, title: words.join(" "), words, plugin: None }
    }

    /// `--name value`, for any option of the command.
    pub fn option(mut self, name: &str, value: impl Display) -> Self {
        self.words.extend([format!("--{name}"), value.to_string()]);
        self
    }

    /// `--name`, for any flag of the command.
    pub fn flag(mut self, name: &str) -> Self {
        self.words.push(format!("--{name}"));
        self
    }

    /// The topic's first scenario by default.
    pub fn scenario(self, name: impl Display) -> Self {
        self.option("scenario", name)
    }

    /// One variant more; all that support the scenario by default.
    pub fn variant(self, name: impl Display) -> Self {
        self.option("variant", name)
    }

    /// Several variants.
    pub fn variants<V: Display>(self, names: impl IntoIterator<Item = V>) -> Self {
        names.into_iter().fold(self, Command::variant)
    }

    /// A parameter of the scenario; the others keep their defaults.
    pub fn param(self, name: &str, value: impl Display) -> Self {
        self.option("param", format_args!("{name}={value}"))
    }

    /// A variant of your own that takes part.
    pub fn plugin(mut self, plugin: &'lab Plugin) -> Self {
        self.plugin = Some(plugin);
        self.option("plugin", plugin.path().display())
    }

    /// The variant that the others are compared with, or a saved baseline.
    pub fn baseline(self, name: impl Display) -> Self {
        self.option("baseline", name)
    }

    /// Keeps the run under a name, for later runs to be compared with.
    pub fn save_baseline(self, name: impl Display) -> Self {
        self.option("save-baseline", name)
    }

    /// One of the scenario's other metrics instead of its headline.
    pub fn metric(self, name: impl Display) -> Self {
        self.option("metric", name)
    }

    /// Half a minute.
    pub fn quick(self) -> Self {
        self.flag("quick")
    }

    /// Half an hour.
    pub fn rigorous(self) -> Self {
        self.flag("rigorous")
    }

    /// No round begins after so many seconds.
    pub fn budget_seconds(self, seconds: impl Display) -> Self {
        self.option("budget", seconds)
    }

    /// Of a profile: the variant to compare it with.
    pub fn against(self, variant: impl Display) -> Self {
        self.option("against", variant)
    }

    /// Of a profile: `cpu`, `wall` (waiting included), `lock` or `alloc`; or `counts`.
    pub fn mode(self, name: impl Display) -> Self {
        self.option("mode", name)
    }

    /// Of a bench: shows where the time goes instead, by a mode.
    pub fn profile(self, mode: impl Display) -> Self {
        self.option("profile", mode)
    }

    /// Of claims: only what the report says.
    pub fn statements(self) -> Self {
        self.flag("statements")
    }

    /// Of a comparison: the second run.
    pub fn with(mut self, second: &LabResult) -> Result<Self, LabError> {
        self.words.push(announced(second.require_id())?);
        Ok(self)
    }

    /// Runs it, and shows in the cell what it says.
    pub fn run(mut self) -> Result<LabResult, LabError> {
        let own = self.plugin.map(Plugin::variants).unwrap_or_default().to_vec();
        let is_named = self.words.iter().any(|word| word == "--variant");
        // Without names all are measured, the plug-in's among them; a profile is of one.
        if is_named && self.words[0] == "measure" {
            self = self.variants(own);
        } else if !is_named && self.words[0] == "profile" {
            self = self.variants(own.first());
        }
        let mut cell = Cell::new(&self.title, false);
        let outcome = self.talk(&mut cell);
        cell.finish(if outcome.is_ok() { "done" } else { "stopped" });
        announced(outcome)
    }

    /// Runs it; the cell shows nothing of it.
    pub(crate) fn ask(self) -> Result<LabResult, LabError> {
        self.talk(&mut Cell::new("", true))
    }

    fn talk(&self, cell: &mut Cell) -> Result<LabResult, LabError> {
        let mut process = self.start()?;
        let (Some(output), Some(errors)) = (process.0.stdout.take(), process.0.stderr.take()) else {
            unreachable!("both are pipes");
        };
        // A pipe that nobody reads would fill and stop the command.
        let log = thread::spawn(move || {
            let mut tail = VecDeque::new();
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                tail.push_back(line);
                if tail.len() > LOG_LINES_KEPT {
                    tail.pop_front();
                }
            }
            Vec::from(tail).join("\n")
        });
        let (mut result, mut failure) = (None, None);
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let Some(mut message) = parse(&line) else {
                // No message: it may be the only trace of a fault.
                cell.note(&line);
                continue;
            };
            match message["type"].as_str() {
                Some("progress") => cell.progress(&message),
                Some("display") => cell.display(&message["data"], &message["metadata"]),
                Some("note") => cell.note(text(&message, "text")),
                Some("result") => result = Some(message["data"].take()),
                Some("error") => failure = Some(message),
                _ => cell.note(&line),
            }
        }
        let status = process.0.wait().ok();
        let status = status.and_then(|status| status.code().or_else(|| status.signal().map(|number| 128 + number)));
        let (status, log) = (status.unwrap_or(-1), log.join().unwrap_or_default());
        if let Some(failure) = failure {
            let exit = failure["exit"].as_i64().and_then(|exit| i32::try_from(exit).ok());
            return Err(LabError::new(text(&failure, "message"), text(&failure, "hint"), exit.unwrap_or(status)));
        }
        match result {
            Some(data) => Ok(LabResult::new(data, status, cell.has_shown())),
            None if status == INTERRUPTED => Err(LabError::new("interrupted", log, INTERRUPTED)),
            None => {
                let text = format!("./lab ended with status {status} and no result\n{log}");
                Err(LabError::new(text.trim_end(), "", status))
            }
        }
    }

    fn start(&self) -> Result<Process, LabError> {
        let mut command = std::process::Command::new(self.runner.root.join("lab"));
        command.args(&self.words).arg("--stream").current_dir(&self.runner.root);
        // The kernel's own input is how it is told what to run.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = command.spawn().map(Process);
        started.map_err(|problem| LabError::missing(format!("./lab does not start: {problem}"), ""))
    }
}

/// A process that ends when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn parse(line: &str) -> Option<Value> {
    let fields: Map<String, Value> = serde_json::from_str(line).ok()?;
    fields.contains_key("type").then(|| Value::Object(fields))
}

fn text<'a>(message: &'a Value, name: &str) -> &'a str {
    message[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_is_found_from_any_folder_in_it() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(Runner::above(&here.join("src")).is_ok_and(|found| here.starts_with(found.root)));
        let error = Runner::above(Path::new("/")).unwrap_err();
        assert_eq!(error.exit_status(), 3);
        assert!(error.hint().contains("notebooks folder"));
    }

    #[test]
    fn what_is_no_message_is_none() {
        for line in ["", "12", "[]", "{}", "round 3"] {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
