//! What the lock of a mailbox guards.

use std::collections::VecDeque;
use std::mem;
use std::task::Waker;

use super::waiting::Waiting;

/// Whether messages are accepted; each later one of these is a stronger no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gate {
    Open,
    /// No more; those that were accepted are still to be taken.
    Closed,
    /// No more, and the reader has been told that it has taken the last one: the close has had its effect.
    Drained,
    /// No more: the actor is over.
    Ended,
}

/// The inside of a mailbox; the invariants are in the parent's design note.
#[derive(Debug)]
pub(super) struct State<M> {
    /// The message at the front, if it came to an empty mailbox: a message that comes alone needs no buffer.
    first: Option<M>,
    /// Those after `first`.
    pub(super) queue: VecDeque<M>,
    /// The reader, if it sleeps.
    pub(super) reader: Option<Waker>,
    /// Made by the first sender that waits: most mailboxes never have one.
    pub(super) waiting: Option<Box<Waiting<M>>>,
    pub(super) gate: Gate,
}

impl<M> State<M> {
    pub(super) fn new() -> Self {
        Self {
            first: None,
            queue: VecDeque::new(),
            reader: None,
            waiting: None,
            gate: Gate::Open,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.gate != Gate::Open
    }

    pub(super) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.queue.len()
    }

    pub(super) fn push(&mut self, message: M) {
        if self.first.is_none() && self.queue.is_empty() {
            self.first = Some(message);
        } else {
            self.queue.push_back(message);
        }
    }

    pub(super) fn pop(&mut self) -> Option<M> {
        self.first.take().or_else(|| self.queue.pop_front())
    }

    /// Takes the message at the front, and the others into `batch`, which is empty.
    pub(super) fn take(&mut self, batch: &mut VecDeque<M>) -> Option<M> {
        let first = self.first.take();
        mem::swap(&mut self.queue, batch);
        first.or_else(|| batch.pop_front())
    }

    /// Puts messages in front; returns a buffer that is not needed any more.
    pub(super) fn put_back(&mut self, mut messages: VecDeque<M>) -> VecDeque<M> {
        messages.extend(self.first.take());
        messages.append(&mut self.queue);
        mem::replace(&mut self.queue, messages)
    }

    /// Takes everything: the message at the front, and the others.
    pub(super) fn drain(&mut self) -> (Option<M>, VecDeque<M>) {
        (self.first.take(), mem::take(&mut self.queue))
    }

    /// Leaves the waker of a reader that found nothing; returns the one before it, to be dropped without the lock.
    pub(super) fn sleep(&mut self, waker: &Waker) -> Option<Waker> {
        match &self.reader {
            Some(reader) if reader.will_wake(waker) => None,
            _ => self.reader.replace(waker.clone()),
        }
    }

    /// Gives the place that was just made to the first sender that waits; returns the one to wake.
    pub(super) fn admit_waiting(&mut self) -> Option<Waker> {
        let sender = self.waiting.as_mut()?.senders.pop_front()?;
        self.push(sender.message);
        Some(sender.waker)
    }

    /// Refuses all senders that wait; returns the ones to wake.
    pub(super) fn refuse_waiting(&mut self) -> Vec<Waker> {
        self.waiting.as_mut().map_or_else(Vec::new, |waiting| waiting.refuse())
    }
}
