//! The senders that wait for room in a bounded mailbox, and the messages that they hold.

use std::collections::VecDeque;
use std::mem;
use std::task::Waker;

/// A sender that waits.
#[derive(Debug)]
pub(super) struct Sender<M> {
    pub(super) ticket: u64,
    pub(super) message: M,
    pub(super) waker: Waker,
}

/// Senders in the order of their tickets.
///
/// A sender finds out how it went by looking for its ticket: among `senders` it still waits, among `refused` the mailbox
/// was closed and its message is there to take, and in neither the message was accepted. Tickets are never used
/// twice, so this box is kept once it is made.
#[derive(Debug)]
pub(super) struct Waiting<M> {
    next: u64,
    pub(super) senders: VecDeque<Sender<M>>,
    refused: VecDeque<(u64, M)>,
}

impl<M> Waiting<M> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            senders: VecDeque::new(),
            refused: VecDeque::new(),
        }
    }

    pub(super) fn enter(&mut self, message: M, waker: Waker) -> u64 {
        let ticket = self.next;
        self.next += 1;
        self.senders.push_back(Sender { ticket, message, waker });
        ticket
    }

    /// Leaves another waker for the sender, if it still waits, in exchange for the one before.
    pub(super) fn renew(&mut self, ticket: u64, waker: &mut Waker) -> bool {
        let Some(place) = self.place_of(ticket) else {
            return false;
        };
        mem::swap(&mut self.senders[place].waker, waker);
        true
    }

    /// Takes a sender's message back, unless it was accepted; with its waker, to be dropped without the lock.
    pub(super) fn leave(&mut self, ticket: u64) -> Option<(M, Option<Waker>)> {
        if let Some(place) = self.place_of(ticket) {
            let sender = self.senders.remove(place)?;
            return Some((sender.message, Some(sender.waker)));
        }
        let place = self
            .refused
            .binary_search_by_key(&ticket, |&(refused, _)| refused)
            .ok()?;
        let (_, message) = self.refused.remove(place)?;
        Some((message, None))
    }

    /// Sets the messages of all senders that wait aside for them to fetch; returns the ones to wake.
    pub(super) fn refuse(&mut self) -> Vec<Waker> {
        let senders = mem::take(&mut self.senders);
        let (refused, wakers): (Vec<_>, Vec<_>) = senders
            .into_iter()
            .map(|sender| ((sender.ticket, sender.message), sender.waker))
            .unzip();
        self.refused.extend(refused);
        wakers
    }

    fn place_of(&self, ticket: u64) -> Option<usize> {
        self.senders.binary_search_by_key(&ticket, |sender| sender.ticket).ok()
    }
}
