//! The lab in a Rust notebook.
//!
//! ```text
//! cell ── lab.measure(..).run()? ──> ./lab measure .. --stream ──> fresh processes
//!   ^                                      │
//!   └── progress, charts, tables, result ──┘
//! ```
//!
//! Every function starts the command of `./lab` that is called like it, shows in the cell how far it is and what it found,
//! and returns what the command returned. Nothing is measured in the kernel's process, no figure is computed and no
//! chart is drawn here.
//!
//! ```text
//! :dep perflab-lab = { path = "../kernels/rust/labkit/perflab-lab" }
//! use perflab_lab::Lab;
//! let lab = Lab::new()?;
//! lab.measure("supervisor").scenario("ping-pong").variants(["before", "lab"]).quick().run()?
//! ```
//!
//! A failure is a [`LabError`]: what is wrong and what to do about it. A cell that ends with one by `?` has failed.

mod arguments;
mod checkout;
mod commands;
mod error;
mod lab;
mod recorder;
mod result;
mod runner;
mod show;
mod stream;
mod timeline;
mod variants;

pub use commands::{Bench, Claims, Compare, Measure, Noise, Profile};
pub use error::LabError;
pub use lab::Lab;
pub use recorder::Recorder;
pub use result::LabResult;
pub use timeline::{Moment, Span, now_ns};
pub use variants::Plugin;
