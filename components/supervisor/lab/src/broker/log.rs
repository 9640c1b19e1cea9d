//! What the lock of a topic guards: the log, who reads it, and who waits to write.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::task::Waker;

use super::sleepers::{Sleepers, Wakers};

/// Entries that a subscriber takes at a time.
pub(super) const BATCH: usize = 32;

/// A buffer of more entries than this gives memory back when it is used to less than one part in [`SPARSE`].
const KEPT: usize = 64;
const SPARSE: usize = 8;

/// A payload and how many have not read it.
struct Entry<T: ?Sized> {
    payload: Arc<T>,
    unread: usize,
}

/// A publisher that waits for room.
struct Waiting<T: ?Sized> {
    ticket: u64,
    payload: Arc<T>,
    waker: Waker,
}

/// Entries are numbered from 0 in the order of publication; `first` is the number of the oldest one that is kept.
///
/// Invariants: the oldest entry has somebody left to read it, and no later one has fewer, since whoever has read that one has
/// read the oldest; a subscriber that has a waker here has read everything; publishers wait only where the log is full.
pub(super) struct Log<T: ?Sized> {
    entries: VecDeque<Entry<T>>,
    first: u64,
    limit: usize,
    readers: usize,
    pub(super) sleepers: Sleepers,
    /// In the order of their tickets, which are never used twice.
    waiting: VecDeque<Waiting<T>>,
    next_ticket: u64,
    /// Tickets whose payloads were appended, in their order, with the number of readers each has.
    appended: VecDeque<(u64, usize)>,
    pub(super) closed: bool,
}

/// What a reader found.
pub(super) enum Found<T: ?Sized> {
    /// This many were dropped before they were read.
    Lagged(u64),
    /// The next one. Those after it are in the batch.
    Payload(Arc<T>),
    Nothing,
    Closed,
}

/// What is to be woken and dropped without the lock.
pub(super) struct Freed<T: ?Sized> {
    /// Their payloads were appended, and there is something for the subscribers now.
    publishers: Vec<Waker>,
    subscribers: Wakers,
    /// What nobody has to read any more.
    payloads: Vec<Arc<T>>,
    buffer: VecDeque<Entry<T>>,
}

impl<T: ?Sized> Freed<T> {
    fn nothing() -> Self {
        Self {
            publishers: Vec::new(),
            subscribers: Wakers::default(),
            payloads: Vec::new(),
            buffer: VecDeque::new(),
        }
    }

    /// Not under the lock: wakers and payloads are code of a user.
    pub(super) fn release(self) {
        self.publishers.into_iter().for_each(Waker::wake);
        self.subscribers.wake();
        drop((self.payloads, self.buffer));
    }
}

/// What became of a payload.
pub(super) enum Appended<T: ?Sized> {
    /// It is in the log, for this many; the oldest entry may have gone for it.
    Yes { readers: usize, oldest: Option<Arc<T>> },
    /// Nobody reads it.
    Unheard(Arc<T>),
    /// There is no room.
    Full(Arc<T>),
}

impl<T: ?Sized> Log<T> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
            limit,
            readers: 0,
            sleepers: Sleepers::default(),
            waiting: VecDeque::new(),
            next_ticket: 0,
            appended: VecDeque::new(),
            closed: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn readers(&self) -> usize {
        self.readers
    }

    /// A new reader; returns the number of the first entry that it reads.
    pub(super) fn enter(&mut self) -> u64 {
        self.readers += 1;
        self.first + self.entries.len() as u64
    }

    /// A reader is gone that would have read from `next` on.
    pub(super) fn leave(&mut self, next: u64) -> Freed<T> {
        self.readers -= 1;
        let read = self.offset(next);
        for entry in self.entries.range_mut(read..) {
            entry.unread -= 1;
        }
        let mut freed = Freed::nothing();
        while self.entries.front().is_some_and(|entry| entry.unread == 0) {
            freed.payloads.extend(self.forget());
        }
        self.admit_waiting(&mut freed);
        self.shrink(&mut freed);
        freed
    }

    /// Appends, if there is room; if there is none and `overwrite`, in place of the oldest entry.
    pub(super) fn append(&mut self, payload: Arc<T>, overwrite: bool) -> Appended<T> {
        if self.readers == 0 {
            return Appended::Unheard(payload);
        }
        let full = self.entries.len() >= self.limit;
        if full && !overwrite {
            return Appended::Full(payload);
        }
        let oldest = if full { self.forget() } else { None };
        let readers = self.push(payload);
        Appended::Yes { readers, oldest }
    }

    /// Who reads an entry is settled when it is appended.
    fn push(&mut self, payload: Arc<T>) -> usize {
        let unread = self.readers;
        self.entries.push_back(Entry { payload, unread });
        unread
    }

    /// Has a publisher wait in line; returns its ticket.
    pub(super) fn enqueue(&mut self, payload: Arc<T>, waker: Waker) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        self.waiting.push_back(Waiting { ticket, payload, waker });
        ticket
    }

    /// How many read what was published with `ticket`; `None` if it still waits, and then `waker` is the one to wake, in
    /// exchange for the one before.
    pub(super) fn inquire(&mut self, ticket: u64, waker: &mut Waker) -> Option<usize> {
        match self.waiting.binary_search_by_key(&ticket, |waiting| waiting.ticket) {
            Ok(place) => {
                mem::swap(&mut self.waiting[place].waker, waker);
                None
            }
            Err(_) => Some(self.collect(ticket)),
        }
    }

    fn collect(&mut self, ticket: u64) -> usize {
        let place = self.appended.binary_search_by_key(&ticket, |&(appended, _)| appended);
        let appended = place.ok().and_then(|place| self.appended.remove(place));
        appended.map_or(0, |(_, readers)| readers)
    }

    /// A publisher does not wait any more. What it leaves is to be dropped without the lock.
    pub(super) fn give_up(&mut self, ticket: u64) -> Option<(Arc<T>, Waker)> {
        if let Ok(place) = self.waiting.binary_search_by_key(&ticket, |waiting| waiting.ticket) {
            return self.waiting.remove(place).map(|left| (left.payload, left.waker));
        }
        self.collect(ticket);
        None
    }

    /// Appends the payloads of as many publishers as there is room for, the first in line first, so that each one that is
    /// woken has published.
    fn admit_waiting(&mut self, freed: &mut Freed<T>) {
        while !self.waiting.is_empty() && self.entries.len() < self.limit {
            let Some(Waiting { ticket, payload, waker }) = self.waiting.pop_front() else {
                return;
            };
            let readers = self.readers;
            if readers == 0 {
                freed.payloads.push(payload);
            } else {
                self.push(payload);
            }
            self.appended.push_back((ticket, readers));
            freed.publishers.push(waker);
        }
        if !freed.publishers.is_empty() {
            freed.subscribers = self.sleepers.take();
        }
    }

    /// Takes the oldest entry out.
    fn forget(&mut self) -> Option<Arc<T>> {
        let entry = self.entries.pop_front()?;
        self.first += 1;
        Some(entry.payload)
    }

    /// Hands out the entry of number `next`, and those after it to `batch`, up to [`BATCH`] in all; `next` is moved along.
    pub(super) fn read(&mut self, next: &mut u64, batch: &mut VecDeque<Arc<T>>) -> Found<T> {
        if *next < self.first {
            let missed = self.first - *next;
            *next = self.first;
            return Found::Lagged(missed);
        }
        let Some(payload) = self.hand_out(next) else {
            return if self.closed { Found::Closed } else { Found::Nothing };
        };
        batch.extend((1..BATCH).map_while(|_| self.hand_out(next)));
        Found::Payload(payload)
    }

    /// The last reader of the oldest entry takes the pointer itself.
    fn hand_out(&mut self, next: &mut u64) -> Option<Arc<T>> {
        let place = self.offset(*next);
        let entry = self.entries.get_mut(place)?;
        *next += 1;
        entry.unread -= 1;
        if place == 0 && entry.unread == 0 {
            self.forget()
        } else {
            Some(Arc::clone(&entry.payload))
        }
    }

    /// Where entries have gone: admits publishers in line, and gives memory back. Mostly there is nothing to do.
    pub(super) fn settle(&mut self) -> Option<Freed<T>> {
        let sparse = is_sparse(&self.entries) || is_sparse(&self.appended) || is_sparse(&self.waiting);
        if self.waiting.is_empty() && !sparse {
            return None;
        }
        let mut freed = Freed::nothing();
        self.admit_waiting(&mut freed);
        self.shrink(&mut freed);
        Some(freed)
    }

    /// Where entry `number` is; the oldest if that is gone.
    fn offset(&self, number: u64) -> usize {
        usize::try_from(number.saturating_sub(self.first))
            .unwrap_or(usize::MAX)
            .min(self.entries.len())
    }

    /// Has what is left of an almost empty buffer in one twice as large as that: each entry that went has paid for a share.
    fn shrink(&mut self, freed: &mut Freed<T>) {
        if self.waiting.is_empty() && self.waiting.capacity() > KEPT {
            self.waiting = VecDeque::new();
        }
        if self.appended.is_empty() && self.appended.capacity() > KEPT {
            self.appended = VecDeque::new();
        }
        if is_sparse(&self.entries) {
            let mut smaller = VecDeque::with_capacity((2 * self.entries.len()).max(KEPT));
            smaller.append(&mut self.entries);
            freed.buffer = mem::replace(&mut self.entries, smaller);
        }
    }
}

fn is_sparse<E>(buffer: &VecDeque<E>) -> bool {
    buffer.capacity() > KEPT && buffer.len() * SPARSE < buffer.capacity()
}
