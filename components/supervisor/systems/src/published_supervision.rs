//! What a user of the report's system has to write to see an actor restarted.
//!
//! Its supervisors know children and no actors, its actors know no supervisor, and a decision is told and not carried
//! out. So a child here is what starts an actor, whoever drops an actor in a panic reports it, and a task asks for the
//! decision and restarts whom it names, one after the other.

use std::convert::Infallible;
use std::time::Duration;

use async_trait::async_trait;
use supervisor_contract::{
    Behaviour, Branch, Flow, Mailbox, Makes, Message, Strategy, Supervises, Supervisor, Unsupported,
};
use supervisor_published::{
    ActorSystem, Child, ChildId, Decision, NoopMonitor, OneForAll, OneForOne, RestForOne, SupervisionStrategy,
    Supervisor as _, SupervisorNode,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use super::places::Places;
use super::published::{Parcel, Published, PublishedAddress, PublishedSystem, start, stop};

/// The task that carries decisions out.
#[derive(Debug)]
pub struct PublishedSupervisor<M: Message> {
    places: Places<PublishedAddress<M>>,
    notices: UnboundedSender<Notice>,
}

#[derive(Debug)]
enum Notice {
    Failed(usize),
    Stop(oneshot::Sender<()>),
}

impl Supervises for Published {
    type Supervisor<M: Message> = PublishedSupervisor<M>;

    async fn supervise<M: Message, F: Makes<PublishedSystem<M>>>(
        system: &PublishedSystem<M>,
        tree: Branch<F>,
    ) -> Result<PublishedSupervisor<M>, Unsupported> {
        const ONE_LEVEL: Unsupported = Unsupported("a supervisor is no child of another: one level");
        // The restarts allowed are ignored: five within a minute is all that there is.
        let (strategy, _, factories) = tree.one_level(ONE_LEVEL)?;
        let (notices, heard) = unbounded_channel();
        let places = Places::of(factories.len());
        let child = |(leaf, factory)| ActorChild {
            leaf,
            system: system.actors().clone(),
            factory,
            places: places.clone(),
            notices: notices.clone(),
        };
        let children = factories.into_iter().enumerate().map(child).collect();
        let up = match strategy {
            Strategy::OneForOne => begin::<OneForOne, _>(children, heard).await,
            Strategy::OneForAll => begin::<OneForAll, _>(children, heard).await,
            Strategy::RestForOne => begin::<RestForOne, _>(children, heard).await,
        };
        up.map(|()| PublishedSupervisor { places, notices })
    }
}

/// Starts the children, then leaves them to a task.
async fn begin<S: SupervisionStrategy, C: Child + Clone>(
    children: Vec<C>,
    heard: UnboundedReceiver<Notice>,
) -> Result<(), Unsupported> {
    let mut node = SupervisorNode::<S, C>::new(NoopMonitor);
    let mut batch = node.children();
    for (number, child) in children.into_iter().enumerate() {
        batch = batch.child(format!("child-{number}"), move || child.clone());
    }
    let leaves = batch
        .spawn_all()
        .await
        .map_err(|_| Unsupported("a child did not start"))?;
    tokio::spawn(carry_out(node, leaves, heard));
    Ok(())
}

async fn carry_out<S: SupervisionStrategy, C: Child>(
    mut node: SupervisorNode<S, C>,
    leaves: Vec<ChildId>,
    mut heard: UnboundedReceiver<Notice>,
) {
    while let Some(notice) = heard.recv().await {
        match notice {
            Notice::Failed(leaf) => {
                let concerned = match node.handle_child_error(leaves[leaf]).await {
                    Decision::RestartChild(id) => vec![id],
                    Decision::RestartAll(ids) | Decision::RestartSubset(ids) => ids,
                    Decision::StopChild(_) | Decision::Escalate(_) => Vec::new(),
                };
                for id in concerned {
                    // One over the limit stays as it is.
                    let _ = node.restart_child(id).await;
                }
            }
            Notice::Stop(stopped) => {
                for id in leaves.into_iter().rev() {
                    let _ = node.stop_child(id).await;
                }
                drop(stopped);
                break;
            }
        }
    }
}

impl<M: Message> Supervisor<PublishedAddress<M>> for PublishedSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<PublishedAddress<M>> {
        self.places.get(leaf)
    }

    async fn stop(self) {
        let (stopping, stopped) = oneshot::channel();
        if self.notices.send(Notice::Stop(stopping)).is_ok() {
            let _ = stopped.await;
        }
    }
}

/// A child that runs an actor.
#[derive(Clone)]
struct ActorChild<M: Message, F> {
    leaf: usize,
    system: ActorSystem<Parcel<M>>,
    factory: F,
    places: Places<PublishedAddress<M>>,
    notices: UnboundedSender<Notice>,
}

#[async_trait]
impl<M: Message, F: Makes<PublishedSystem<M>>> Child for ActorChild<M, F> {
    type Error = Infallible;

    async fn start(&mut self) -> Result<(), Infallible> {
        let behaviour = Reporting {
            inner: self.factory.make(),
            _report: Report {
                leaf: self.leaf,
                notices: self.notices.clone(),
            },
        };
        self.places
            .enter(self.leaf, || (start(&self.system, behaviour, Mailbox::Unbounded), ()));
        Ok(())
    }

    async fn stop(&mut self, _limit: Duration) -> Result<(), Infallible> {
        if let Some(address) = self.places.leave(self.leaf) {
            stop(&self.system, address).await;
        }
        Ok(())
    }
}

/// An actor that reports its panic: the system itself drops it and says nothing.
struct Reporting<B> {
    inner: B,
    // Below the actor, since fields are dropped in their order: who hears of the panic finds the actor gone.
    _report: Report,
}

struct Report {
    leaf: usize,
    notices: UnboundedSender<Notice>,
}

impl<M: Message, B: Behaviour<PublishedSystem<M>>> Behaviour<PublishedSystem<M>> for Reporting<B> {
    async fn started(&mut self, me: &PublishedAddress<M>) {
        self.inner.started(me).await;
    }

    async fn handle(&mut self, message: M) -> Flow {
        self.inner.handle(message).await
    }
}

impl Drop for Report {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.notices.send(Notice::Failed(self.leaf));
        }
    }
}
