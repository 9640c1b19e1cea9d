//! One life of an actor, from its first state to its departure.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use super::context::{Context, Link};
use super::lifecycle::Actor;
use crate::exit::{Exit, Failure};
use crate::mailbox::Cell;
use crate::quiet;
use crate::system::System;

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

/// The fields are dropped in this order: who hears of a departure knows that the state is gone.
pub(crate) struct Incarnation<A: Actor, B> {
    actor: Option<A>,
    initial: B,
    context: Context<A::Message>,
}

impl<A: Actor, B: Initial<A>> Incarnation<A, B> {
    /// Starts the task of incarnation `number` of the actor behind `cell`.
    pub(crate) fn start(
        cell: &Arc<Cell<A::Message>>,
        number: u32,
        system: &System,
        link: Option<Link>,
        actor: Option<A>,
        initial: B,
    ) {
        let context = Context::new(Arc::clone(cell), number, system.clone(), link);
        let incarnation = Self {
            actor,
            initial,
            context,
        };
        cell.attach(number, system.runtime().spawn(incarnation.run()));
    }

    /// Its future holds the incarnation once: it is captured, used by reference and never moved, since what is moved
    /// inside a future takes its room twice.
    #[allow(
        clippy::manual_async_fn,
        reason = "the argument of an async fn is moved into its body"
    )]
    fn run(mut self) -> impl Future<Output = ()> + Send {
        async move {
            let this = self.borrow();
            let exit = {
                let mut life = pin!(live(this));
                poll_fn(move |context| {
                    let poll = quiet::within_actor(|| catch_unwind(AssertUnwindSafe(|| life.as_mut().poll(context))));
                    match poll {
                        Ok(Poll::Pending) => Poll::Pending,
                        Ok(Poll::Ready(Ok(()))) => Poll::Ready(Exit::Normal),
                        Ok(Poll::Ready(Err(failure))) => Poll::Ready(Exit::Failed(failure)),
                        Err(payload) => Poll::Ready(Exit::of_panic(&*payload)),
                    }
                })
                .await
            };
            self.finish(exit);
        }
    }

    /// A use of the whole, where a use of fields would have the future capture each of them by itself, in an order that is
    /// not the one of the declaration.
    fn borrow(&mut self) -> &mut Self {
        self
    }

    /// Drops the state, whose own panic is the actor's too, and departs.
    fn finish(&mut self, exit: Exit) {
        let actor = self.actor.take();
        let dropped = quiet::within_actor(|| catch_unwind(AssertUnwindSafe(|| drop(actor))));
        self.context.depart(match (exit, dropped) {
            (Exit::Normal, Err(payload)) => Exit::of_panic(&*payload),
            (exit, _) => exit,
        });
    }
}

/// Its future keeps nothing but `this` and what it awaits, as each word is one more for each actor: the argument of an async fn
/// would be moved, and what a condition awaits would live as long as its body.
#[allow(clippy::manual_async_fn, reason = "see above")]
fn live<A: Actor, B: Initial<A>>(
    this: &mut Incarnation<A, B>,
) -> impl Future<Output = Result<(), Failure>> + Send + use<'_, A, B> {
    async move {
        this.initial.deliver(&mut this.actor);
        let Some(actor) = &mut this.actor else { return Ok(()) };
        actor.started(&mut this.context).await?;
        this.context.announce();
        while !this.context.is_stopping() {
            let Some(message) = this.context.next().await else {
                break;
            };
            let Some(actor) = &mut this.actor else { break };
            actor.handle(message, &mut this.context).await?;
        }
        Ok(())
    }
}
