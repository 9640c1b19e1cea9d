//! What threads, tasks or actors did when.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// The time, in nanoseconds of a clock that never goes back: what a timeline wants.
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
        Span {
            thread: thread.into(),
            state: state.into(),
            start_ns,
            end_ns,
            note: String::new(),
        }
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
        Moment {
            at_ns,
            label: label.into(),
        }
    }
}

/// As `./lab timeline` reads it.
pub(crate) fn to_json(title: &str, spans: &[Span], moments: &[Moment]) -> Value {
    let spans: Vec<Value> = spans
        .iter()
        .map(|one| {
            json!({
                "thread": one.thread,
                "state": one.state,
                "start_ns": one.start_ns,
                "end_ns": one.end_ns,
                "note": one.note,
            })
        })
        .collect();
    let moments: Vec<Value> = moments
        .iter()
        .map(|one| json!({"at_ns": one.at_ns, "label": one.label}))
        .collect();
    json!({"title": title, "spans": spans, "moments": moments})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_under_the_names_that_the_lab_reads() {
        let written = to_json(
            "a \"stall\"",
            &[Span::new("worker", "sleeps", 5, 9).note("long")],
            &[Moment::new(7, "queued")],
        );
        assert_eq!(
            written,
            json!({
                "title": "a \"stall\"",
                "spans": [{"thread": "worker", "state": "sleeps", "start_ns": 5, "end_ns": 9, "note": "long"}],
                "moments": [{"at_ns": 7, "label": "queued"}],
            })
        );
    }

    #[test]
    fn its_clock_goes_forward() {
        let before = now_ns();
        assert!(now_ns() >= before);
    }
}
