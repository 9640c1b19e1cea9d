//! What a cell shows.

mod listener;
mod progress;
mod screen;

pub(crate) use listener::{CellListener, Silence};
pub(crate) use screen::{Bundle, Screen, harmless, send_content};
