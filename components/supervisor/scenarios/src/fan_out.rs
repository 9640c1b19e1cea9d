//! One sender, many actors.

use std::sync::Arc;

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Closed, Mailbox, Runtime, System};
use supervisor_workload::Countdown;
use supervisor_workload::{Greeter, Greeting};

use crate::mailboxes::{actors_mailbox_of, mailbox};
use crate::metrics;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "fan-out",
        "One sender, many actors",
        "a message, sent and handled",
        Metric::new("rate", "rate", "messages/s", Better::Higher),
    )
    .metrics([Metric::new("time", "time", "ns/message", Better::Lower)])
    .metrics(metrics::usage())
    .parameters([
        Parameter::int("actors", 100, 1, 100_000, "actors that receive in turn"),
        Parameter::int("messages", 100_000, 1, 100_000_000, "messages to all of them together"),
    ])
    .parameters(mailbox())
    .parameters([workers()])
}

async fn burst<R: Runtime>(actors: usize, each: usize, size: Mailbox) -> Result<Lap, Closed> {
    let system = R::start::<Greeting>().await;
    let handled = Arc::new(Countdown::from(actors * each));
    let mut addresses = Vec::with_capacity(actors);
    for _ in 0..actors {
        addresses.push(
            system
                .spawn(
                    Greeter {
                        sum: 0,
                        handled: Arc::clone(&handled),
                    },
                    size,
                )
                .await,
        );
    }
    let watch = Stopwatch::start();
    for number in 0..each {
        for address in &addresses {
            address.tell(Greeting(number as u64)).await?;
        }
    }
    handled.wait().await;
    let lap = watch.stop();
    for address in addresses {
        system.stop(address).await;
    }
    Ok(lap)
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let each = (setting.parameters.count("messages") / actors).max(1);
    let size = actors_mailbox_of::<R>(&setting.parameters)?;
    Ok(Box::new(move |sample: &mut Sample| {
        let lap = threads.run(burst::<R>(actors, each, size));
        setting
            .checks
            .require("every message was taken and handled", lap.is_ok(), || {
                "an actor had ended".into()
            })?;
        sample.add_lap((actors * each) as f64, lap?);
        Ok(())
    }))
}
