//! Questions and answers.

use std::future::Future;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    type Asker: Clone + Send + Sync + 'static;

    /// Starts an actor that answers.
    fn spawn_responder(
        system: &Self::System<Exchange>,
        answer: impl FnMut(Exchange) -> Exchange + Send + 'static,
    ) -> impl Future<Output = Self::Asker> + Send;

    /// Asks, and waits for the answer for at most so long.
    ///
    /// # Errors
    ///
    /// [`Unanswered`] if none came in time, or the actor has ended.
    fn ask(
        asker: &Self::Asker,
        question: Exchange,
        limit: Duration,
    ) -> impl Future<Output = Result<Exchange, Unanswered>> + Send;
}

/// A question without an answer.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Unanswered {
    /// The time was up.
    #[error("no answer came in time")]
    TimedOut,
    /// The actor has ended.
    #[error("the actor has ended")]
    Closed,
}
