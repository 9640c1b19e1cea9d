//! Questions and answers, one at a time.

use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Asker, Asks, Exchange};

use crate::metrics;
use crate::threads::{Threads, workers};

const LIMIT: Duration = Duration::from_millis(500);

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "ask",
        "Questions and answers",
        "a question and its answer in the asker's hand",
        Metric::new("p50", "p50", "ns/answer", Better::Lower),
    )
    .metrics([
        Metric::new("time", "time", "ns/answer", Better::Lower),
        Metric::new("lost", "counter:lost/op", "answers lost/question", Better::Lower),
    ])
    .metrics(metrics::percentiles().into_iter().skip(1))
    .metrics(metrics::usage())
    .parameters([
        Parameter::int("questions", 1_000, 1, 1_000_000, "questions in a repetition"),
        workers(),
    ])
}

/// What came of the questions.
#[derive(Default)]
struct Outcome {
    /// Of all questions.
    lap: Lap,
    latencies: Vec<Duration>,
    lost: u64,
    wrong: u64,
}

fn answer_to(question: Exchange) -> Exchange {
    Exchange {
        number: question.number,
        value: question.value.wrapping_mul(3) + 1,
    }
}

async fn questions<R: Asks>(count: u64) -> Outcome {
    let system = R::start::<Exchange>().await;
    let asker = R::spawn_responder(&system, answer_to).await;
    let mut outcome = Outcome::default();
    let watch = Stopwatch::start();
    for number in 0..count {
        let question = Exchange {
            number,
            value: number ^ 0x5555,
        };
        let begun = Instant::now();
        match asker.ask(question, LIMIT).await {
            Ok(answer) => {
                outcome.latencies.push(begun.elapsed());
                outcome.wrong += u64::from(answer != answer_to(question));
            }
            Err(_) => outcome.lost += 1,
        }
    }
    outcome.lap = watch.stop();
    outcome
}

pub(super) fn open<R: Asks>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let count = setting.parameters.int("questions").unsigned_abs();
    Ok(Box::new(move |sample: &mut Sample| {
        let outcome = threads.run(questions::<R>(count))?;
        for latency in &outcome.latencies {
            sample.latency(*latency);
        }
        sample.count("lost", outcome.lost as f64);
        let answered = outcome.latencies.len();
        setting
            .checks
            .require("most questions are answered", 2 * answered as u64 > count, || {
                format!("{answered} of {count} were")
            })?;
        setting
            .checks
            .require("every answer is to its question", outcome.wrong == 0, || {
                format!("{} were to another", outcome.wrong)
            })?;
        // An answer that is lost costs its asker the time until it gives up, as it would any user.
        sample.add_lap(count as f64, outcome.lap);
        Ok(())
    }))
}
