//! What one writes without a library: a task that loops over a channel. The floor under all systems of actors.
//!
//! A task ends when nobody has its address any more. It is on nobody's books, and what became of it nobody hears.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use supervisor_contract::{
    Address, Asker, Asks, Behaviour, Bounds, Closed, Exchange, Flow, Mailbox, Mailboxes, Message, Publishes, Received,
    Receiver, Refused, Runtime, Sender, Subscription, System, Topic, Unanswered,
};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Bare tokio tasks.
#[derive(Debug)]
pub struct TokioTasks;

/// Nothing: the tasks run in whatever runtime is around.
#[derive(Debug)]
pub struct TokioSystem<M>(PhantomData<fn(M)>);

/// What a channel carries: whoever wants to stop a task in order needs a message for that.
#[derive(Debug)]
enum Parcel<T> {
    Message(T),
    Stop(oneshot::Sender<()>),
}

/// The sending end of a task's channel.
#[derive(Debug)]
pub struct TokioAddress<M>(Outgoing<Parcel<M>>);

#[derive(Debug)]
enum Outgoing<T> {
    Unbounded(mpsc::UnboundedSender<T>),
    Bounded(mpsc::Sender<T>),
}

#[derive(Debug)]
enum Incoming<T> {
    Unbounded(mpsc::UnboundedReceiver<T>),
    Bounded(mpsc::Receiver<T>),
}

impl Runtime for TokioTasks {
    const BOUNDED: bool = true;

    type System<M: Message> = TokioSystem<M>;

    async fn start<M: Message>() -> TokioSystem<M> {
        TokioSystem(PhantomData)
    }
}

impl<M: Message> System for TokioSystem<M> {
    type Message = M;
    type Address = TokioAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> TokioAddress<M> {
        start(behaviour, mailbox).0
    }

    async fn stop(&self, address: TokioAddress<M>) {
        stop(address).await;
    }

    fn on_the_books(&self) -> Option<usize> {
        None
    }
}

pub(super) fn start<M: Message, B: Behaviour<TokioSystem<M>>>(
    behaviour: B,
    mailbox: Mailbox,
) -> (TokioAddress<M>, JoinHandle<()>) {
    let (outgoing, incoming) = channel(mailbox);
    let address = TokioAddress(outgoing);
    let task = tokio::spawn(run(behaviour, address.clone(), incoming));
    (address, task)
}

pub(super) async fn stop<M: Message>(address: TokioAddress<M>) {
    let (stopping, stopped) = oneshot::channel();
    if address.0.send(Parcel::Stop(stopping)).await.is_ok() {
        // The task drops its end when it is gone.
        let _ = stopped.await;
    }
}

async fn run<M: Message, B: Behaviour<TokioSystem<M>>>(
    mut behaviour: B,
    me: TokioAddress<M>,
    mut incoming: Incoming<Parcel<M>>,
) {
    behaviour.started(&me).await;
    // A task that keeps its own address would never end by itself.
    drop(me);
    let mut stopping = None;
    while let Some(parcel) = incoming.next().await {
        match parcel {
            Parcel::Message(message) => {
                if behaviour.handle(message).await == Flow::Stop {
                    break;
                }
            }
            Parcel::Stop(told) => {
                stopping = Some(told);
                break;
            }
        }
    }
    drop((behaviour, incoming));
    drop(stopping);
}

impl<M: Message> Address<M> for TokioAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        self.0.send(Parcel::Message(message)).await
    }
}

impl Bounds for TokioTasks {
    fn try_tell<M: Message>(address: &TokioAddress<M>, message: M) -> Result<(), Refused> {
        match &address.0 {
            Outgoing::Unbounded(sender) => sender.send(Parcel::Message(message)).map_err(|_| Refused::Closed),
            Outgoing::Bounded(sender) => sender
                .try_send(Parcel::Message(message))
                .map_err(|refusal| match refusal {
                    mpsc::error::TrySendError::Full(_) => Refused::Full,
                    mpsc::error::TrySendError::Closed(_) => Refused::Closed,
                }),
        }
    }
}

// By hand, because a message need not be Clone for its sender to be.
impl<M> Clone for TokioAddress<M> {
    fn clone(&self) -> Self {
        TokioAddress(match &self.0 {
            Outgoing::Unbounded(sender) => Outgoing::Unbounded(sender.clone()),
            Outgoing::Bounded(sender) => Outgoing::Bounded(sender.clone()),
        })
    }
}

fn channel<T>(mailbox: Mailbox) -> (Outgoing<T>, Incoming<T>) {
    match mailbox {
        Mailbox::Unbounded => {
            let (sender, receiver) = mpsc::unbounded_channel();
            (Outgoing::Unbounded(sender), Incoming::Unbounded(receiver))
        }
        Mailbox::Bounded(capacity) => {
            let (sender, receiver) = mpsc::channel(capacity);
            (Outgoing::Bounded(sender), Incoming::Bounded(receiver))
        }
    }
}

impl<T> Outgoing<T> {
    async fn send(&self, item: T) -> Result<(), Closed> {
        match self {
            Outgoing::Unbounded(sender) => sender.send(item).map_err(|_| Closed),
            Outgoing::Bounded(sender) => sender.send(item).await.map_err(|_| Closed),
        }
    }
}

impl<T> Incoming<T> {
    async fn next(&mut self) -> Option<T> {
        match self {
            Incoming::Unbounded(receiver) => receiver.recv().await,
            Incoming::Bounded(receiver) => receiver.recv().await,
        }
    }
}

/// A question goes with the channel for its answer.
#[derive(Clone, Debug)]
pub struct TokioAsker(mpsc::UnboundedSender<(Exchange, oneshot::Sender<Exchange>)>);

impl Asks for TokioTasks {
    type Asker = TokioAsker;

    async fn spawn_responder(
        _system: &TokioSystem<Exchange>,
        mut answer: impl FnMut(Exchange) -> Exchange + Send + 'static,
    ) -> TokioAsker {
        let (sender, mut receiver) = mpsc::unbounded_channel::<(Exchange, oneshot::Sender<Exchange>)>();
        tokio::spawn(async move {
            while let Some((question, reply)) = receiver.recv().await {
                // Whoever asked may have given up.
                let _ = reply.send(answer(question));
            }
        });
        TokioAsker(sender)
    }
}

impl Asker for TokioAsker {
    async fn ask(&self, question: Exchange, limit: Duration) -> Result<Exchange, Unanswered> {
        let (reply, answer) = oneshot::channel();
        self.0.send((question, reply)).map_err(|_| Unanswered::Closed)?;
        timeout(limit, answer)
            .await
            .map_err(|_| Unanswered::TimedOut)?
            .map_err(|_| Unanswered::Closed)
    }
}

/// A mailbox's sending end.
#[derive(Debug)]
pub struct TokioSender<M>(Outgoing<M>);

/// A mailbox's receiving end.
#[derive(Debug)]
pub struct TokioReceiver<M>(Incoming<M>);

impl Mailboxes for TokioTasks {
    type Sender<M: Message> = TokioSender<M>;
    type Receiver<M: Message> = TokioReceiver<M>;

    fn mailbox<M: Message>(size: Mailbox) -> (TokioSender<M>, TokioReceiver<M>) {
        let (outgoing, incoming) = channel(size);
        (TokioSender(outgoing), TokioReceiver(incoming))
    }
}

impl<M: Message> Sender<M> for TokioSender<M> {
    async fn send(&self, message: M) -> Result<(), Closed> {
        self.0.send(message).await
    }
}

impl<M: Message> Receiver<M> for TokioReceiver<M> {
    async fn receive(&mut self) -> Option<M> {
        self.0.next().await
    }
}

/// tokio's broadcast channel: a ring of limited length, of which a subscriber that does not keep up loses the oldest.
#[derive(Debug)]
pub struct TokioTopic<P>(broadcast::Sender<Arc<P>>);

/// Payloads that a subscriber may lag behind.
const TOPIC_LENGTH: usize = 1 << 16;

impl Publishes for TokioTasks {
    type Topic<P: Message> = TokioTopic<P>;

    fn topic<P: Message>() -> TokioTopic<P> {
        TokioTopic(broadcast::Sender::new(TOPIC_LENGTH))
    }
}

impl<P> Clone for TokioTopic<P> {
    fn clone(&self) -> Self {
        TokioTopic(self.0.clone())
    }
}

impl<P: Message> Topic<P> for TokioTopic<P> {
    type Subscription = TokioSubscription<P>;

    async fn subscribe(&self) -> TokioSubscription<P> {
        TokioSubscription(self.0.subscribe())
    }

    async fn publish(&self, payload: P) {
        // An error says that nobody has subscribed.
        let _ = self.0.send(Arc::new(payload));
    }

    async fn subscriptions(&self) -> usize {
        self.0.receiver_count()
    }
}

/// A subscriber's end.
#[derive(Debug)]
pub struct TokioSubscription<P>(broadcast::Receiver<Arc<P>>);

impl<P: Message> Subscription<P> for TokioSubscription<P> {
    type Item = Arc<P>;

    async fn receive(&mut self) -> Received<Arc<P>> {
        match self.0.recv().await {
            Ok(payload) => Received::Payload(payload),
            Err(broadcast::error::RecvError::Lagged(count)) => Received::Lagged(count),
            Err(broadcast::error::RecvError::Closed) => Received::Closed,
        }
    }
}
