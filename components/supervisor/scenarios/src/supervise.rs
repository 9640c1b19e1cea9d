//! The report's `supervisor_child_spawn`, `supervisor_strategy_*` and `supervision_tree_small`: as named, children that
//! run.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting};
use supervisor_contract::{Branch, Strategy, Supervises, Supervisor, Unsupported};
use supervisor_workload::children::{ANY_NUMBER, Nursery, Order};

use crate::asked;
use crate::threads::{Threads, workers};
use crate::trees::{strategy, strategy_of, unsupported};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "supervise",
        "Starting supervised children",
        "a supervisor, its children started and their first messages handled; as published: the children do nothing",
        Metric::new("time", "time", "ns/supervisor", Better::Lower),
    )
    .parameters([
        asked::knob(),
        Parameter::int("children", 1, 1, 10_000, "children of the supervisor"),
        strategy(),
        workers(),
    ])
}

/// Leaves that came up, and the time until the last one was.
async fn start<R: Supervises>(children: usize, strategy: Strategy) -> Result<(Vec<usize>, Duration), Unsupported> {
    let system = R::start::<Order>().await;
    let (mut nursery, mut events) = Nursery::new();
    let branches = (0..children).map(|_| nursery.child()).collect();
    let tree = Branch::Supervisor {
        strategy,
        restarts: ANY_NUMBER,
        branches,
    };
    let begun = Instant::now();
    let supervisor = R::supervise(&system, tree).await?;
    let (mut up, last) = events.up(children).await;
    let time = last.saturating_duration_since(begun);
    supervisor.stop().await;
    up.sort_unstable();
    Ok((up, time))
}

pub(super) fn open<R: Supervises>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let children = setting.parameters.count("children");
    let strategy = strategy_of(setting.parameters.word("strategy"));
    Ok(Box::new(move |sample: &mut Sample| {
        let (up, time) = threads.run(start::<R>(children, strategy))?.map_err(unsupported)?;
        sample.add(1.0, time);
        setting.checks.require(
            "every child handled its first message",
            up.iter().copied().eq(0..children),
            || format!("{up:?} did"),
        )
    }))
}
