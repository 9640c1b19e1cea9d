//! kameo: typed actors on tokio, with supervision.
//!
//! An address is kameo's own by type of message, `Recipient`: an actor's reference is by type of actor, and behind the
//! contract actors of several types take the same messages. That costs a virtual call for each message.

use std::convert::Infallible;
use std::marker::PhantomData;

use kameo::actor::{Actor, ActorRef, Recipient, Spawn};
use kameo::error::SendError;
use kameo::mailbox;
use kameo::message::{Context, Message as Handles};
use supervisor_contract::{Address, Behaviour, Bounds, Closed, Flow, Mailbox, Message, Refused, Runtime, System};

/// kameo.
#[derive(Debug)]
pub struct Kameo;

/// Nothing: its actors know each other.
#[derive(Debug)]
pub struct KameoSystem<M>(PhantomData<fn(M)>);

/// Its own address by type of message.
#[derive(Clone)]
pub struct KameoAddress<M: Message>(pub(super) Recipient<Told<M>>);

/// What its actors take.
#[derive(Debug)]
pub(super) struct Told<M>(M);

impl Runtime for Kameo {
    const BOUNDED: bool = true;

    type System<M: Message> = KameoSystem<M>;

    async fn start<M: Message>() -> KameoSystem<M> {
        KameoSystem(PhantomData)
    }
}

impl<M: Message> System for KameoSystem<M> {
    type Message = M;
    type Address = KameoAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> KameoAddress<M> {
        let channel = match mailbox {
            Mailbox::Unbounded => mailbox::unbounded(),
            Mailbox::Bounded(capacity) => mailbox::bounded(capacity),
        };
        KameoAddress(Host::spawn_with_mailbox(behaviour, channel).recipient())
    }

    async fn stop(&self, address: KameoAddress<M>) {
        // An error says that it has ended already.
        let _ = address.0.stop_gracefully().await;
        address.0.wait_for_shutdown().await;
    }
}

impl<M: Message> Address<M> for KameoAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        match self.0.tell(Told(message)).try_send() {
            Ok(()) => Ok(()),
            Err(SendError::MailboxFull(message)) => self.0.tell(message).send().await.map_err(|_| Closed),
            Err(_) => Err(Closed),
        }
    }
}

impl Bounds for Kameo {
    fn try_tell<M: Message>(address: &KameoAddress<M>, message: M) -> Result<(), Refused> {
        match address.0.tell(Told(message)).try_send() {
            Ok(()) => Ok(()),
            Err(SendError::MailboxFull(_)) => Err(Refused::Full),
            Err(_) => Err(Refused::Closed),
        }
    }
}

/// A behaviour as kameo's actor.
pub(super) struct Host<M, B> {
    behaviour: B,
    message: PhantomData<fn(M)>,
}

impl<M: Message, B: Behaviour<KameoSystem<M>>> Actor for Host<M, B> {
    type Args = B;
    type Error = Infallible;

    async fn on_start(mut behaviour: B, me: ActorRef<Self>) -> Result<Self, Infallible> {
        behaviour.started(&KameoAddress(me.recipient())).await;
        Ok(Host {
            behaviour,
            message: PhantomData,
        })
    }
}

impl<M: Message, B: Behaviour<KameoSystem<M>>> Handles<Told<M>> for Host<M, B> {
    type Reply = ();

    async fn handle(&mut self, Told(message): Told<M>, context: &mut Context<Self, ()>) {
        if self.behaviour.handle(message).await == Flow::Stop {
            context.stop();
        }
    }
}
