//! Where the children of a supervisor are, for systems in which a restarted actor has another address.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use supervisor_contract::{Behaviour, Flow, System};

/// Addresses by leaf, each under a lock of its own.
#[derive(Clone, Debug)]
pub(super) struct Places<A>(Arc<[Mutex<Option<A>>]>);

impl<A: Clone> Places<A> {
    pub(super) fn of(leaves: usize) -> Self {
        Places((0..leaves).map(|_| Mutex::new(None)).collect())
    }

    pub(super) fn get(&self, leaf: usize) -> Option<A> {
        self.0.get(leaf).and_then(|place| lock(place).clone())
    }

    /// Enters the address of a child that starts, and gives back what else came of the start. The place is held meanwhile:
    /// the child may be heard of before anybody else knows where it is.
    pub(super) fn enter<T>(&self, leaf: usize, start: impl FnOnce() -> (A, T)) -> T {
        let mut place = lock(&self.0[leaf]);
        let (address, started) = start();
        *place = Some(address);
        started
    }

    pub(super) fn leave(&self, leaf: usize) -> Option<A> {
        lock(&self.0[leaf]).take()
    }

    /// Takes all out.
    pub(super) fn take(&self) -> Vec<A> {
        self.0.iter().filter_map(|place| lock(place).take()).collect()
    }
}

fn lock<A>(place: &Mutex<Option<A>>) -> MutexGuard<'_, Option<A>> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A child that enters its address itself, before it starts: nobody hears of it who cannot find it.
pub(super) struct Placed<A, B> {
    pub(super) inner: B,
    pub(super) leaf: usize,
    pub(super) places: Places<A>,
}

impl<S: System, B: Behaviour<S>> Behaviour<S> for Placed<S::Address, B> {
    async fn started(&mut self, me: &S::Address) {
        self.places.enter(self.leaf, || (me.clone(), ()));
        self.inner.started(me).await;
    }

    async fn handle(&mut self, message: S::Message) -> Flow {
        self.inner.handle(message).await
    }
}
