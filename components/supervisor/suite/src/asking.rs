//! Statements about questions.

use std::time::Duration;

use supervisor_contract::{Asks, Exchange, Unanswered};

use super::waiting::{Verdict, all, aside, come, require};

pub(super) async fn answered<R: Asks>() -> Verdict {
    const LIMIT: Duration = Duration::from_secs(2);
    let system = R::start::<Exchange>().await;
    let twice = |question: Exchange| Exchange {
        value: 2 * question.value,
        ..question
    };
    let asker = R::spawn_responder(&system, twice).await;
    let ask_often = |task: u64| {
        let asker = asker.clone();
        aside(async move {
            for value in 0..1_000 {
                let number = 1_000 * task + value;
                let question = Exchange { number, value };
                match R::ask(&asker, question, LIMIT).await {
                    Ok(answer) if answer == twice(question) => {}
                    other => return Err(format!("{question:?} got {other:?}")),
                }
            }
            Ok(())
        })
    };
    all((0..8).map(ask_often)).await
}

pub(super) async fn unanswered<R: Asks>() -> Verdict {
    let system = R::start::<Exchange>().await;
    let slow = |question| {
        // On purpose on the actor's thread: an answer that does not come.
        std::thread::sleep(Duration::from_millis(300));
        question
    };
    let asker = R::spawn_responder(&system, slow).await;
    let question = Exchange { number: 1, value: 1 };
    let refusal = R::ask(&asker, question, Duration::from_millis(20));
    let outcome = come("the refusal", refusal).await?;
    require(outcome == Err(Unanswered::TimedOut), || format!("{outcome:?} came"))
}
