//! What the lock of a topic guards: the log, and who reads it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

/// Entries that a subscriber takes at a time.
pub(super) const BATCH: usize = 32;

/// A payload and how many have not read it.
struct Entry<T: ?Sized> {
    payload: Arc<T>,
    unread: usize,
}

/// A subscriber's place in the log's books.
#[derive(Default)]
struct Reader {
    waker: Option<Waker>,
    /// Is among the sleepers.
    listed: bool,
}

/// Entries are numbered from 0 in the order of publication; `first` is the number of the oldest one that is kept.
///
/// Invariants: the oldest entry has somebody left to read it, and no later one has fewer, since whoever has read that one has
/// read the oldest; a reader that has a waker here has read everything.
pub(super) struct Log<T: ?Sized> {
    entries: VecDeque<Entry<T>>,
    first: u64,
    readers: Vec<Option<Reader>>,
    free: Vec<usize>,
    sleepers: VecDeque<usize>,
    pub(super) closed: bool,
}

/// What a reader found.
pub(super) enum Found {
    /// This many were dropped before they were read.
    Lagged(u64),
    /// The batch is not empty.
    Entries {
        /// The oldest entry is gone, so that there is room.
        room: bool,
    },
    Nothing,
    Closed,
}

impl<T: ?Sized> Log<T> {
    pub(super) fn new() -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
            readers: Vec::new(),
            free: Vec::new(),
            sleepers: VecDeque::new(),
            closed: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The number of the next entry.
    fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    pub(super) fn readers(&self) -> usize {
        self.readers.len() - self.free.len()
    }

    /// A new reader: its place, and the number of the first entry that it reads.
    pub(super) fn enter(&mut self) -> (usize, u64) {
        let place = self.free.pop().unwrap_or(self.readers.len());
        if place == self.readers.len() {
            self.readers.push(None);
        }
        self.readers[place] = Some(Reader::default());
        (place, self.end())
    }

    /// A reader is gone that would have read from `next` on. Returns what nobody has to read any more.
    pub(super) fn leave(&mut self, place: usize, next: u64) -> Vec<Arc<T>> {
        self.readers[place] = None;
        self.free.push(place);
        self.sleepers.retain(|&sleeper| sleeper != place);
        let read = self.offset(next);
        for entry in self.entries.range_mut(read..) {
            entry.unread -= 1;
        }
        self.trim()
    }

    /// Appends, and returns how many will read it.
    pub(super) fn append(&mut self, payload: Arc<T>) -> usize {
        let unread = self.readers();
        if unread > 0 {
            self.entries.push_back(Entry { payload, unread });
        }
        unread
    }

    /// Drops the oldest entry.
    pub(super) fn forget(&mut self) -> Option<Arc<T>> {
        let entry = self.entries.pop_front()?;
        self.first += 1;
        Some(entry.payload)
    }

    /// Moves up to [`BATCH`] entries to `batch`, from number `next` on, which is moved along.
    pub(super) fn read(&mut self, next: &mut u64, batch: &mut VecDeque<Arc<T>>) -> Found {
        if *next < self.first {
            let missed = self.first - *next;
            *next = self.first;
            return Found::Lagged(missed);
        }
        let from = self.offset(*next);
        let count = (self.entries.len() - from).min(BATCH);
        if count == 0 {
            return if self.closed { Found::Closed } else { Found::Nothing };
        }
        *next += count as u64;
        let mut left = count;
        while from == 0 && left > 0 && self.entries.front().is_some_and(|entry| entry.unread == 1) {
            batch.extend(self.forget());
            left -= 1;
        }
        for entry in self.entries.range_mut(from..from + left) {
            entry.unread -= 1;
            batch.push_back(Arc::clone(&entry.payload));
        }
        Found::Entries { room: left < count }
    }

    /// Leaves the waker of a reader that found nothing; returns the one before it, to be dropped without the lock.
    pub(super) fn sleep(&mut self, place: usize, waker: &Waker) -> Option<Waker> {
        let reader = self.readers[place].as_mut()?;
        if !reader.listed {
            reader.listed = true;
            self.sleepers.push_back(place);
        }
        match &reader.waker {
            Some(left) if left.will_wake(waker) => None,
            _ => reader.waker.replace(waker.clone()),
        }
    }

    pub(super) fn sleepers(&self) -> usize {
        self.sleepers.len()
    }

    /// The one that has slept longest, to be woken.
    pub(super) fn rouse(&mut self) -> Option<Waker> {
        let place = self.sleepers.pop_front()?;
        let reader = self.readers[place].as_mut()?;
        reader.listed = false;
        reader.waker.take()
    }

    /// Where entry `number` is; the oldest if that is gone.
    fn offset(&self, number: u64) -> usize {
        usize::try_from(number.saturating_sub(self.first))
            .unwrap_or(usize::MAX)
            .min(self.entries.len())
    }

    fn trim(&mut self) -> Vec<Arc<T>> {
        let mut read = Vec::new();
        while self.entries.front().is_some_and(|entry| entry.unread == 0) {
            read.extend(self.forget());
        }
        read
    }
}
