//! The lab's own runtime, as its documentation uses it.

use std::future::Future;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use supervisor_contract::{
    Address, Behaviour, Bounds, Branch, Closed, Flow, Mailbox, Mailboxes, Makes, Message, Publishes, Received, Refused,
    Restarts, Runtime, ShutsDown, StillRunning, Strategy, Supervises, Supervisor, System, Unsupported,
};
use supervisor_lab::broker;
use supervisor_lab::channel;
use supervisor_lab::supervisor::{self, Child, Intensity, Restart, Spec};
use supervisor_lab::{Actor, Context, Failure, Refusal};

/// This lab's runtime.
#[derive(Debug)]
pub struct Lab;

/// Its system, which lets its actors end when it is dropped.
#[derive(Debug)]
pub struct LabSystem<M> {
    system: supervisor_lab::System,
    message: PhantomData<fn(M)>,
}

impl<M> Drop for LabSystem<M> {
    fn drop(&mut self) {
        self.system.close();
    }
}

/// An address of it.
#[derive(Clone, Debug)]
pub struct LabAddress<M>(supervisor_lab::Address<M>);

/// A behaviour as an actor.
struct Behaving<B, M>(B, PhantomData<fn(M)>);

impl<M: Message, B: Behaviour<LabSystem<M>>> Actor for Behaving<B, M> {
    type Message = M;

    async fn started(&mut self, context: &mut Context<M>) -> Result<(), Failure> {
        self.0.started(&LabAddress(context.address())).await;
        Ok(())
    }

    /// An `async fn` would keep `context` twice, as an argument and moved, and each word of it is one of the actor's task.
    #[allow(clippy::manual_async_fn, reason = "see above")]
    fn handle(&mut self, message: M, context: &mut Context<M>) -> impl Future<Output = Result<(), Failure>> + Send {
        async move {
            if self.0.handle(message).await == Flow::Stop {
                context.stop();
            }
            Ok(())
        }
    }
}

impl Runtime for Lab {
    const BOUNDED: bool = true;

    type System<M: Message> = LabSystem<M>;

    async fn start<M: Message>() -> LabSystem<M> {
        LabSystem {
            system: supervisor_lab::System::new(),
            message: PhantomData,
        }
    }
}

fn bound(capacity: usize) -> NonZeroUsize {
    NonZeroUsize::new(capacity).expect("a bounded mailbox has room for a message")
}

impl<M: Message> System for LabSystem<M> {
    type Message = M;
    type Address = LabAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> LabAddress<M> {
        let actor = self.system.actor(Behaving(behaviour, PhantomData));
        LabAddress(match mailbox {
            Mailbox::Unbounded => actor.spawn(),
            Mailbox::Bounded(capacity) => actor.bounded(bound(capacity)).spawn(),
        })
    }

    async fn stop(&self, address: LabAddress<M>) {
        address.0.close();
        address.0.ended().await;
    }

    fn on_the_books(&self) -> Option<usize> {
        Some(self.system.len())
    }
}

impl ShutsDown for Lab {
    async fn shutdown<M: Message>(system: LabSystem<M>, deadline: Duration) -> Result<(), StillRunning> {
        let shutdown = system.system.shutdown(deadline).await;
        match shutdown.killed + shutdown.stuck {
            0 => Ok(()),
            actors => Err(StillRunning { actors }),
        }
    }
}

impl<M: Message> Address<M> for LabAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        self.0.send(message).await.map_err(|_| Closed)
    }
}

impl Bounds for Lab {
    fn try_tell<M: Message>(address: &LabAddress<M>, message: M) -> Result<(), Refused> {
        address.0.tell(message).map_err(|refusal| match refusal {
            Refusal::Full(_) => Refused::Full,
            Refusal::Closed(_) => Refused::Closed,
        })
    }
}

impl Mailboxes for Lab {
    type Sender<M: Message> = channel::Sender<M>;
    type Receiver<M: Message> = channel::Receiver<M>;

    fn mailbox<M: Message>(size: Mailbox) -> (channel::Sender<M>, channel::Receiver<M>) {
        match size {
            Mailbox::Unbounded => channel::unbounded(),
            Mailbox::Bounded(capacity) => channel::bounded(bound(capacity)),
        }
    }

    async fn put<M: Message>(sender: &channel::Sender<M>, message: M) -> Result<(), Closed> {
        sender.send(message).await.map_err(|_| Closed)
    }

    async fn take<M: Message>(receiver: &mut channel::Receiver<M>) -> Option<M> {
        receiver.receive().await
    }
}

/// Topics keep what the slowest subscriber has not read.
impl Publishes for Lab {
    type Topic<P: Message> = broker::Topic<P>;
    type Subscription<P: Message> = broker::Subscription<P>;
    type Item<P: Message> = Arc<P>;

    fn topic<P: Message>() -> broker::Topic<P> {
        broker::Topic::new()
    }

    async fn subscribe<P: Message>(topic: &broker::Topic<P>) -> broker::Subscription<P> {
        topic.subscribe()
    }

    async fn publish<P: Message>(topic: &broker::Topic<P>, payload: P) {
        topic.publish(payload).await;
    }

    async fn subscriptions<P: Message>(topic: &broker::Topic<P>) -> usize {
        topic.subscriptions()
    }

    async fn receive<P: Message>(subscription: &mut broker::Subscription<P>) -> Received<Arc<P>> {
        match subscription.receive().await {
            broker::Received::Payload(payload) => Received::Payload(payload),
            broker::Received::Closed => Received::Closed,
        }
    }
}

/// A tree and the addresses of its leaves, which last through all restarts.
#[derive(Debug)]
pub struct LabSupervisor<M> {
    supervisor: supervisor::Supervisor,
    leaves: Vec<LabAddress<M>>,
}

impl Supervises for Lab {
    type Supervisor<M: Message> = LabSupervisor<M>;

    async fn supervise<M: Message, F: Makes<LabSystem<M>>>(
        system: &LabSystem<M>,
        tree: Branch<F>,
    ) -> Result<LabSupervisor<M>, Unsupported> {
        let mut leaves = Vec::new();
        let spec = match tree {
            Branch::Child(factory) => Spec::new(supervisor::Strategy::OneForOne).child(leaf(factory, &mut leaves)),
            Branch::Supervisor {
                strategy,
                restarts,
                branches,
            } => spec_of(strategy, restarts, branches, &mut leaves),
        };
        let supervisor = spec.start(&system.system).await.expect("behaviours start without fail");
        Ok(LabSupervisor { supervisor, leaves })
    }
}

fn leaf<M: Message, F: Makes<LabSystem<M>>>(factory: F, leaves: &mut Vec<LabAddress<M>>) -> Child {
    let (child, address) = Child::new("leaf", move || Behaving(factory.make(), PhantomData));
    leaves.push(LabAddress(address));
    child.restart(Restart::Transient)
}

fn spec_of<M: Message, F: Makes<LabSystem<M>>>(
    strategy: Strategy,
    restarts: Restarts,
    branches: Vec<Branch<F>>,
    leaves: &mut Vec<LabAddress<M>>,
) -> Spec {
    let strategy = match strategy {
        Strategy::OneForOne => supervisor::Strategy::OneForOne,
        Strategy::OneForAll => supervisor::Strategy::OneForAll,
        Strategy::RestForOne => supervisor::Strategy::RestForOne,
    };
    let intensity = Intensity {
        restarts: restarts.at_most,
        within: restarts.within,
    };
    let spec = Spec::new(strategy).intensity(intensity);
    branches.into_iter().fold(spec, |spec, branch| {
        spec.child(match branch {
            Branch::Child(factory) => leaf(factory, leaves),
            Branch::Supervisor {
                strategy,
                restarts,
                branches,
            } => Child::tree("branch", spec_of(strategy, restarts, branches, leaves)),
        })
    })
}

impl<M: Message> Supervisor<LabAddress<M>> for LabSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<LabAddress<M>> {
        self.leaves.get(leaf).filter(|address| !address.0.is_closed()).cloned()
    }

    async fn stop(self) {
        self.supervisor.stop().await;
    }
}
