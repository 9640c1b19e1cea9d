//! A `./lab` process, and what it says.

mod conversation;
mod message;
mod process;

pub(crate) use conversation::{Listener, hold};
pub(crate) use message::{Message, Progress};
pub(crate) use process::LabProcess;
