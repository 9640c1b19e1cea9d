//! Shows what a command says in the cell that runs: one line of progress, kept up to date, then the charts.

use std::process;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::progress::{escape, html, plain};
use super::{Bundle, Screen, harmless};
use crate::now_ns;
use crate::stream::{Listener, Progress};

/// Every update is a message to the browser, and one more of the same kind to the notebook's file.
const UPDATE_INTERVAL: Duration = Duration::from_millis(250);

/// Where a line of progress cannot be replaced, each is one more.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Of one command.
pub(crate) struct CellListener {
    screen: Screen,
    title: String,
    name: String,
    begun: Instant,
    shown: Option<Instant>,
    bundles: usize,
}

impl CellListener {
    pub(crate) fn new(screen: Screen, title: String) -> Self {
        // By the time: a cell may have a copy of this crate of its own, and a counter would begin anew in each.
        let name = format!("perflab-{}-{}", process::id(), now_ns());
        CellListener {
            screen,
            title,
            name,
            begun: Instant::now(),
            shown: None,
            bundles: 0,
        }
    }

    /// Whether anything but progress was shown.
    pub(crate) fn has_shown(&self) -> bool {
        self.bundles > 0
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
        let is_first = self.shown.is_none();
        let bundle = Bundle::of_text(plain, html);
        if !self.screen.replace(&self.name, &bundle, is_first) {
            println!("{}", harmless(plain));
        }
        self.shown = Some(Instant::now());
    }

    fn is_time(&self) -> bool {
        let interval = match self.screen {
            Screen::Relay { .. } => UPDATE_INTERVAL,
            Screen::Evcxr | Screen::Terminal => LINE_INTERVAL,
        };
        self.shown.is_none_or(|shown| shown.elapsed() >= interval)
    }
}

impl Listener for CellListener {
    fn progress(&mut self, progress: &Progress) {
        if self.is_time() {
            self.put(&plain(progress), &html(progress));
        }
    }

    fn display(&mut self, data: Map<String, Value>, metadata: Value) {
        self.bundles += 1;
        self.screen.show(&Bundle { data, metadata });
    }

    fn note(&mut self, text: &str) {
        println!("{}", harmless(text));
    }
}

/// Shows nothing, for commands that the reader has not asked for.
pub(crate) struct Silence;

impl Listener for Silence {
    fn progress(&mut self, _: &Progress) {}

    fn display(&mut self, _: Map<String, Value>, _: Value) {}

    fn note(&mut self, _: &str) {}
}
