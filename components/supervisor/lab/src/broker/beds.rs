//! The subscribers of a topic that sleep.

use std::mem;
use std::task::Waker;

/// The wakers that are taken out one by one; of more, the whole buffer is taken.
const FEW: usize = 8;

/// Wakers of subscribers. A publisher takes all of them, in constant time: a new round begins, and where a subscriber left its
/// waker in an earlier one means nothing.
#[derive(Default)]
pub(super) struct Beds {
    wakers: Vec<Option<Waker>>,
    /// Places without a waker.
    free: Vec<usize>,
    round: u64,
}

/// Where a subscriber left its waker.
#[derive(Clone, Copy)]
pub(super) struct Bed {
    round: u64,
    place: usize,
}

/// Wakers that were taken out, to be woken without the lock.
pub(super) struct Wakers {
    few: [Option<Waker>; FEW],
    many: Vec<Option<Waker>>,
}

impl Beds {
    /// Leaves a waker; returns the one that was there, to be dropped without the lock.
    pub(super) fn sleep(&mut self, bed: &mut Option<Bed>, waker: &Waker) -> Option<Waker> {
        if let Some(slot) = self.slot(*bed) {
            return match slot {
                Some(left) if left.will_wake(waker) => None,
                _ => slot.replace(waker.clone()),
            };
        }
        let place = self.free.pop().unwrap_or(self.wakers.len());
        if place == self.wakers.len() {
            self.wakers.push(None);
        }
        self.wakers[place] = Some(waker.clone());
        *bed = Some(Bed {
            round: self.round,
            place,
        });
        None
    }

    /// A subscriber leaves for good; returns its waker, to be dropped without the lock.
    pub(super) fn leave(&mut self, bed: Option<Bed>) -> Option<Waker> {
        let waker = self.slot(bed)?.take();
        self.free.extend(bed.map(|bed| bed.place));
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

    fn slot(&mut self, bed: Option<Bed>) -> Option<&mut Option<Waker>> {
        let Bed { round, place } = bed?;
        if round == self.round {
            self.wakers.get_mut(place)
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
