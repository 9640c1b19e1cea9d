//! Children that crash and come back.

use std::time::Instant;

use perflab_bench::{Error, Parameter, ScenarioSpec, Setting};
use supervisor_contract::{Address, Branch, Strategy, Supervises, Supervisor, Unsupported};
use supervisor_workload::children::{ANY_NUMBER, Events, Kind, Nursery, Order, keep_quiet_about_crashes};

use crate::parameters::{asked, less, strategy, strategy_of, tail, time};
use crate::threads::{Opened, Threads};

/// A tree that the runtime does not have is bad input.
#[allow(clippy::needless_pass_by_value, reason = "what maps an error is given it")]
fn unsupported(refusal: Unsupported) -> Error {
    const NO_LIST: [&str; 0] = [];
    Error::usage(refusal.to_string(), NO_LIST)
}

/// A supervisor of children that are up.
async fn family<R: Supervises>(
    system: &R::System<Order>,
    children: usize,
    strategy: Strategy,
) -> Result<(R::Supervisor<Order>, Events), Error> {
    let (mut nursery, mut events) = Nursery::new();
    let tree = Branch::supervisor(strategy, ANY_NUMBER, (0..children).map(|_| nursery.child()));
    let supervisor = R::supervise(system, tree).await.map_err(unsupported)?;
    let (mut up, _) = events.up(children).await;
    up.sort_unstable();
    if !up.iter().copied().eq(0..children) {
        return Err(Error::validation(format!("every child comes up: {up:?} did")));
    }
    Ok((supervisor, events))
}

/// Has a child crash; `false` if it is nowhere.
async fn crash<A: Address<Order>>(supervisor: &impl Supervisor<A>, leaf: usize) -> bool {
    match supervisor.child(leaf) {
        Some(child) => child.tell(Order::Crash).await.is_ok(),
        None => false,
    }
}

/// The report's `supervisor_child_spawn`, `supervisor_strategy_*` and `supervision_tree_small`: as named, children that
/// run.
pub(crate) fn supervise() -> ScenarioSpec {
    ScenarioSpec::new(
        "supervise",
        "Starting supervised children",
        "a supervisor, its children started and their first messages handled; as published: the children do nothing",
        time("ns/supervisor"),
    )
    .parameters([
        asked(),
        Parameter::int("children", 1, 1, 10_000, "children of the supervisor"),
        strategy(),
    ])
}

pub(crate) fn open_supervise<R: Supervises>(setting: Setting) -> Opened {
    let children = setting.parameters.count("children");
    let strategy = strategy_of(&setting.parameters);
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let system = R::start().await;
        let (mut nursery, mut events) = Nursery::new();
        let tree = Branch::supervisor(strategy, ANY_NUMBER, (0..children).map(|_| nursery.child()));
        let begun = Instant::now();
        let supervisor = R::supervise(&system, tree).await.map_err(unsupported)?;
        let (mut up, last) = events.up(children).await;
        record.sample.add(1.0, last.saturating_duration_since(begun));
        supervisor.stop().await;
        up.sort_unstable();
        let all = up.iter().copied().eq(0..children);
        record.last("every child handled its first message", all, || format!("{up:?} did"))
    })
}

/// The report's restart strategies, as named: from a panic to the first message that the new child handles.
pub(crate) fn restart() -> ScenarioSpec {
    ScenarioSpec::new(
        "restart",
        "Restarting children",
        "a crash, until every child concerned has handled its first message",
        less("p50", "p50", "ns/restart"),
    )
    .metrics([time("ns/restart"), less("first", "p0", "ns/restart, the fastest")])
    .metrics(tail())
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
    ])
}

pub(crate) fn open_restart<R: Supervises>(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let strategy = strategy_of(&setting.parameters);
    let [children, fails, crashes] = ["children", "fails", "crashes"].map(|name| setting.parameters.count(name));
    if fails >= children {
        let message = format!("there is no child {fails} among {children}");
        return Err(Error::usage(message, [format!("fails up to {}", children - 1)]));
    }
    keep_quiet_about_crashes();
    threads.repeat(setting, move |mut record| async move {
        let system = R::start().await;
        let (supervisor, mut events) = family::<R>(&system, children, strategy).await?;
        let concerned: Vec<usize> = match strategy {
            Strategy::OneForOne => vec![fails],
            Strategy::OneForAll => (0..children).collect(),
            Strategy::RestForOne => (fails..children).collect(),
        };
        let mut latencies = Vec::with_capacity(crashes);
        let mut came = concerned.clone();
        for _ in 0..crashes {
            let asked = Instant::now();
            if !crash(&supervisor, fails).await {
                came.clear();
                break;
            }
            let crash = events.next(Kind::Crashing).await.map_or(asked, |event| event.at);
            let (up, last) = events.up(concerned.len()).await;
            came = up;
            came.sort_unstable();
            if came != concerned {
                break;
            }
            latencies.push(last.saturating_duration_since(crash));
        }
        if came == concerned {
            supervisor.stop().await;
            let ups = events.so_far().into_iter().filter(|event| event.kind == Kind::Up);
            came.extend(ups.map(|event| event.leaf));
        }
        record.require(
            "each crash brought back whom it concerns, and nobody else",
            came == concerned,
            || format!("{came:?} came, not {concerned:?}"),
        )?;
        record.one_by_one(&latencies);
        Ok(record)
    })
}
