//! Actors without work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Address, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "idle",
        "Actors without work",
        "an actor in a pause",
        Metric::new("cores", "counter:cpu_ns/ns", "cores", Better::Lower),
    )
    .metrics([
        Metric::new("wake-ups", "counter:voluntary_switches/s", "wake-ups/s", Better::Lower),
        Metric::new(
            "awake",
            "p50",
            "ns/actor to handle a message after the pause",
            Better::Lower,
        ),
    ])
    .parameters([
        Parameter::int("actors", 1_000, 1, 1_000_000, "actors alive"),
        Parameter::int("pause-ms", 200, 1, 60_000, "how long nothing happens, in milliseconds"),
        workers(),
    ])
}

type Actors<R> = (
    <R as Runtime>::System<Greeting>,
    Vec<<<R as Runtime>::System<Greeting> as System>::Address>,
);

async fn actors<R: Runtime>(count: usize, handled: Arc<Countdown>) -> Actors<R> {
    let system = R::start::<Greeting>().await;
    let mut addresses = Vec::with_capacity(count);
    for _ in 0..count {
        addresses.push(system.spawn(Greeter::new(&handled), Mailbox::Unbounded).await);
    }
    (system, addresses)
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let count = setting.parameters.count("actors");
    let pause = Duration::from_millis(setting.parameters.int("pause-ms").unsigned_abs());
    Ok(Box::new(move |sample: &mut Sample| {
        let handled = Arc::new(Countdown::from(count));
        let (system, addresses) = threads.run(actors::<R>(count, Arc::clone(&handled)))?;
        let watch = Stopwatch::start();
        // On this thread, which is not one of the actors'.
        std::thread::sleep(pause);
        sample.add_lap(count as f64, watch.stop());
        let (latency, refused, faults) = threads.run(async move {
            let begun = Instant::now();
            let mut refused = 0;
            for address in &addresses {
                refused += usize::from(address.tell(Greeting(0)).await.is_err());
            }
            if refused > 0 {
                return (Duration::ZERO, refused, Faults::default());
            }
            handled.wait().await;
            let latency = begun.elapsed();
            for address in addresses {
                system.stop(address).await;
            }
            (latency, refused, handled.faults())
        })?;
        sample.latency(latency / u32::try_from(count).unwrap_or(u32::MAX));
        setting
            .checks
            .require("all were alive after the pause", refused == 0, || {
                format!("{refused} were not")
            })?;
        setting
            .checks
            .require("each handled its message, once", faults.is_none(), || {
                faults.to_string()
            })
    }))
}
