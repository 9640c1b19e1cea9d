//! Supervisors below supervisors.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Branch, Restarts, Strategy, Supervises, Supervisor, Unsupported};
use supervisor_workload::children::{ANY_NUMBER, Kind, Nursery, Order, keep_quiet_about_crashes};

use crate::metrics;
use crate::threads::{Threads, workers};
use crate::trees::unsupported;

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "tree-depth",
        "Supervisors below supervisors",
        "a crash at the lowest leaf, until that leaf has handled its first message",
        Metric::new("p50", "p50", "ns/restart", Better::Lower),
    )
    .metrics([
        Metric::new("time", "time", "ns/restart", Better::Lower),
        Metric::new("start", "counter:start_ns/op", "ns until the tree is up", Better::Lower),
        Metric::new("stop", "counter:stop_ns/op", "ns until the tree is down", Better::Lower),
    ])
    .metrics(metrics::percentiles().into_iter().skip(1))
    .parameters([
        Parameter::int("depth", 8, 1, 200, "supervisors one below the other"),
        Parameter::flag(
            "escalate",
            false,
            "whether all but the topmost give up at once, so that it restarts the whole",
        ),
        workers(),
    ])
}

struct Outcome {
    start: Duration,
    restart: Duration,
    stop: Duration,
}

async fn crash<R: Supervises>(depth: usize, escalate: bool) -> Result<Option<Outcome>, Unsupported> {
    let system = R::start::<Order>().await;
    let (mut nursery, mut events) = Nursery::new();
    let mut tree = nursery.child();
    for level in 0..depth {
        let top = level + 1 == depth;
        let restarts = if escalate && !top {
            Restarts {
                at_most: 0,
                ..ANY_NUMBER
            }
        } else {
            ANY_NUMBER
        };
        tree = Branch::Supervisor {
            strategy: Strategy::OneForOne,
            restarts,
            branches: vec![tree],
        };
    }
    let begun = Instant::now();
    let supervisor = R::supervise(&system, tree).await?;
    let (up, last) = events.up(1).await;
    let start = last.saturating_duration_since(begun);
    let Some(child) = supervisor.child(0) else {
        return Ok(None);
    };
    if up != [0] || child.tell(Order::Crash).await.is_err() {
        return Ok(None);
    }
    let (Some(crash), Some(up)) = (events.next(Kind::Crashing).await, events.next(Kind::Up).await) else {
        return Ok(None);
    };
    let begun = Instant::now();
    supervisor.stop().await;
    Ok(Some(Outcome {
        start,
        restart: up.at.saturating_duration_since(crash.at),
        stop: begun.elapsed(),
    }))
}

pub(super) fn open<R: Supervises>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let depth = setting.parameters.count("depth");
    let escalate = setting.parameters.flag("escalate");
    keep_quiet_about_crashes();
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(crash::<R>(depth, escalate))?.map_err(unsupported)?;
        setting
            .checks
            .require("the leaf came back", outcome.is_some(), || "it did not".into())?;
        if let Some(outcome) = outcome {
            sample.add(1.0, outcome.restart);
            sample.latency(outcome.restart);
            sample.count("start_ns", outcome.start.as_nanos() as f64);
            sample.count("stop_ns", outcome.stop.as_nanos() as f64);
        }
        Ok(())
    }))
}
