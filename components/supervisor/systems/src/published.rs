//! The report's system behind the contract: what its user would have to write around it.

use std::marker::PhantomData;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use supervisor_contract::{
    Address, Behaviour, Bounds, Closed, Flow, Mailbox, Mailboxes, Message, Publishes, Received, Refused, Runtime,
    ShutsDown, StillRunning, System,
};
use supervisor_published::{
    Actor, ActorAddress, ActorContext, ActorSystem, BoundedMailbox, BoundedSender, InMemoryBroker, MailboxReceiver,
    MailboxSender, MessageBroker, MessageEnvelope, MessageStream, SystemConfig, UnboundedMailbox, UnboundedSender,
};
use thiserror::Error;
use tokio::task::yield_now;

/// AirsSys-RT as its report found it.
#[derive(Debug)]
pub struct Published;

/// Its actor system, which nobody but [`force_shutdown`](ActorSystem::force_shutdown) empties.
#[derive(Debug)]
pub struct PublishedSystem<M: Message>(ActorSystem<Parcel<M>>);

/// What its actors take: nothing in the system stops an actor, but an error that its handler returns.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(bound = "M: Message")]
pub(super) enum Parcel<M: Message> {
    Message(M),
    Stop,
}

/// The broker, and who the message is for.
#[derive(Clone, Debug)]
pub struct PublishedAddress<M: Message> {
    broker: InMemoryBroker<Parcel<M>>,
    recipient: ActorAddress,
}

impl Runtime for Published {
    const BOUNDED: bool = true;

    type System<M: Message> = PublishedSystem<M>;

    async fn start<M: Message>() -> PublishedSystem<M> {
        let system = ActorSystem::new(SystemConfig::default(), InMemoryBroker::new()).await;
        PublishedSystem(system.expect("a new broker takes subscriptions"))
    }
}

impl<M: Message> Drop for PublishedSystem<M> {
    fn drop(&mut self) {
        self.0.force_shutdown();
    }
}

impl<M: Message> PublishedSystem<M> {
    /// The system itself. Its clones are the same one, which ends with this.
    pub(super) fn actors(&self) -> &ActorSystem<Parcel<M>> {
        &self.0
    }
}

/// Starts an actor.
pub(super) fn start<M: Message, B: Behaviour<PublishedSystem<M>>>(
    system: &ActorSystem<Parcel<M>>,
    behaviour: B,
    mailbox: Mailbox,
) -> PublishedAddress<M> {
    let capacity = if let Mailbox::Bounded(capacity) = mailbox {
        capacity
    } else {
        0
    };
    let host = Host {
        behaviour,
        message: PhantomData,
    };
    let recipient = system
        .spawn(host, None, capacity)
        .expect("the system is running and has no limit");
    PublishedAddress {
        broker: system.broker().clone(),
        recipient,
    }
}

/// Stops an actor. Nothing tells when one has ended: this looks again and again.
pub(super) async fn stop<M: Message>(system: &ActorSystem<Parcel<M>>, address: PublishedAddress<M>) {
    let mut stop = MessageEnvelope::new(Parcel::Stop);
    stop.reply_to = Some(address.recipient.clone());
    if address.broker.publish(stop).await.is_ok() {
        while !system.has_ended(&address.recipient) {
            yield_now().await;
        }
    }
}

impl<M: Message> System for PublishedSystem<M> {
    type Message = M;
    type Address = PublishedAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> PublishedAddress<M> {
        start(&self.0, behaviour, mailbox)
    }

    async fn stop(&self, address: PublishedAddress<M>) {
        stop(&self.0, address).await;
    }

    fn on_the_books(&self) -> Option<usize> {
        Some(self.0.actor_count())
    }
}

impl<M: Message> Address<M> for PublishedAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        let mut envelope = MessageEnvelope::new(Parcel::Message(message));
        envelope.reply_to = Some(self.recipient.clone());
        self.broker.publish(envelope).await.map_err(|_| Closed)
    }
}

impl Bounds for Published {
    /// Upstream has no such call for its actors: what it has, published without waiting.
    fn try_tell<M: Message>(address: &PublishedAddress<M>, message: M) -> Result<(), Refused> {
        let published = address
            .tell(message)
            .now_or_never()
            .expect("nobody subscribes meanwhile");
        published.map_err(|_| Refused::Closed)
    }
}

impl ShutsDown for Published {
    async fn shutdown<M: Message>(system: PublishedSystem<M>, deadline: Duration) -> Result<(), StillRunning> {
        // The time-out is the system's own, set when it was made; the deadline is the shorter one.
        match tokio::time::timeout(deadline, system.0.shutdown()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(StillRunning {
                actors: system.0.actor_count(),
            }),
        }
    }
}

/// A behaviour as upstream's actor.
struct Host<M, B> {
    behaviour: B,
    message: PhantomData<fn(M)>,
}

#[async_trait]
impl<M: Message, B: Behaviour<PublishedSystem<M>>> Actor for Host<M, B> {
    type Message = Parcel<M>;
    type Error = Stopped;

    async fn pre_start(&mut self, context: &mut ActorContext<Parcel<M>>) -> Result<(), Stopped> {
        let me = PublishedAddress {
            broker: context.broker().clone(),
            recipient: context.address().clone(),
        };
        self.behaviour.started(&me).await;
        Ok(())
    }

    async fn handle_message(
        &mut self,
        parcel: Parcel<M>,
        _context: &mut ActorContext<Parcel<M>>,
    ) -> Result<(), Stopped> {
        match parcel {
            Parcel::Message(message) => match self.behaviour.handle(message).await {
                Flow::Continue => Ok(()),
                Flow::Stop => Err(Stopped),
            },
            Parcel::Stop => Err(Stopped),
        }
    }
}

/// Ends an actor.
#[derive(Debug, Error)]
#[error("stopped")]
struct Stopped;

/// A mailbox's sending end.
#[derive(Debug)]
pub enum PublishedSender<M: Message> {
    /// Without a capacity.
    Unbounded(UnboundedSender<M>),
    /// With one.
    Bounded(BoundedSender<M>),
}

/// A mailbox's receiving end.
#[derive(Debug)]
pub enum PublishedReceiver<M: Message> {
    /// Without a capacity.
    Unbounded(UnboundedMailbox<M>),
    /// With one.
    Bounded(BoundedMailbox<M>),
}

impl Mailboxes for Published {
    type Sender<M: Message> = PublishedSender<M>;
    type Receiver<M: Message> = PublishedReceiver<M>;

    fn mailbox<M: Message>(size: Mailbox) -> (PublishedSender<M>, PublishedReceiver<M>) {
        match size {
            Mailbox::Unbounded => {
                let (mailbox, sender) = UnboundedMailbox::create();
                (
                    PublishedSender::Unbounded(sender),
                    PublishedReceiver::Unbounded(mailbox),
                )
            }
            Mailbox::Bounded(capacity) => {
                let (mailbox, sender) = BoundedMailbox::with_capacity(capacity);
                (PublishedSender::Bounded(sender), PublishedReceiver::Bounded(mailbox))
            }
        }
    }

    async fn put<M: Message>(sender: &PublishedSender<M>, message: M) -> Result<(), Closed> {
        let envelope = MessageEnvelope::new(message);
        match sender {
            PublishedSender::Unbounded(sender) => sender.send(envelope).await,
            PublishedSender::Bounded(sender) => sender.send(envelope).await,
        }
        .map_err(|_| Closed)
    }

    async fn take<M: Message>(receiver: &mut PublishedReceiver<M>) -> Option<M> {
        match receiver {
            PublishedReceiver::Unbounded(mailbox) => mailbox.recv().await,
            PublishedReceiver::Bounded(mailbox) => mailbox.recv().await,
        }
        .map(|envelope| envelope.payload)
    }
}

/// By a broker for each topic.
impl Publishes for Published {
    type Topic<P: Message> = InMemoryBroker<P>;
    type Subscription<P: Message> = MessageStream<P>;
    type Item<P: Message> = P;

    fn topic<P: Message>() -> InMemoryBroker<P> {
        InMemoryBroker::new()
    }

    async fn subscribe<P: Message>(topic: &InMemoryBroker<P>) -> MessageStream<P> {
        let stream = topic.subscribe().await;
        stream.expect("the broker takes any number of subscriptions")
    }

    async fn publish<P: Message>(topic: &InMemoryBroker<P>, payload: P) {
        let published = topic.publish(MessageEnvelope::new(payload)).await;
        published.expect("publishing only fails for requests");
    }

    async fn subscriptions<P: Message>(topic: &InMemoryBroker<P>) -> usize {
        topic.subscriber_count().await
    }

    async fn receive<P: Message>(stream: &mut MessageStream<P>) -> Received<P> {
        let envelope = stream.recv().await;
        envelope.map_or(Received::Closed, |envelope| Received::Payload(envelope.payload))
    }
}
