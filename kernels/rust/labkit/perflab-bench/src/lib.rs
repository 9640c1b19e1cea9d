//! A component's bench program in Rust: describe, run and contract of the bench protocol (`docs/protocol.md`), version 1.
//!
//! ```text
//! component                 this crate                                  perflab
//! Bench::new("supervisor") -> describe | run | contract | --help  ->  JSON, one object a line, on standard output
//!   scenarios                 warm-up, samples
//!   variants
//! ```
//!
//! Nothing here computes a statistic over samples: a sample leaves as operations, nanoseconds, counters and percentiles,
//! and `perflab` judges it.
//!
//! # Examples
//!
//! ```
//! use perflab_bench::{Bench, Better, Error, Experiment, Metric, Role, Sample, Scenario, ScenarioSpec, Setting, Variant};
//!
//! struct Sorting;
//!
//! impl Scenario<fn(&mut [u32])> for Sorting {
//!     fn spec(&self) -> ScenarioSpec {
//!         ScenarioSpec::new("sort", "Sorting", "a number", Metric::new("time", "time", "ns/number", Better::Lower))
//!     }
//!
//!     fn open(&self, sort: &fn(&mut [u32]), setting: Setting) -> Result<Box<dyn Experiment>, Error> {
//!         let sort = *sort;
//!         Ok(Box::new(move |sample: &mut Sample| {
//!             let mut numbers: Vec<u32> = (0..1000).rev().collect();
//!             sample.time(1000.0, || sort(&mut numbers));
//!             setting.checks.require("numbers ascend", numbers.is_sorted(), || "they do not".into())
//!         }))
//!     }
//! }
//!
//! let bench = Bench::new("sorting").scenario(Sorting).variant(Variant::new(
//!     "std",
//!     Role::Peer,
//!     "the standard library's",
//!     "src/main.rs",
//!     <[u32]>::sort as fn(&mut [u32]),
//! ));
//! let mut lines = Vec::new();
//! let arguments = ["run", "--scenario", "sort", "--variant", "std", "--warmup-ms", "0", "--sample-ms", "1"];
//! assert_eq!(bench.run(arguments.map(String::from), &mut lines), 0);
//! ```

mod bench;
mod check;
mod command_line;
mod commands;
mod error;
mod memory;
mod parameters;
mod protocol;
mod sample;
mod scenario;

pub use bench::{Bench, PROTOCOL_VERSION};
pub use check::{Check, Checks};
pub use error::{Error, Kind};
pub use memory::{CountingAllocator, count_allocations, live_bytes, resident_bytes};
pub use parameters::{Parameter, Parameters};
pub use sample::{Lap, ProcessUsage, Sample, Stopwatch};
pub use scenario::{Better, Experiment, Metric, Role, Scenario, ScenarioSpec, Setting, Variant};
