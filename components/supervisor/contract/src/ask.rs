//! Questions and answers.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Runtime;

/// A question and its answer, each with the number that ties them together.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Exchange {
    /// Given by whoever asks, kept by whoever answers.
    pub number: u64,
    /// What is asked or answered.
    pub value: u64,
}

/// A runtime whose actors can be asked, in its own way: an answer is what a handler returns, or goes through a reply
/// port in the message, or comes back through the broker.
pub trait Asks: Runtime {
    /// Where questions go.
    type Asker: Asker;

    /// Starts an actor that answers.
    fn spawn_responder(
        system: &Self::System<Exchange>,
        answer: impl FnMut(Exchange) -> Exchange + Send + 'static,
    ) -> impl Future<Output = Self::Asker> + Send;
}

/// Where questions go.
pub trait Asker: Clone + Send + Sync + 'static {
    /// Asks, and waits for the answer for at most so long.
    ///
    /// # Errors
    ///
    /// [`Unanswered`] if none came in time, or the actor has ended.
    fn ask(&self, question: Exchange, limit: Duration) -> impl Future<Output = Result<Exchange, Unanswered>> + Send;
}

/// A question without an answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Unanswered {
    /// The time was up.
    TimedOut,
    /// The actor has ended.
    Closed,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unanswered::TimedOut => "no answer came in time",
            Unanswered::Closed => "the actor has ended",
        })
    }
}

impl std::error::Error for Unanswered {}
