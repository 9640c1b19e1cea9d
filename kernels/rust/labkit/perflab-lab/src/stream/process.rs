//! One `./lab COMMAND ... --stream` process, read line by line.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use crate::LabError;

const LOG_LINES_KEPT: usize = 20;

/// The process. It ends when it is dropped.
pub(crate) struct LabProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    log: Option<JoinHandle<VecDeque<String>>>,
}

impl LabProcess {
    /// Starts it in `folder`.
    ///
    /// # Errors
    ///
    /// It does not start.
    pub(crate) fn start(launcher: &Path, words: &[String], folder: &Path) -> Result<Self, LabError> {
        let mut command = Command::new(launcher);
        // The kernel's own input is how it is told what to run.
        command.args(words).current_dir(folder).stdin(Stdio::null());
        let started = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = started.map_err(|problem| LabError::missing(format!("./lab does not start: {problem}"), ""))?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            unreachable!("both are pipes");
        };
        // A pipe that nobody reads would fill and stop the command.
        let log = std::thread::spawn(move || {
            let mut tail = VecDeque::with_capacity(LOG_LINES_KEPT);
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                if tail.len() == LOG_LINES_KEPT {
                    tail.pop_front();
                }
                tail.push_back(line);
            }
            tail
        });
        Ok(LabProcess {
            child,
            lines: BufReader::new(output).lines(),
            log: Some(log),
        })
    }

    /// The next line of its standard output; `None` once it has closed that.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.lines.by_ref().find_map(Result::ok)
    }

    /// Waits for its end.
    ///
    /// Returns its exit status, as shells count those that signals cause, and the last lines of its standard error.
    pub(crate) fn finish(&mut self) -> (i32, String) {
        use std::os::unix::process::ExitStatusExt;

        let status = self.child.wait().ok();
        let status = status.and_then(|status| status.code().or_else(|| status.signal().map(|number| 128 + number)));
        let log = self.log.take().and_then(|log| log.join().ok()).unwrap_or_default();
        (status.unwrap_or(-1), Vec::from(log).join("\n"))
    }
}

impl Drop for LabProcess {
    fn drop(&mut self) {
        // Only a panic in between leaves it running: `finish` has waited for it otherwise.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
