//! The senders that wait for room in a bounded mailbox, and the messages that they hold.

use std::collections::VecDeque;
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
    pub(super) refused: VecDeque<Sender<M>>,
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
}

/// Where in `senders` the ticket is.
pub(super) fn find<M>(senders: &VecDeque<Sender<M>>, ticket: u64) -> Option<usize> {
    senders.binary_search_by_key(&ticket, |sender| sender.ticket).ok()
}
