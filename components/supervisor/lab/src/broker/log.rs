//! What the lock of a topic guards: the log and who reads it.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use super::sleepers::Sleepers;

/// Entries that a subscriber takes at a time.
const BATCH: usize = 32;

/// A buffer of more entries than this gives memory back when it is used to less than one part in [`SPARSE`].
const KEPT: usize = 64;
const SPARSE: usize = 8;

/// A payload and how many have not read it.
pub(super) struct Entry<T: ?Sized> {
    payload: Arc<T>,
    unread: usize,
}

/// A buffer that is not needed any more, to be dropped without the lock.
pub(super) type Buffer<T> = VecDeque<Entry<T>>;

/// Entries are numbered from 0 in the order of publication; `first` is the number of the oldest one that is kept.
///
/// Invariants: the oldest entry has somebody left to read it, and no later one has fewer, since whoever has read that one has
/// read the oldest; a subscriber that has a waker here has read everything.
pub(super) struct Log<T: ?Sized> {
    entries: VecDeque<Entry<T>>,
    first: u64,
    readers: usize,
    pub(super) sleepers: Sleepers,
    pub(super) closed: bool,
}

impl<T: ?Sized> Log<T> {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
            readers: 0,
            sleepers: Sleepers::default(),
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

    /// A reader is gone that would have read from `next` on; returns what nobody has to read any more.
    pub(super) fn leave(&mut self, next: u64) -> (Vec<Arc<T>>, Option<Buffer<T>>) {
        self.readers -= 1;
        let read = self.offset(next);
        for entry in self.entries.range_mut(read..) {
            entry.unread -= 1;
        }
        let mut payloads = Vec::new();
        while self.entries.front().is_some_and(|entry| entry.unread == 0) {
            payloads.extend(self.forget());
        }
        (payloads, self.shrink())
    }

    /// Who reads an entry is settled when it is appended: returns how many. Hands the payload back if nobody does.
    pub(super) fn append(&mut self, payload: Arc<T>) -> Result<usize, Arc<T>> {
        let unread = self.readers;
        if unread == 0 {
            return Err(payload);
        }
        self.entries.push_back(Entry { payload, unread });
        Ok(unread)
    }

    /// Takes the oldest entry out.
    fn forget(&mut self) -> Option<Arc<T>> {
        let entry = self.entries.pop_front()?;
        self.first += 1;
        Some(entry.payload)
    }

    /// Hands out the entry of number `next`, and those after it to `batch`, up to [`BATCH`] in all; `next` is moved along.
    pub(super) fn read(&mut self, next: &mut u64, batch: &mut VecDeque<Arc<T>>) -> Option<Arc<T>> {
        let payload = self.hand_out(next)?;
        batch.extend((1..BATCH).map_while(|_| self.hand_out(next)));
        Some(payload)
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

    fn offset(&self, number: u64) -> usize {
        usize::try_from(number - self.first).map_or(self.len(), |offset| offset.min(self.len()))
    }

    /// Has what is left of an almost empty buffer in one twice as large as that: each entry that went has paid for a share.
    pub(super) fn shrink(&mut self) -> Option<Buffer<T>> {
        if self.entries.capacity() <= KEPT || self.entries.len() * SPARSE >= self.entries.capacity() {
            return None;
        }
        let mut smaller = VecDeque::with_capacity((2 * self.entries.len()).max(KEPT));
        smaller.append(&mut self.entries);
        Some(mem::replace(&mut self.entries, smaller))
    }
}
