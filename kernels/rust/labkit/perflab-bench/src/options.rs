//! How long to measure.

use std::time::Duration;

use crate::Error;
use crate::command_line::CommandLine;

/// How long to measure, as the command line says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunOptions {
    /// How long to run before the first sample.
    pub(crate) warmup: Duration,
    /// The intended length of a sample.
    pub(crate) sample: Duration,
    /// How many samples.
    pub(crate) samples: i64,
    /// Makes whatever is random repeatable.
    pub(crate) seed: i64,
}

impl RunOptions {
    pub(crate) fn read(line: &CommandLine) -> Result<Self, Error> {
        Ok(RunOptions {
            warmup: milliseconds(line.whole("--warmup-ms", 1_000, 0)?),
            sample: milliseconds(line.whole("--sample-ms", 1_000, 1)?),
            samples: line.whole("--samples", 5, 1)?,
            seed: line.whole("--seed", 1, i64::MIN)?,
        })
    }
}

fn milliseconds(count: i64) -> Duration {
    Duration::from_millis(count.unsigned_abs())
}
