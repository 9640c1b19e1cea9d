//! Sending that waits for room.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::queue::{Mailbox, UNBOUNDED, wake};
use super::waiting::Waiting;
use crate::refusal::Closed;
use crate::rt;
use crate::sync::lock;

/// How far a sending has come.
enum Turn<M> {
    Holding(M),
    Waiting(u64),
    Over,
}

/// The future of [`Address::send`](crate::Address::send).
///
/// Dropped before it is done, it takes its message out of the line, unless the message was accepted at the last moment. Who
/// has to know which it was calls [`withdraw`](Self::withdraw) instead.
///
/// To a bounded mailbox each sending takes a unit of its task's budget, as tokio's own do, so that a sender whose
/// messages are taken as fast as they come still lets others run.
///
/// # Cancel safety
///
/// Safe in `tokio::select!`: dropped, it has either sent its message or dropped it; [`withdraw`](Self::withdraw) tells.
///
/// # Panics
///
/// If it is polled after it was done.
#[must_use = "futures do nothing unless polled"]
pub struct Sending<'a, M> {
    mailbox: &'a Mailbox<M>,
    turn: Turn<M>,
}

/// The message is moved, never pinned.
impl<M> Unpin for Sending<'_, M> {}

impl<'a, M> Sending<'a, M> {
    pub(crate) fn new(mailbox: &'a Mailbox<M>, message: M) -> Self {
        Self {
            mailbox,
            turn: Turn::Holding(message),
        }
    }

    /// Takes the message out of the line and hands it back; `None` if it was accepted.
    pub fn withdraw(&mut self) -> Option<M> {
        match mem::replace(&mut self.turn, Turn::Over) {
            Turn::Holding(message) => Some(message),
            Turn::Waiting(ticket) => {
                let mut state = lock(&self.mailbox.state);
                let waiting = state.waiting.as_mut()?;
                let left = waiting.leave(ticket);
                drop(state);
                left.map(|(message, _waker)| message)
            }
            Turn::Over => None,
        }
    }
}

impl<M> Future for Sending<'_, M> {
    type Output = Result<(), Closed<M>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Without a bound a sending is a push, which never waits either.
        if self.mailbox.capacity != UNBOUNDED && matches!(self.turn, Turn::Holding(_)) {
            ready!(rt::poll_budget(context));
        }
        match mem::replace(&mut self.turn, Turn::Over) {
            Turn::Holding(message) => self.begin(message, context),
            Turn::Waiting(ticket) => self.inquire(ticket, context),
            Turn::Over => panic!("a sending was polled after it was done"),
        }
    }
}

impl<M> Sending<'_, M> {
    fn begin(&mut self, message: M, context: &mut Context<'_>) -> Poll<Result<(), Closed<M>>> {
        let mut state = lock(&self.mailbox.state);
        if state.is_closed() {
            return Poll::Ready(Err(Closed(message)));
        }
        if state.len() >= self.mailbox.capacity {
            let waiting = state.waiting.get_or_insert_with(|| Box::new(Waiting::new()));
            self.turn = Turn::Waiting(waiting.enter(message, context.waker().clone()));
            return Poll::Pending;
        }
        state.push(message);
        let reader = state.reader.take();
        drop(state);
        wake(reader);
        Poll::Ready(Ok(()))
    }

    fn inquire(&mut self, ticket: u64, context: &mut Context<'_>) -> Poll<Result<(), Closed<M>>> {
        // Changes places with the one that is there, to be dropped without the lock.
        let mut waker = context.waker().clone();
        let mut state = lock(&self.mailbox.state);
        let Some(waiting) = state.waiting.as_mut() else {
            return Poll::Ready(Ok(()));
        };
        if waiting.renew(ticket, &mut waker) {
            drop(state);
            self.turn = Turn::Waiting(ticket);
            return Poll::Pending;
        }
        let refused = waiting.leave(ticket);
        drop(state);
        Poll::Ready(refused.map_or(Ok(()), |(message, _)| Err(Closed(message))))
    }
}

impl<M> Drop for Sending<'_, M> {
    fn drop(&mut self) {
        drop(self.withdraw());
    }
}
