//! ractor: actors in the manner of Erlang, with supervision events. Restarting is left to who receives them.

use std::marker::PhantomData;

use ractor::{Actor, ActorProcessingErr, ActorRef};
use supervisor_contract::{Address, Behaviour, Closed, Flow, Mailbox, Message, Runtime, System};

/// ractor.
#[derive(Debug)]
pub struct Ractor;

/// Nothing: its actors know each other.
#[derive(Debug)]
pub struct RactorSystem<M>(PhantomData<fn(M)>);

/// Its own reference. A message is boxed on the way.
#[derive(Clone, Debug)]
pub struct RactorAddress<M>(pub(super) ActorRef<Told<M>>);

/// What its actors take; its own messages are `Any + Send` without more.
#[derive(Debug)]
pub(super) struct Told<M>(M);

impl Runtime for Ractor {
    const BOUNDED: bool = false;

    type System<M: Message> = RactorSystem<M>;

    async fn start<M: Message>() -> RactorSystem<M> {
        RactorSystem(PhantomData)
    }
}

impl<M: Message> System for RactorSystem<M> {
    type Message = M;
    type Address = RactorAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, _mailbox: Mailbox) -> RactorAddress<M> {
        let host = Host(PhantomData);
        let (actor, _task) = Actor::spawn(None, host, behaviour)
            .await
            .expect("nothing in its start fails");
        RactorAddress(actor)
    }

    async fn stop(&self, address: RactorAddress<M>) {
        // An error says that it has ended already.
        let _ = address.0.get_cell().drain_and_wait(None).await;
    }
}

impl<M: Message> Address<M> for RactorAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        self.0.send_message(Told(message)).map_err(|_| Closed)
    }
}

/// A behaviour as ractor's actor: the actor itself has no state, that is kept beside it.
pub(super) struct Host<M, B>(pub(super) PhantomData<fn(M, B)>);

impl<M: Message, B: Behaviour<RactorSystem<M>>> Actor for Host<M, B> {
    type Msg = Told<M>;
    type State = B;
    type Arguments = B;

    async fn pre_start(&self, me: ActorRef<Told<M>>, mut behaviour: B) -> Result<B, ActorProcessingErr> {
        behaviour.started(&RactorAddress(me)).await;
        Ok(behaviour)
    }

    async fn handle(
        &self,
        me: ActorRef<Told<M>>,
        Told(message): Told<M>,
        behaviour: &mut B,
    ) -> Result<(), ActorProcessingErr> {
        if behaviour.handle(message).await == Flow::Stop {
            me.stop(None);
        }
        Ok(())
    }
}
