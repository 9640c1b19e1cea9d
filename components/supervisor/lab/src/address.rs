//! Where messages for an actor go.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use tokio::sync::oneshot;

use crate::ask::{self, AskError, Reply};
use crate::exit::End;
use crate::mailbox::{Cell, Entry, Sending};
use crate::refusal::Refusal;

/// The address of an actor that takes messages of type `M`: one pointer, cheap to clone.
///
/// It stays valid when the actor is restarted: an address is that of the actor, not of one of its incarnations. It
/// does not keep the actor running, and an actor whose last address is dropped runs on.
///
/// Messages from one sender to one actor are handled in the order in which they were accepted, each at most once. A message
/// is handled unless its handler panics, the actor is killed with the message in hand, or the actor ends first;
/// [`ended`](Self::ended) tells how many were left then.
pub struct Address<M> {
    pub(crate) cell: Arc<Cell<M>>,
}

impl<M: Send + 'static> Address<M> {
    /// Gives the actor a message, or hands it back.
    ///
    /// # Errors
    ///
    /// [`Refusal::Full`] if the mailbox is bounded and full, [`Refusal::Closed`] if the actor takes no more messages.
    pub fn tell(&self, message: M) -> Result<(), Refusal<M>> {
        self.cell.mailbox.push(message)
    }

    /// Gives the actor a message, waiting for room if need be. Those who wait are served in turn.
    ///
    /// # Errors
    ///
    /// [`Closed`](crate::Closed) with the message, if the actor takes no more, also if that happens while it waits.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, the future takes the message out of the line, unless it was accepted at the last moment:
    /// [`Sending::withdraw`] tells.
    pub fn send(&self, message: M) -> Sending<'_, M> {
        Sending::new(&self.cell.mailbox, message)
    }

    /// Asks: makes the place for the answer, then tells the actor `question(place)`, then waits for the answer.
    ///
    /// The question is sent by this call, and not when the future is first polled. The answer cannot be lost, since its place
    /// exists before that. There is no limit to the time
    /// it takes; put `tokio::time::timeout` around it for one.
    ///
    /// # Errors
    ///
    /// [`AskError::Full`] or [`AskError::Closed`] if the question was refused, [`AskError::Unanswered`] as soon as it is
    /// certain that no answer will come: the actor dropped the [`Reply`], panicked or was killed with it, or ended.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the question with the actor.
    pub fn ask<T, Q>(&self, question: Q) -> impl Future<Output = Result<T, AskError>> + Send + use<T, Q, M>
    where
        T: Send + 'static,
        Q: FnOnce(Reply<T>) -> M,
    {
        let (reply, answer) = ask::slot();
        let told = self.tell(question(reply));
        ask::answer(told.map_err(|refusal| AskError::of(&refusal)), answer)
    }

    /// Takes no more messages; the actor ends once it has handled those it has accepted.
    ///
    /// A supervised actor is stopped through its supervisor instead: closed, a permanent one is restarted, and its next
    /// incarnation takes messages again.
    pub fn close(&self) {
        self.cell.close();
    }

    /// Ends the actor after the message that it has in hand; the others count as unhandled.
    ///
    /// A supervised actor that is stopped so ends normally, and is restarted if it is permanent, with its messages.
    pub fn stop(&self) {
        self.cell.halt();
    }

    /// Ends the actor the next time it waits, whatever it waits for; the message in hand is lost.
    ///
    /// Code that never waits cannot be ended from outside. A supervised actor is restarted.
    pub fn kill(&self) {
        self.cell.kill();
    }

    /// Waits until the actor has ended and will not be restarted; at once if that is past.
    ///
    /// A child that has ended normally, and that a restart of its group or of its supervisor would start again, has not: its end
    /// is told when nobody can start it any more, at the latest with the end of its supervisor.
    ///
    /// # Cancel safety
    ///
    /// Safe in `tokio::select!`: each call is told.
    pub fn ended(&self) -> impl Future<Output = End> + Send + use<M> {
        let (watch, end) = oneshot::channel();
        self.cell.watch(watch);
        // The cell keeps the watch until it is told.
        let cell = Arc::clone(&self.cell);
        async move {
            let end = end
                .await
                .unwrap_or_else(|_| unreachable!("the end is told before the cell is dropped"));
            drop(cell);
            end
        }
    }

    /// Whether messages are refused. An open mailbox may be closed by the time the caller looks at the answer.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.cell.mailbox.is_closed()
    }

    /// Messages that wait, without those that an unbounded actor has taken as a batch and not begun.
    #[must_use]
    pub fn backlog(&self) -> usize {
        self.cell.mailbox.len()
    }
}

impl<M> Clone for Address<M> {
    fn clone(&self) -> Self {
        Self {
            cell: Arc::clone(&self.cell),
        }
    }
}

impl<M> PartialEq for Address<M> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.cell, &other.cell)
    }
}

impl<M> Eq for Address<M> {}

impl<M> fmt::Debug for Address<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Address({:?})", self.cell.id)
    }
}
