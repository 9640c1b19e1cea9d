// The cell of the type in "Exercise: a runtime of your own".
//
// Two changes. Who asked for an unbounded mailbox pays for no permit; and the actor takes up to 64 messages at a time, so that it looks
// for more, and gives its thread away, once for all of them.
use supervisor_contract::{Behaviour, Closed, Flow, Mailbox, Message, Runtime};
use tokio::sync::{mpsc, oneshot};

const AT_ONCE: usize = 64;

pub struct MyRuntime;
pub struct MySystem<M>(std::marker::PhantomData<fn(M)>);
pub enum MyAddress<M> { Bounded(mpsc::Sender<Parcel<M>>), Unbounded(mpsc::UnboundedSender<Parcel<M>>) }
pub enum Parcels<M> { Bounded(mpsc::Receiver<Parcel<M>>), Unbounded(mpsc::UnboundedReceiver<Parcel<M>>) }
pub enum Parcel<M> { Message(M), Stop(oneshot::Sender<()>) }

impl Runtime for MyRuntime {
    const BOUNDED: bool = true;
    type System<M: Message> = MySystem<M>;
    async fn start<M: Message>() -> MySystem<M> { MySystem(std::marker::PhantomData) }
}

impl<M: Message> supervisor_contract::System for MySystem<M> {
    type Message = M;
    type Address = MyAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> MyAddress<M> {
        let (address, parcels) = match mailbox {
            Mailbox::Bounded(capacity) => {
                let (sender, receiver) = mpsc::channel(capacity);
                (MyAddress::Bounded(sender), Parcels::Bounded(receiver))
            }
            Mailbox::Unbounded => {
                let (sender, receiver) = mpsc::unbounded_channel();
                (MyAddress::Unbounded(sender), Parcels::Unbounded(receiver))
            }
        };
        tokio::spawn(run(behaviour, address.clone(), parcels));
        address
    }
    async fn stop(&self, address: MyAddress<M>) {
        let (told, gone) = oneshot::channel();
        if address.send(Parcel::Stop(told)).await.is_ok() { let _ = gone.await; }
    }
}

async fn run<M: Message, B: Behaviour<MySystem<M>>>(mut behaviour: B, me: MyAddress<M>, mut mailbox: Parcels<M>) {
    behaviour.started(&me).await;
    drop(me); // or it would never be the last one
    let mut stopped = None;
    let mut taken = Vec::with_capacity(AT_ONCE);
    'life: while mailbox.take(&mut taken).await > 0 {
        for parcel in taken.drain(..) {
            match parcel {
                Parcel::Message(message) => if behaviour.handle(message).await == Flow::Stop { break 'life },
                Parcel::Stop(told) => { stopped = Some(told); break 'life }
            }
        }
    }
    drop((behaviour, mailbox, taken));
    drop(stopped); // whoever waits for the end sees it now
}

impl<M> Parcels<M> {
    async fn take(&mut self, into: &mut Vec<Parcel<M>>) -> usize {
        match self {
            Self::Bounded(receiver) => receiver.recv_many(into, AT_ONCE).await,
            Self::Unbounded(receiver) => receiver.recv_many(into, AT_ONCE).await,
        }
    }
}
impl<M> MyAddress<M> {
    async fn send(&self, parcel: Parcel<M>) -> Result<(), Closed> {
        match self {
            Self::Bounded(sender) => sender.send(parcel).await.map_err(|_| Closed),
            Self::Unbounded(sender) => sender.send(parcel).map_err(|_| Closed),
        }
    }
}
impl<M: Message> supervisor_contract::Address<M> for MyAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> { self.send(Parcel::Message(message)).await }
}
impl<M> Clone for MyAddress<M> {
    fn clone(&self) -> Self {
        match self {
            Self::Bounded(sender) => Self::Bounded(sender.clone()),
            Self::Unbounded(sender) => Self::Unbounded(sender.clone()),
        }
    }
}
