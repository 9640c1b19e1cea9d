//! What one writes without a library: a task that loops over a channel. The floor under all systems of actors.
//!
//! A task ends when nobody has its address any more. It is on nobody's books, and what became of it nobody hears.

use std::marker::PhantomData;
use std::sync::Arc;

use supervisor_contract::{
    Address, Behaviour, Bounds, Closed, Flow, Mailbox, Mailboxes, Message, Publishes, Received, Refused, Runtime,
    System,
};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::JoinHandle;

/// Bare tokio tasks.
#[derive(Debug)]
pub struct TokioTasks;

/// Nothing: the tasks run in whatever runtime is around.
#[derive(Debug)]
pub struct TokioSystem<M>(PhantomData<fn(M)>);

/// What a channel carries: whoever wants to stop a task in order needs a message for that. Of a message that is a bare number it
/// doubles the slot, by 256 bytes in a block of 32: a signal beside the channel would cost as many bytes in the task, and a
/// second poll for each time that the task sleeps.
#[derive(Debug)]
enum Parcel<T> {
    Message(T),
    Stop(oneshot::Sender<()>),
}

/// The sending end of a task's channel.
#[derive(Clone, Debug)]
pub struct TokioAddress<M>(Outgoing<Parcel<M>>);

/// The sending end of a channel.
#[derive(Debug)]
pub enum Outgoing<T> {
    /// Without a capacity.
    Unbounded(mpsc::UnboundedSender<T>),
    /// With one.
    Bounded(mpsc::Sender<T>),
}

/// The receiving end of a channel.
#[derive(Debug)]
pub enum Incoming<T> {
    /// Without a capacity.
    Unbounded(mpsc::UnboundedReceiver<T>),
    /// With one.
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

// By hand: what stops a task cannot be cloned, and its sender can.
impl<T> Clone for Outgoing<T> {
    fn clone(&self) -> Self {
        match self {
            Outgoing::Unbounded(sender) => Outgoing::Unbounded(sender.clone()),
            Outgoing::Bounded(sender) => Outgoing::Bounded(sender.clone()),
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

impl Mailboxes for TokioTasks {
    type Sender<M: Message> = Outgoing<M>;
    type Receiver<M: Message> = Incoming<M>;

    fn mailbox<M: Message>(size: Mailbox) -> (Outgoing<M>, Incoming<M>) {
        channel(size)
    }

    async fn put<M: Message>(sender: &Outgoing<M>, message: M) -> Result<(), Closed> {
        sender.send(message).await
    }

    async fn take<M: Message>(receiver: &mut Incoming<M>) -> Option<M> {
        receiver.next().await
    }
}

/// Payloads that a subscriber may lag behind.
const TOPIC_LENGTH: usize = 1 << 16;

/// By tokio's broadcast channel: a ring of limited length, of which a subscriber that does not keep up loses the oldest.
impl Publishes for TokioTasks {
    type Topic<P: Message> = broadcast::Sender<Arc<P>>;
    type Subscription<P: Message> = broadcast::Receiver<Arc<P>>;
    type Item<P: Message> = Arc<P>;

    fn topic<P: Message>() -> broadcast::Sender<Arc<P>> {
        broadcast::Sender::new(TOPIC_LENGTH)
    }

    async fn subscribe<P: Message>(topic: &broadcast::Sender<Arc<P>>) -> broadcast::Receiver<Arc<P>> {
        topic.subscribe()
    }

    async fn publish<P: Message>(topic: &broadcast::Sender<Arc<P>>, payload: P) {
        // An error says that nobody has subscribed.
        let _ = topic.send(Arc::new(payload));
    }

    async fn subscriptions<P: Message>(topic: &broadcast::Sender<Arc<P>>) -> usize {
        topic.receiver_count()
    }

    async fn receive<P: Message>(subscription: &mut broadcast::Receiver<Arc<P>>) -> Received<Arc<P>> {
        match subscription.recv().await {
            Ok(payload) => Received::Payload(payload),
            Err(broadcast::error::RecvError::Lagged(count)) => Received::Lagged(count),
            Err(broadcast::error::RecvError::Closed) => Received::Closed,
        }
    }
}
