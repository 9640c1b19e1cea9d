//! `supervisor_benchmarks.rs`.

use std::convert::Infallible;
use std::hint::black_box;
use std::time::Duration;

use async_trait::async_trait;
use perflab_bench::{Sample, Setting};
use supervisor_contract::Strategy;
use supervisor_published::{
    Child, OneForAll, OneForOne, RestForOne, RestartPolicy, SupervisionStrategy, SupervisorNode,
};

use super::{Opened, awaited, outcome};
use crate::threads::Threads;
use crate::trees::strategy_of;

/// A child that does nothing: no task, no actor.
struct Nothing;

#[async_trait]
impl Child for Nothing {
    type Error = Infallible;

    async fn start(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    async fn stop(&mut self, _limit: Duration) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Called "restart strategy" in the report, and nothing is restarted: it starts children under a supervisor of that
/// strategy.
pub(super) fn supervise(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let children = setting.parameters.count("children");
    let strategy = strategy_of(setting.parameters.word("strategy"));
    Ok(Box::new(move |sample: &mut Sample| {
        let (right, time) = match strategy {
            Strategy::OneForOne => threads.run_here(awaited(async || started::<OneForOne>(children).await)),
            Strategy::OneForAll => threads.run_here(awaited(async || started::<OneForAll>(children).await)),
            Strategy::RestForOne => threads.run_here(awaited(async || started::<RestForOne>(children).await)),
        };
        sample.add(f64::from(super::ITERATIONS), time);
        outcome(&setting, "the supervisor has its children", right)
    }))
}

async fn started<S: SupervisionStrategy>(children: usize) -> bool {
    const LIMIT: Duration = Duration::from_secs(10);
    let mut supervisor = SupervisorNode::<S, Nothing>::new();
    for _ in 0..children {
        if black_box(
            supervisor
                .start_child(|| Nothing, RestartPolicy::Permanent, LIMIT)
                .await,
        )
        .is_err()
        {
            return false;
        }
    }
    black_box(supervisor).children().len() == children
}
