//! The subscribers of a topic that sleep.

use std::mem;
use std::task::Waker;

/// Wakers of subscribers. A publisher takes all of them, in constant time: a new round begins, and where a subscriber left its
/// waker in an earlier one means nothing.
#[derive(Default)]
pub(super) struct Sleepers {
    wakers: Vec<Option<Waker>>,
    /// Indices without a waker.
    free: Vec<usize>,
    round: u64,
}

/// Where a subscriber left its waker.
#[derive(Clone, Copy)]
pub(super) struct Place {
    round: u64,
    index: usize,
}

/// Wakers that were taken out, to be woken without the lock. Each publication makes one of these, mostly empty: it is small, and
/// inlined it stays in registers.
#[derive(Default)]
pub(super) struct Wakers {
    others: Vec<Option<Waker>>,
    last: Option<Waker>,
}

impl Sleepers {
    /// Leaves a waker; returns the one that was there, to be dropped without the lock.
    pub(super) fn sleep(&mut self, place: &mut Option<Place>, waker: &Waker) -> Option<Waker> {
        if let Some(slot) = self.slot(*place) {
            return match slot {
                Some(left) if left.will_wake(waker) => None,
                _ => slot.replace(waker.clone()),
            };
        }
        let index = self.free.pop().unwrap_or(self.wakers.len());
        if index == self.wakers.len() {
            self.wakers.push(None);
        }
        self.wakers[index] = Some(waker.clone());
        *place = Some(Place {
            round: self.round,
            index,
        });
        None
    }

    /// A subscriber leaves for good; returns its waker, to be dropped without the lock.
    pub(super) fn leave(&mut self, place: Option<Place>) -> Option<Waker> {
        let waker = self.slot(place)?.take();
        self.free.extend(place.map(|place| place.index));
        waker
    }

    /// Takes all wakers; with those of more than one subscriber goes the buffer, however large it was.
    #[inline]
    pub(super) fn take(&mut self) -> Wakers {
        let Some(last) = self.wakers.pop() else {
            return Wakers::default();
        };
        self.round += 1;
        self.free.clear();
        let mut others = Vec::new();
        if !self.wakers.is_empty() {
            others = mem::take(&mut self.wakers);
            self.free = Vec::new();
        }
        Wakers { others, last }
    }

    fn slot(&mut self, place: Option<Place>) -> Option<&mut Option<Waker>> {
        let Place { round, index } = place?;
        if round == self.round {
            self.wakers.get_mut(index)
        } else {
            None
        }
    }
}

impl Wakers {
    #[inline]
    pub(super) fn wake(self) {
        self.others.into_iter().flatten().for_each(Waker::wake);
        self.last.into_iter().for_each(Waker::wake);
    }
}
