//! Warm-up and samples.

use std::time::Duration;

use crate::options::RunOptions;
use crate::protocol::ProtocolWriter;
use crate::timed_region::{perflab_timed_begin, perflab_timed_end};
use crate::{Error, Experiment, Sample};

/// All operations of all samples, and all their time.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) ops: f64,
    pub(crate) time: Duration,
}

/// Repeats the experiment until it is warm, then until each sample has lasted long enough. A sample is written after
/// its last timed region and before the next one.
pub(crate) fn measure(
    experiment: &mut dyn Experiment,
    options: RunOptions,
    writer: &mut ProtocolWriter,
) -> Result<Totals, Error> {
    if options.warmup > Duration::ZERO {
        repeat_for(options.warmup, experiment)?;
    }
    let mut totals = Totals::default();
    for i in 0..options.samples {
        perflab_timed_begin();
        let sample = repeat_for(options.sample, experiment)?;
        perflab_timed_end();
        totals.ops += sample.ops();
        totals.time += sample.total();
        writer.line(&sample.to_json(i))?;
    }
    Ok(totals)
}

fn repeat_for(time: Duration, experiment: &mut dyn Experiment) -> Result<Sample, Error> {
    let mut sample = Sample::new();
    while sample.total() < time {
        let before = sample.total();
        experiment.repeat(&mut sample)?;
        if sample.total() == before {
            return Err(Error::internal("a repetition recorded no time: the sample would never end"));
        }
    }
    Ok(sample)
}
