//! What the lock of a mailbox guards.

use std::collections::VecDeque;
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
            queue: VecDeque::new(),
            reader: None,
            waiting: None,
            gate: Gate::Open,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.gate != Gate::Open
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
        self.queue.push_back(sender.message);
        Some(sender.waker)
    }

    /// Refuses all senders that wait; returns the ones to wake.
    pub(super) fn refuse_waiting(&mut self) -> Vec<Waker> {
        self.waiting.as_mut().map_or_else(Vec::new, |waiting| waiting.refuse())
    }
}
