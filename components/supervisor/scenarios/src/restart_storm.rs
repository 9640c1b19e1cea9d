//! Children that all crash again and again.

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Branch, Strategy, Supervises, Supervisor, Unsupported};
use supervisor_workload::children::{ANY_NUMBER, Kind, Nursery, Order, keep_quiet_about_crashes};

use crate::metrics;
use crate::threads::{Threads, workers};
use crate::trees::unsupported;

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "restart-storm",
        "A storm of restarts",
        "a crash and its restart",
        Metric::new("rate", "rate", "restarts/s", Better::Higher),
    )
    .metrics([Metric::new("time", "time", "ns/restart", Better::Lower)])
    .metrics(metrics::usage())
    .parameters([
        Parameter::int(
            "children",
            100,
            1,
            10_000,
            "children of the supervisor, which all crash at once",
        ),
        Parameter::int("crashes", 10, 1, 1_000, "crashes of each"),
        workers(),
    ])
}

/// How often each child came up, and the time until the last one had.
async fn storm<R: Supervises>(children: usize, crashes: usize) -> Result<(Vec<usize>, Lap), Unsupported> {
    let system = R::start::<Order>().await;
    let (mut nursery, mut events) = Nursery::new();
    let branches = (0..children).map(|_| nursery.child()).collect();
    let tree = Branch::Supervisor {
        strategy: Strategy::OneForOne,
        restarts: ANY_NUMBER,
        branches,
    };
    let supervisor = R::supervise(&system, tree).await?;
    let mut ups = vec![0; children];
    for leaf in events.up(children).await.0 {
        ups[leaf] += 1;
    }
    let watch = Stopwatch::start();
    for leaf in 0..children {
        if let Some(child) = supervisor.child(leaf) {
            let _ = child.tell(Order::Crash).await;
        }
    }
    // A child that is back crashes again, until it has crashed often enough.
    for _ in 0..children * crashes {
        let Some(event) = events.next(Kind::Up).await else {
            break;
        };
        ups[event.leaf] += 1;
        if ups[event.leaf] <= crashes
            && let Some(child) = supervisor.child(event.leaf)
        {
            let _ = child.tell(Order::Crash).await;
        }
    }
    let lap = watch.stop();
    supervisor.stop().await;
    for event in events.so_far() {
        ups[event.leaf] += usize::from(event.kind == Kind::Up);
    }
    Ok((ups, lap))
}

pub(super) fn open<R: Supervises>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let children = setting.parameters.count("children");
    let crashes = setting.parameters.count("crashes");
    keep_quiet_about_crashes();
    Ok(Box::new(move |sample: &mut Sample| {
        let (ups, lap) = threads.run(storm::<R>(children, crashes))?.map_err(unsupported)?;
        sample.add_lap((children * crashes) as f64, lap);
        setting.checks.require(
            "each crash was followed by one restart",
            ups.iter().all(|count| *count == crashes + 1),
            || format!("children came up {ups:?} times, not {} each", crashes + 1),
        )
    }))
}
