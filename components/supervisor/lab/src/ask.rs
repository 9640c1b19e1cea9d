//! Request and reply.

use std::fmt;

use thiserror::Error;
use tokio::sync::oneshot;

use crate::refusal::Refusal;

/// The place for one answer; travels inside the question.
///
/// Dropping it, which a panic of the actor does too, tells the asker that there will be no answer.
pub struct Reply<T>(oneshot::Sender<T>);

impl<T> Reply<T> {
    /// Answers. An asker that has lost interest is no error of the one who answers.
    pub fn send(self, answer: T) {
        let _ = self.0.send(answer);
    }
}

impl<T> fmt::Debug for Reply<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Reply(..)")
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum AskError {
    /// The question was not accepted: the mailbox is full.
    #[error("the mailbox is full")]
    Full,
    /// The question was not accepted: the actor takes no more messages.
    #[error("the mailbox is closed")]
    Closed,
    /// The question was accepted, and the actor dropped it, panicked, was killed or ended before it answered.
    #[error("the actor ended or dropped the question without an answer")]
    Unanswered,
}

impl AskError {
    pub(crate) fn of<M>(refusal: &Refusal<M>) -> Self {
        match refusal {
            Refusal::Full(_) => Self::Full,
            Refusal::Closed(_) => Self::Closed,
        }
    }
}

pub(crate) fn slot<T>() -> (Reply<T>, oneshot::Receiver<T>) {
    let (sender, receiver) = oneshot::channel();
    (Reply(sender), receiver)
}

pub(crate) async fn answer<T>(told: Result<(), AskError>, answer: oneshot::Receiver<T>) -> Result<T, AskError> {
    told?;
    answer.await.map_err(|_| AskError::Unanswered)
}
