//! actix: actors on event loops of their own, one per thread.
//!
//! An actor stays on the thread that it was started on, so that actors are dealt to as many threads as there are
//! processors. Its address is actix's own by type of message, `Recipient`: behind the contract actors of several types
//! take the same messages, which costs a virtual call. A panic in a handler ends its actor, and nobody is told.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use actix::{Actor, ActorContext, Arbiter, ArbiterHandle, AsyncContext, Context, Handler, Message as Sends, Recipient};
use futures_util::FutureExt;
use supervisor_contract::{Address, Behaviour, Closed, Flow, Mailbox, Message, Runtime, System};
use tokio::sync::oneshot;
use tokio::task::yield_now;

/// actix.
#[derive(Debug)]
pub struct Actix;

/// Event loops, each on a thread of its own beside those of the tokio runtime around.
#[derive(Debug)]
pub struct ActixSystem<M> {
    loops: Vec<ArbiterHandle>,
    next: AtomicUsize,
    // Dropping it ends the thread that holds the event loops.
    _open: oneshot::Sender<()>,
    message: PhantomData<fn(M)>,
}

/// Its own address by type of message.
#[derive(Clone)]
pub struct ActixAddress<M: Message>(Recipient<Told<M>>);

/// What its actors take.
pub(super) enum Told<M> {
    Message(M),
    Stop(oneshot::Sender<()>),
}

impl<M: Message> Sends for Told<M> {
    type Result = ();
}

impl Runtime for Actix {
    const BOUNDED: bool = false;

    type System<M: Message> = ActixSystem<M>;

    async fn start<M: Message>() -> ActixSystem<M> {
        let (open, closed) = oneshot::channel();
        let (told, loops) = oneshot::channel();
        let threads = tokio::runtime::Handle::current().metrics().num_workers();
        std::thread::spawn(move || {
            actix::System::new().block_on(async move {
                let arbiters: Vec<Arbiter> = (0..threads).map(|_| Arbiter::new()).collect();
                if told.send(arbiters.iter().map(Arbiter::handle).collect()).is_ok() {
                    let _ = closed.await;
                }
                for arbiter in &arbiters {
                    arbiter.stop();
                }
            });
        });
        let loops = loops.await.expect("the thread tells before it ends");
        ActixSystem {
            loops,
            next: AtomicUsize::new(0),
            _open: open,
            message: PhantomData,
        }
    }
}

impl<M: Message> ActixSystem<M> {
    /// Event loops in turn.
    fn event_loop(&self) -> &ArbiterHandle {
        &self.loops[self.next.fetch_add(1, Ordering::Relaxed) % self.loops.len()]
    }
}

impl<M: Message> System for ActixSystem<M> {
    type Message = M;
    type Address = ActixAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, _mailbox: Mailbox) -> ActixAddress<M> {
        let host = Host {
            behaviour,
            message: PhantomData,
            stopping: None,
        };
        ActixAddress(Host::start_in_arbiter(self.event_loop(), move |_| host).recipient())
    }

    async fn stop(&self, address: ActixAddress<M>) {
        let (stopping, stopped) = oneshot::channel();
        address.0.do_send(Told::Stop(stopping));
        // The actor drops its end when it is gone, and its mailbox a moment later.
        let _ = stopped.await;
        while address.0.connected() {
            yield_now().await;
        }
    }
}

impl<M: Message> Address<M> for ActixAddress<M> {
    /// By `do_send`, which looks at no capacity: actix's own counts per sender, and waiting for room is waiting for the
    /// answer.
    async fn tell(&self, message: M) -> Result<(), Closed> {
        if !self.0.connected() {
            return Err(Closed);
        }
        self.0.do_send(Told::Message(message));
        Ok(())
    }
}

/// A behaviour as actix's actor.
struct Host<M, B> {
    behaviour: B,
    message: PhantomData<fn(M)>,
    stopping: Option<oneshot::Sender<()>>,
}

// Actix demands it of actors, and pins none of their fields.
impl<M, B> Unpin for Host<M, B> {}

impl<M: Message, B: Behaviour<ActixSystem<M>>> Actor for Host<M, B> {
    type Context = Context<Self>;

    fn started(&mut self, context: &mut Context<Self>) {
        at_once(self.behaviour.started(&ActixAddress(context.address().recipient())));
    }
}

impl<M: Message, B: Behaviour<ActixSystem<M>>> Handler<Told<M>> for Host<M, B> {
    type Result = ();

    fn handle(&mut self, told: Told<M>, context: &mut Context<Self>) {
        match told {
            Told::Message(message) => {
                if at_once(self.behaviour.handle(message)) == Flow::Stop {
                    context.stop();
                }
            }
            Told::Stop(stopping) => {
                self.stopping = Some(stopping);
                context.stop();
            }
        }
    }
}

/// An event loop's handler cannot wait. What behaviours of scenarios wait for is a message to be told, and that does not
/// wait here.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("a handler that does not wait")
}
