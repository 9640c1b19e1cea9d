//! The actors that are alive.
//!
//! An actor enters before its task starts and leaves when it has ended, so that whoever looks sees no dead ones. The
//! registry is cut into shards, each a map behind a lock, and an actor's number picks its shard: actors that are born one
//! after the other do not meet.
//!
//! # Shutting down
//!
//! 1. `shut` stores `shut`, then visits every shard under its lock.
//! 2. `enter` loads `shut` under the lock of its shard. If that comes before the visit, the visit sees the actor. If
//!    it comes after, the release of the lock by the visit makes the store visible, and the actor is refused. So no
//!    actor slips through, and relaxed suffices for the flag: the lock orders it.
//! 3. `leave` removes under the lock and loads `shut` after it, by the same argument: either the visit no longer sees
//!    the actor, or `leave` sees the flag and notifies.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::id::ActorId;
use crate::mailbox::Entry;
use crate::sync::{AtomicBool, Mutex, Ordering, lock};

const SHARDS: usize = if cfg!(supervisor_loom) { 1 } else { 64 };

/// A map gives memory back when it is used to less than one part in this many.
const SPARSE: usize = 8;

type Shard = HashMap<u64, Arc<dyn Entry>, BuildHasherDefault<Spread>>;

pub(crate) struct Registry {
    shards: Box<[Padded]>,
    shut: AtomicBool,
    /// Told of each actor that leaves once `shut` is set.
    left: Notify,
}

/// A shard on cache lines of its own.
#[derive(Default)]
#[repr(align(128))]
struct Padded(Mutex<Shard>);

impl Default for Registry {
    fn default() -> Self {
        let shards = std::iter::repeat_with(Padded::default).take(SHARDS).collect();
        Self {
            shards,
            shut: AtomicBool::new(false),
            left: Notify::new(),
        }
    }
}

impl Registry {
    /// Lists an actor; `false` if the registry is shut.
    pub(crate) fn enter(&self, entry: Arc<dyn Entry>) -> bool {
        let id = entry.id();
        let mut shard = lock(self.shard(id));
        if self.shut.load(Ordering::Relaxed) {
            return false;
        }
        shard.insert(id.number(), entry);
        true
    }

    /// Takes an actor off the list.
    pub(crate) fn leave(&self, id: ActorId) {
        let mut shard = lock(self.shard(id));
        let left = shard.remove(&id.number());
        if shard.capacity() > SPARSE * shard.len().max(SPARSE) {
            shard.shrink_to_fit();
        }
        drop(shard);
        drop(left);
        if self.shut.load(Ordering::Relaxed) {
            self.left.notify_waiters();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(&shard.0).len()).sum()
    }

    /// Lets nobody in any more; returns who is there.
    pub(crate) fn shut(&self) -> Vec<Arc<dyn Entry>> {
        self.shut.store(true, Ordering::Relaxed);
        self.entries()
    }

    pub(crate) fn entries(&self) -> Vec<Arc<dyn Entry>> {
        self.shards
            .iter()
            .flat_map(|shard| lock(&shard.0).values().cloned().collect::<Vec<_>>())
            .collect()
    }

    /// Waits until nobody is there. Only after [`shut`](Self::shut).
    pub(crate) async fn emptied(&self) {
        loop {
            let mut left = pin!(self.left.notified());
            // Listed before the look, or a departure after it would go unnoticed.
            left.as_mut().enable();
            if self.len() == 0 {
                return;
            }
            left.await;
        }
    }

    fn shard(&self, id: ActorId) -> &Mutex<Shard> {
        // The remainder is less than `SHARDS`.
        #[allow(clippy::cast_possible_truncation)]
        let shard = (id.number() % SHARDS as u64) as usize;
        &self.shards[shard].0
    }
}

/// A hash for numbers that are given out in turn: the multiplier of Fibonacci hashing, 2^64 divided by the golden ratio.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
