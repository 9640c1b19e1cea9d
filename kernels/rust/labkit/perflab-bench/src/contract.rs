//! The `contract` command.

use std::time::Duration;

use serde_json::json;

use crate::command_line::CommandLine;
use crate::protocol::ProtocolWriter;
use crate::{Bench, Error, Kind, Role, Variant};

const DEFAULT_LIMIT_MS: i64 = 20_000;

/// Checks variants against the component's contract: a `check` line each, then an `end` line. Exit status 4 if a check
/// failed that is no known finding about its variant.
pub(crate) fn contract<S: Send + Sync + 'static>(
    bench: &Bench<S>,
    line: &CommandLine,
    writer: &mut ProtocolWriter,
) -> Result<u8, Error> {
    let limit = Duration::from_millis(line.whole("--limit-ms", DEFAULT_LIMIT_MS, 1)?.unsigned_abs());
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
        return Err(Error::usage("there is nothing to check", ["--plugin PATH", "--variant NAME"]));
    }
    Ok(yours)
}
