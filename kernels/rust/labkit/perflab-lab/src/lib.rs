//! The lab in a Rust notebook: each method runs the command of `./lab` of its name, shows progress and charts in the cell, and
//! returns the command's result. Measuring happens in fresh processes.
//!
//! ```text
//! :dep perflab-lab = { path = "../kernels/rust/labkit/perflab-lab" }
//! use perflab_lab::Lab;
//! let lab = Lab::new()?;
//! lab.measure("supervisor").scenario("ping-pong").variants(["before", "lab"]).quick().run()?
//! ```
//!
//! A failure is a [`LabError`]: what is wrong and what to do about it. A cell that ends with one by `?` has failed.

mod command;
mod lab;
mod result;
mod show;
mod timeline;
mod variants;

pub use command::Command;
pub use lab::Lab;
pub use result::{LabError, LabResult};
pub use timeline::{Moment, Recorder, Span, now_ns};
pub use variants::Plugin;
