//! Questions and answers, one at a time.

use std::time::{Duration, Instant};

use perflab_bench::{Parameter, ScenarioSpec, Setting, Stopwatch};
use supervisor_contract::{Asks, Exchange};

use crate::knobs::{less, tail, time, usage};
use crate::threads::{Opened, Threads};

const LIMIT: Duration = Duration::from_millis(500);

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "ask",
        "Questions and answers",
        "a question and its answer in the asker's hand",
        less("p50", "p50", "ns/answer"),
    )
    .metrics([
        time("ns/answer"),
        less("lost", "counter:lost/op", "answers lost/question"),
    ])
    .metrics(tail())
    .metrics(usage())
    .parameters([Parameter::int(
        "questions",
        1_000,
        1,
        1_000_000,
        "questions in a repetition",
    )])
}

fn answer_to(question: Exchange) -> Exchange {
    Exchange {
        number: question.number,
        value: question.value.wrapping_mul(3) + 1,
    }
}

pub(super) fn open<R: Asks>(setting: Setting) -> Opened {
    let count = setting.parameters.int("questions").unsigned_abs();
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let system = R::start::<Exchange>().await;
        let asker = R::spawn_responder(&system, answer_to).await;
        let (mut latencies, mut lost, mut wrong) = (Vec::new(), 0_u64, 0);
        let watch = Stopwatch::start();
        for number in 0..count {
            let question = Exchange {
                number,
                value: number ^ 0x5555,
            };
            let begun = Instant::now();
            match R::ask(&asker, question, LIMIT).await {
                Ok(answer) => {
                    latencies.push(begun.elapsed());
                    wrong += u64::from(answer != answer_to(question));
                }
                Err(_) => lost += 1,
            }
        }
        // An answer that is lost costs its asker the time until it gives up, as it would any user.
        record.sample.add_lap(count as f64, watch.stop());
        record.latencies(&latencies);
        record.sample.count("lost", lost as f64);
        record.require("most questions are answered", 2 * lost < count, || {
            format!("{lost} of {count} were not")
        })?;
        record.last("every answer is to its question", wrong == 0, || {
            format!("{wrong} were to another")
        })
    })
}
