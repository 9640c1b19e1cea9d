//! The report's restart strategies, as named: from a panic to the first message that the new child handles.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Address, Branch, Strategy, Supervises, Supervisor, Unsupported};
use supervisor_workload::children::{ANY_NUMBER, Kind, Nursery, Order, keep_quiet_about_crashes};

use crate::metrics;
use crate::threads::{Threads, workers};
use crate::trees::{concerned, strategy, strategy_of, unsupported};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "restart",
        "Restarting children",
        "a crash, until every child concerned has handled its first message",
        Metric::new("p50", "p50", "ns/restart", Better::Lower),
    )
    .metrics([
        Metric::new("time", "time", "ns/restart", Better::Lower),
        Metric::new("first", "p0", "ns/restart, the fastest", Better::Lower),
    ])
    .metrics(metrics::percentiles().into_iter().skip(1))
    .parameters([
        strategy(),
        Parameter::int("children", 1, 1, 1_000, "children of the supervisor"),
        Parameter::int(
            "fails",
            0,
            0,
            999,
            "which child crashes, counted from zero in the order of their start",
        ),
        Parameter::int(
            "crashes",
            1,
            1,
            10_000,
            "crashes of the same child before the supervisor is stopped",
        ),
        workers(),
    ])
}

#[derive(Clone, Copy)]
struct Sizes {
    strategy: Strategy,
    children: usize,
    fails: usize,
    crashes: usize,
}

/// Latencies of the restarts; or leaves that were restarted where others should have been.
async fn crashes<R: Supervises>(sizes: Sizes) -> Result<Result<Vec<Duration>, Vec<usize>>, Unsupported> {
    let system = R::start::<Order>().await;
    let (mut nursery, mut events) = Nursery::new();
    let branches = (0..sizes.children).map(|_| nursery.child()).collect();
    let tree = Branch::Supervisor {
        strategy: sizes.strategy,
        restarts: ANY_NUMBER,
        branches,
    };
    let supervisor = R::supervise(&system, tree).await?;
    events.up(sizes.children).await;
    let expected = concerned(sizes.strategy, sizes.fails, sizes.children);
    let mut latencies = Vec::with_capacity(sizes.crashes);
    for _ in 0..sizes.crashes {
        let asked = Instant::now();
        let Some(child) = supervisor.child(sizes.fails) else {
            return Ok(Err(Vec::new()));
        };
        if child.tell(Order::Crash).await.is_err() {
            return Ok(Err(Vec::new()));
        }
        let crash = events.next(Kind::Crashing).await.map_or(asked, |event| event.at);
        let (mut up, last) = events.up(expected.len()).await;
        up.sort_unstable();
        if up != expected {
            return Ok(Err(up));
        }
        latencies.push(last.saturating_duration_since(crash));
    }
    supervisor.stop().await;
    let more: Vec<usize> = events
        .so_far()
        .iter()
        .filter(|event| event.kind == Kind::Up)
        .map(|event| event.leaf)
        .collect();
    Ok(if more.is_empty() { Ok(latencies) } else { Err(more) })
}

pub(super) fn open<R: Supervises>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let parameters = &setting.parameters;
    let sizes = Sizes {
        strategy: strategy_of(parameters.word("strategy")),
        children: parameters.count("children"),
        fails: parameters.count("fails"),
        crashes: parameters.count("crashes"),
    };
    if sizes.fails >= sizes.children {
        let message = format!("there is no child {} among {}", sizes.fails, sizes.children);
        return Err(Error::usage(message, [format!("fails up to {}", sizes.children - 1)]));
    }
    keep_quiet_about_crashes();
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(crashes::<R>(sizes))?.map_err(unsupported)?;
        setting.checks.require(
            "each crash brought back whom it concerns, and nobody else",
            outcome.is_ok(),
            || format!("{outcome:?}"),
        )?;
        let latencies = outcome.unwrap_or_default();
        sample.add(latencies.len() as f64, latencies.iter().sum());
        for latency in latencies {
            sample.latency(latency);
        }
        Ok(())
    }))
}
