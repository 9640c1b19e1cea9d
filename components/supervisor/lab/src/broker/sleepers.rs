//! The subscribers of a topic that sleep.

use std::mem;
use std::task::Waker;

/// The wakers that are taken out one by one; of more, the whole buffer is taken.
const FEW: usize = 8;

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

/// Wakers that were taken out, to be woken without the lock.
pub(super) struct Wakers {
    few: [Option<Waker>; FEW],
    many: Vec<Option<Waker>>,
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

    /// Takes all wakers.
    pub(super) fn take(&mut self) -> Wakers {
        let mut few = [const { None }; FEW];
        let mut many = Vec::new();
        if self.wakers.len() > FEW {
            many = mem::take(&mut self.wakers);
            self.free = Vec::new();
            self.round += 1;
        } else if !self.wakers.is_empty() {
            self.drain().zip(&mut few).for_each(|(waker, slot)| *slot = Some(waker));
        }
        Wakers { few, many }
    }

    /// Takes all wakers out of the buffer, which is kept.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = Waker> + '_ {
        self.round += 1;
        self.free.clear();
        self.wakers.drain(..).flatten()
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
    pub(super) fn wake(self) {
        self.few.into_iter().chain(self.many).flatten().for_each(Waker::wake);
    }
}
