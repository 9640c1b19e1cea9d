//! Where the children of a supervisor are, for systems in which a restarted actor has another address.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use supervisor_contract::{Behaviour, Flow, System};

/// Addresses by leaf.
#[derive(Debug)]
pub(super) struct Places<A>(Arc<Mutex<Vec<Option<A>>>>);

impl<A> Clone for Places<A> {
    fn clone(&self) -> Self {
        Places(Arc::clone(&self.0))
    }
}

impl<A: Clone> Places<A> {
    pub(super) fn of(leaves: usize) -> Self {
        Places(Arc::new(Mutex::new(vec![None; leaves])))
    }

    pub(super) fn get(&self, leaf: usize) -> Option<A> {
        self.lock().get(leaf)?.clone()
    }

    pub(super) fn set(&self, leaf: usize, address: Option<A>) {
        self.lock()[leaf] = address;
    }

    /// Takes all out.
    pub(super) fn take(&self) -> Vec<A> {
        self.lock().iter_mut().filter_map(Option::take).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<A>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A child that enters its address itself, before it starts: nobody hears of it who cannot find it.
pub(super) struct Placed<A, B> {
    pub(super) inner: B,
    pub(super) leaf: usize,
    pub(super) places: Places<A>,
}

impl<S: System, B: Behaviour<S>> Behaviour<S> for Placed<S::Address, B> {
    async fn started(&mut self, me: &S::Address) {
        self.places.set(self.leaf, Some(me.clone()));
        self.inner.started(me).await;
    }

    async fn handle(&mut self, message: S::Message) -> Flow {
        self.inner.handle(message).await
    }
}
