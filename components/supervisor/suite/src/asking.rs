//! Statements about questions.

use std::time::Duration;

use supervisor_contract::{Asker, Asks, Exchange, Unanswered};

use super::gathered::{Body, Table};
use super::statements as the;
use super::waiting::{aside, come, on_threads, require};

pub(super) fn statements<R: Asks>() -> Table {
    vec![
        (the::ANSWERED, (|| on_threads(answered::<R>())) as Body),
        (the::UNANSWERED, || on_threads(unanswered::<R>())),
    ]
}

async fn answered<R: Asks>() -> Result<(), String> {
    const LIMIT: Duration = Duration::from_secs(2);
    let system = R::start::<Exchange>().await;
    let twice = |question: Exchange| Exchange {
        value: 2 * question.value,
        ..question
    };
    let asker = R::spawn_responder(&system, twice).await;
    let mut tasks = Vec::new();
    for task in 0..8_u64 {
        let asker = asker.clone();
        tasks.push(aside(async move {
            for i in 0..1_000 {
                let question = Exchange {
                    number: 1_000 * task + i,
                    value: i,
                };
                match asker.ask(question, LIMIT).await {
                    Ok(answer) if answer == twice(question) => {}
                    other => return Err(format!("{question:?} got {other:?}")),
                }
            }
            Ok(())
        }));
    }
    for task in tasks {
        task.await.map_err(|failure| failure.to_string())??;
    }
    Ok(())
}

async fn unanswered<R: Asks>() -> Result<(), String> {
    let system = R::start::<Exchange>().await;
    let slow = |question| {
        // On purpose on the actor's thread: an answer that does not come.
        std::thread::sleep(Duration::from_millis(300));
        question
    };
    let asker = R::spawn_responder(&system, slow).await;
    let question = Exchange { number: 1, value: 1 };
    let outcome = come("the refusal", asker.ask(question, Duration::from_millis(20))).await?;
    require(outcome == Err(Unanswered::TimedOut), || format!("{outcome:?} came"))
}
