//! Adapters: each system behind the topic's contract, used as its own documentation uses it.

mod intensity;
mod lab;
mod published;
mod published_supervision;
mod tokio_supervision;
mod tokio_tasks;

pub use lab::{Lab, LabSystem};
pub use published::{Published, PublishedSystem};
pub use tokio_tasks::{TokioSystem, TokioTasks};
