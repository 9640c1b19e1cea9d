//! Where the state of an incarnation comes from.

use std::sync::Arc;

/// Puts the first state in its place, in the actor's own task, so that its panics are the actor's.
pub(crate) trait Initial<A>: Send + 'static {
    fn deliver(&self, place: &mut Option<A>);
}

/// The state is in its place already.
pub(crate) struct Given;

impl<A> Initial<A> for Given {
    fn deliver(&self, _place: &mut Option<A>) {}
}

/// Each incarnation begins with what the factory makes.
pub(crate) struct Factory<F>(pub(crate) Arc<F>);

impl<A, F: Fn() -> A + Send + Sync + 'static> Initial<A> for Factory<F> {
    fn deliver(&self, place: &mut Option<A>) {
        *place = Some((self.0)());
    }
}
