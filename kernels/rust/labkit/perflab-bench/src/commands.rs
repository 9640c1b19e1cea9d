//! The commands `run` and `contract`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::command_line::CommandLine;
use crate::protocol::{ProtocolWriter, runtime, shortest};
use crate::sample::nanoseconds;
use crate::{Bench, Checks, Error, Experiment, Kind, PROTOCOL_VERSION, Parameters, Role, Sample, Setting, Variant};

// A profiler that watches this process starts and stops at these. Each has code of its own, or a linker could fold them.

#[expect(unsafe_code, reason = "a name that is not mangled could be another's")]
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn perflab_timed_begin() {
    black_box(1);
}

#[expect(unsafe_code, reason = "a name that is not mangled could be another's")]
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn perflab_timed_end() {
    black_box(2);
}

/// Measures one scenario of one variant: a `start` line, `sample` lines, an `end` line. A sample is written after its last
/// timed region and before the next one.
pub(crate) fn run<S: Send + Sync + 'static>(
    bench: &Bench<S>,
    line: &CommandLine,
    writer: &mut ProtocolWriter,
) -> Result<u8, Error> {
    let milliseconds =
        |option, least| Ok::<_, Error>(Duration::from_millis(line.whole(option, 1_000, least)?.unsigned_abs()));
    let (warmup, time) = (milliseconds("--warmup-ms", 0)?, milliseconds("--sample-ms", 1)?);
    let (samples, seed) = (line.whole("--samples", 5, 1)?, line.whole("--seed", 1, i64::MIN)?);
    let scenario = bench.scenario_named(line.required("--scenario")?)?;
    let variant = bench.variant_named(line.required("--variant")?)?;
    let spec = scenario.spec();
    if !variant.supports(spec.name) {
        return Err(Error::refused(format!("variant '{}' does not support scenario '{}'", variant.name, spec.name)));
    }
    let parameters = Parameters::bind(&spec.parameters, &line.pairs("--param")?)?;
    writer.line(&json!({
        "type": "start",
        "protocol": PROTOCOL_VERSION,
        "component": bench.component(),
        "scenario": spec.name,
        "variant": variant.name,
        "params": parameters.to_json(),
        "seed": seed,
        "runtime": runtime(),
    }))?;
    let checks = Checks::default();
    let mut experiment = scenario.open(&variant.subject, Setting { parameters, seed, checks: checks.clone() })?;
    repeat_for(warmup, experiment.as_mut())?;
    let (mut ops, mut total) = (0.0, Duration::ZERO);
    for i in 0..samples {
        perflab_timed_begin();
        let sample = repeat_for(time, experiment.as_mut())?;
        perflab_timed_end();
        ops += sample.ops();
        total += sample.total();
        writer.line(&sample.to_json(i))?;
    }
    experiment.close()?;
    writer.line(&json!({
        "type": "end",
        "samples": samples,
        "ops": shortest(ops),
        "ns": nanoseconds(total),
        "validation": {"passed": true, "checks": checks.passed()},
    }))?;
    Ok(0)
}

/// How many times as long as asked a sample may last by the wall clock.
const MOST_WALL: u32 = 4;

fn repeat_for(time: Duration, experiment: &mut dyn Experiment) -> Result<Sample, Error> {
    let mut sample = Sample::new();
    let begun = Instant::now();
    while sample.total() < time && (sample.total().is_zero() || begun.elapsed() < MOST_WALL * time) {
        let before = sample.total();
        experiment.repeat(&mut sample)?;
        if sample.total() == before {
            return Err(Error::internal("a repetition recorded no time: the sample would never end"));
        }
    }
    Ok(sample)
}

/// Checks variants against the component's contract: a `check` line each, then an `end` line. Exit status 4 if a check
/// failed that is no known finding about its variant.
pub(crate) fn contract<S: Send + Sync + 'static>(
    bench: &Bench<S>,
    line: &CommandLine,
    writer: &mut ProtocolWriter,
) -> Result<u8, Error> {
    let limit = Duration::from_millis(line.whole("--limit-ms", 20_000, 1)?.unsigned_abs());
    let (mut checks, mut failed, mut findings) = (0, 0, 0);
    for variant in chosen(bench, line)? {
        for check in bench.checks().iter().filter(|check| check.applies_to(&variant.subject)) {
            let outcome = check.run(&variant.subject, limit);
            let finding = outcome.is_err() && variant.findings.contains(&check.name());
            checks += 1;
            findings += usize::from(finding);
            failed += usize::from(outcome.is_err() && !finding);
            writer.line(&json!({
                "type": "check",
                "variant": variant.name,
                "name": check.name(),
                "passed": outcome.is_ok(),
                "known": finding,
                "message": outcome.err().unwrap_or_default(),
            }))?;
        }
    }
    writer.line(&json!({"type": "end", "checks": checks, "failed": failed, "findings": findings}))?;
    Ok(if failed == 0 { 0 } else { Kind::Validation as u8 })
}

/// The one that was named, or else the reader's own.
fn chosen<'a, S: Send + Sync + 'static>(bench: &'a Bench<S>, line: &CommandLine) -> Result<Vec<&'a Variant<S>>, Error> {
    if let Some(name) = line.value("--variant") {
        return Ok(vec![bench.variant_named(name)?]);
    }
    let yours: Vec<_> = bench.variants_listed().iter().filter(|variant| variant.role() == Role::Yours).collect();
    if yours.is_empty() {
        return Err(Error::refused("there is nothing to check: name a --variant or a --plugin"));
    }
    Ok(yours)
}
