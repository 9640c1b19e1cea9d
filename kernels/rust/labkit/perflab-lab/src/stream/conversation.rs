//! One command from its start to its result.

use serde_json::{Map, Value};

use super::{LabProcess, Message, Progress};
use crate::LabError;

/// 128 + SIGINT, as shells say it.
const INTERRUPTED: i32 = 130;

/// Who is told what a command says while it runs.
pub(crate) trait Listener {
    fn progress(&mut self, progress: &Progress);

    fn display(&mut self, data: Map<String, Value>, metadata: Value);

    /// A remark, or a line that is no message of the stream: that one may be the only trace of a fault.
    fn note(&mut self, text: &str);
}

/// What a command returned, and the status it ended with.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) data: Value,
    pub(crate) exit_status: i32,
}

/// Passes on what a command says until it ends.
///
/// # Errors
///
/// Its `error`, or that it ended without a result.
pub(crate) fn hold(mut process: LabProcess, listener: &mut dyn Listener) -> Result<Outcome, LabError> {
    let mut result = None;
    let mut failure = None;
    while let Some(line) = process.next_line() {
        match Message::parse(&line) {
            Some(Message::Progress(progress)) => listener.progress(&progress),
            Some(Message::Note(text)) => listener.note(&text),
            Some(Message::Display { data, metadata }) => listener.display(data, metadata),
            Some(Message::Result(data)) => result = Some(data),
            Some(Message::Failure { message, hint, exit }) => failure = Some((message, hint, exit)),
            None if line.trim().is_empty() => {}
            None => listener.note(&line),
        }
    }
    let (exit_status, log) = process.finish();
    match (failure, result) {
        (Some((message, hint, exit)), _) => Err(LabError::new(message, hint, exit.unwrap_or(exit_status))),
        (None, Some(data)) => Ok(Outcome { data, exit_status }),
        (None, None) if exit_status == INTERRUPTED => Err(LabError::new("interrupted", log, INTERRUPTED)),
        (None, None) => {
            let text = format!("./lab ended with status {exit_status} and no result\n{log}");
            Err(LabError::new(text.trim_end(), "", exit_status))
        }
    }
}
