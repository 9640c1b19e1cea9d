//! The `run` command.

use serde_json::{Value, json};

use crate::command_line::CommandLine;
use crate::options::RunOptions;
use crate::protocol::{ProtocolWriter, shortest};
use crate::sample::nanoseconds;
use crate::sample_loop::{Totals, measure};
use crate::{Bench, Checks, Error, PROTOCOL_VERSION, Parameters, Setting, runtime};

/// Measures one scenario of one variant: a `start` line, `sample` lines, an `end` line.
pub(crate) fn run<S: Send + Sync + 'static>(
    bench: &Bench<S>,
    line: &CommandLine,
    writer: &mut ProtocolWriter,
) -> Result<u8, Error> {
    let options = RunOptions::read(line)?;
    let scenario = bench.scenario_named(line.required("--scenario")?)?;
    let variant = bench.variant_named(line.required("--variant")?)?;
    let spec = scenario.spec();
    if !variant.supports(spec.name) {
        let supported = bench.scenario_names().into_iter().filter(|name| variant.supports(name));
        let message = format!("variant '{}' does not support scenario '{}'", variant.name, spec.name);
        return Err(Error::usage(message, supported));
    }
    let parameters = Parameters::bind(&spec.parameters, &line.pairs("--param")?)?;
    writer.line(&json!({
        "type": "start",
        "protocol": PROTOCOL_VERSION,
        "component": bench.component(),
        "scenario": spec.name,
        "variant": variant.name,
        "params": parameters.to_json(),
        "seed": options.seed,
        "runtime": runtime::to_json(),
    }))?;
    let checks = Checks::default();
    let setting = Setting { parameters, seed: options.seed, checks: checks.clone() };
    let mut experiment = scenario.open(&variant.subject, setting)?;
    let totals = measure(experiment.as_mut(), options, writer)?;
    experiment.close()?;
    writer.line(&end(options.samples, &totals, &checks))?;
    Ok(0)
}

fn end(samples: i64, totals: &Totals, checks: &Checks) -> Value {
    json!({
        "type": "end",
        "samples": samples,
        "ops": shortest(totals.ops),
        "ns": nanoseconds(totals.time),
        "validation": {"passed": true, "checks": checks.passed()},
    })
}
