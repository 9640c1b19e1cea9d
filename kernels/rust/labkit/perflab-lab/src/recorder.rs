//! A timeline that is written while it happens.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Moment, Span, now_ns};

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
    /// One that has noted nothing.
    #[must_use]
    pub fn new() -> Self {
        Recorder::default()
    }

    /// `row` is in this state from now on, and no longer in the one before; nothing changes if it is in it already.
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

    /// What was in which state; those that are still in one, until now.
    #[must_use]
    pub fn spans(&self) -> Vec<Span> {
        let pages = self.pages();
        let now = now_ns();
        let open = pages
            .open
            .iter()
            .map(|(row, (state, since))| Span::new(row, state, *since, now));
        pages.spans.iter().cloned().chain(open).collect()
    }

    /// What was marked.
    #[must_use]
    pub fn moments(&self) -> Vec<Moment> {
        self.pages().moments.clone()
    }

    /// What was entered since the last time that this was asked, in its order.
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
    use crate::timeline::to_json;

    fn states(book: &Recorder) -> Vec<(String, String)> {
        let json = to_json("", &book.spans(), &book.moments());
        let word = |span: &serde_json::Value, key: &str| span[key].as_str().unwrap_or_default().to_owned();
        let spans = json["spans"].as_array().cloned().unwrap_or_default();
        spans
            .iter()
            .map(|span| (word(span, "thread"), word(span, "state")))
            .collect()
    }

    #[test]
    fn a_row_is_in_one_state_after_the_other() {
        let book = Recorder::new();
        book.enter("a", "sleeps");
        book.enter("a", "runs");
        book.enter("a", "runs");
        book.leave("a");
        assert_eq!(
            states(&book),
            [("a".into(), "sleeps".into()), ("a".into(), "runs".into())]
        );
    }

    #[test]
    fn a_state_that_lasts_is_shown_until_now() {
        let book = Recorder::new();
        book.clone().enter("a", "runs");
        assert_eq!(states(&book), [("a".into(), "runs".into())]);
    }

    #[test]
    fn news_are_told_once() {
        let book = Recorder::new();
        book.enter("a", "runs");
        book.mark("crash");
        assert_eq!(book.news(), ["a runs"]);
        assert!(book.news().is_empty());
        assert_eq!(book.moments().len(), 1);
    }
}
