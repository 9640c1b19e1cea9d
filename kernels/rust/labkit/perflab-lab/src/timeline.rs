//! What threads, tasks or actors did when.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// The time, in nanoseconds of a clock that never goes back.
///
/// It counts from the start of the machine and not from one in this crate, of which each cell may have a copy of its own.
///
/// # Panics
///
/// If the machine has no such clock.
pub fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("Linux and macOS have it");
    u64::try_from(Duration::from(now).as_nanos()).unwrap_or(u64::MAX)
}

/// A thread, task or actor in one state, from one time of [`now_ns`] to a later one.
#[derive(Clone, Debug)]
pub struct Span {
    thread: String,
    state: String,
    start_ns: u64,
    end_ns: u64,
    note: String,
}

impl Span {
    /// `thread` is its row; the same `state` has the same colour everywhere.
    pub fn new(thread: impl Into<String>, state: impl Into<String>, start_ns: u64, end_ns: u64) -> Self {
        Span { thread: thread.into(), state: state.into(), start_ns, end_ns, note: String::new() }
    }

    /// Shown with the span.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// Something that happened at one instant, marked through all rows.
#[derive(Clone, Debug)]
pub struct Moment {
    at_ns: u64,
    label: String,
}

impl Moment {
    /// What happened, at a time of the spans' clock.
    pub fn new(at_ns: u64, label: impl Into<String>) -> Self {
        Moment { at_ns, label: label.into() }
    }
}

/// As `./lab timeline` reads it.
pub(crate) fn to_json(title: &str, spans: &[Span], moments: &[Moment]) -> Value {
    let span = |one: &Span| {
        json!({
            "thread": one.thread,
            "state": one.state,
            "start_ns": one.start_ns,
            "end_ns": one.end_ns,
            "note": one.note,
        })
    };
    let moment = |one: &Moment| json!({"at_ns": one.at_ns, "label": one.label});
    let (spans, moments): (Vec<_>, Vec<_>) = (spans.iter().map(span).collect(), moments.iter().map(moment).collect());
    json!({"title": title, "spans": spans, "moments": moments})
}

/// Notes who does what from when on, for [`Lab::timeline`](crate::Lab::timeline); its clones write into the same book.
///
/// `book.enter("worker", "sleeps"); ... book.enter("worker", "runs"); book.mark("crash"); book.leave("worker");`
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pages: Arc<Mutex<Pages>>,
}

#[derive(Debug, Default)]
struct Pages {
    spans: Vec<Span>,
    moments: Vec<Moment>,
    /// The state that each row is in, and since when.
    open: HashMap<String, (String, u64)>,
    log: Vec<String>,
}

impl Recorder {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Recorder::default()
    }

    /// `row` is in this state from now on; nothing changes if it is in it already.
    pub fn enter(&self, row: impl Into<String>, state: impl Into<String>) {
        let (row, state, mut pages) = (row.into(), state.into(), self.pages());
        if pages.open.get(&row).is_some_and(|(present, _)| *present == state) {
            return;
        }
        let now = now_ns();
        pages.close(&row, now);
        pages.log.push(format!("{row} {state}"));
        pages.open.insert(row, (state, now));
    }

    /// `row` is in no state any more.
    pub fn leave(&self, row: &str) {
        self.pages().close(row, now_ns());
    }

    /// Something happens now.
    pub fn mark(&self, label: impl Into<String>) {
        let mut pages = self.pages();
        pages.moments.push(Moment::new(now_ns(), label));
    }

    /// All spans; those of rows that are still in a state, until now.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        let (pages, now) = (self.pages(), now_ns());
        let open = pages.open.iter().map(|(row, (state, since))| Span::new(row, state, *since, now));
        pages.spans.iter().cloned().chain(open).collect()
    }

    /// What was marked.
    #[must_use]
    pub fn moments(&self) -> Vec<Moment> {
        self.pages().moments.clone()
    }

    /// What was entered since the last call of this.
    #[must_use]
    pub fn news(&self) -> Vec<String> {
        std::mem::take(&mut self.pages().log)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pages {
    fn close(&mut self, row: &str, now: u64) {
        if let Some((state, since)) = self.open.remove(row) {
            self.spans.push(Span::new(row, state, since, now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_in_one_state_after_the_other_and_the_last_one_lasts_until_now() {
        let book = Recorder::new();
        book.enter("a", "sleeps");
        book.clone().enter("a", "runs");
        book.enter("a", "runs");
        book.mark("crash");
        let states: Vec<_> = book.spans().iter().map(|one| one.state.clone()).collect();
        assert_eq!(states, ["sleeps", "runs"]);
        assert!(book.spans().iter().all(|one| one.start_ns <= one.end_ns));
        assert_eq!(book.news(), ["a sleeps", "a runs"]);
        assert!(book.news().is_empty());
        assert_eq!(book.moments().len(), 1);
    }
}
