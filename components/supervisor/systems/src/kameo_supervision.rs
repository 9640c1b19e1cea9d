//! kameo's supervision: strategies by type of supervisor, limits by child.

use std::convert::Infallible;
use std::marker::PhantomData;

use kameo::actor::{Actor, ActorRef, Spawn};
use kameo::mailbox;
use kameo::supervision::{RestartPolicy, SupervisionStrategy};
use supervisor_contract::{Branch, Makes, Message, Restarts, Strategy, Supervises, Supervisor, Unsupported};

use super::kameo::{Host, Kameo, KameoAddress, KameoSystem};
use super::places::{Placed, Places};

/// The topmost supervisor.
pub struct KameoSupervisor<M: Message> {
    top: Top,
    places: Places<KameoAddress<M>>,
}

/// A supervisor of any strategy, without its type.
type Top = Box<dyn FnOnce() -> Ending + Send + Sync>;
type Ending = std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;

/// A strategy as a type.
trait Choice: Send + Sync + 'static {
    const STRATEGY: SupervisionStrategy;
}

macro_rules! choices {
    ($($name:ident: $strategy:ident),*) => {
        $(struct $name;

        impl Choice for $name {
            const STRATEGY: SupervisionStrategy = SupervisionStrategy::$strategy;
        })*
    };
}

choices!(One: OneForOne, All: OneForAll, Rest: RestForOne);

/// A supervisor's branches, with the number of their first leaf.
#[derive(Clone)]
struct Family<M: Message, F> {
    restarts: Restarts,
    branches: Vec<Branch<F>>,
    first_leaf: usize,
    places: Places<KameoAddress<M>>,
}

struct Node<C, M, F>(PhantomData<fn(C, M, F)>);

impl<C: Choice, M: Message, F: Makes<KameoSystem<M>>> Actor for Node<C, M, F> {
    type Args = Family<M, F>;
    type Error = Infallible;

    fn supervision_strategy() -> SupervisionStrategy {
        C::STRATEGY
    }

    async fn on_start(family: Family<M, F>, me: ActorRef<Self>) -> Result<Self, Infallible> {
        let mut leaf = family.first_leaf;
        for branch in family.branches {
            let (restarts, places) = (family.restarts, family.places.clone());
            let size = leaves(&branch);
            match branch {
                Branch::Child(factory) => {
                    let make = move || Placed {
                        inner: factory.make(),
                        leaf,
                        places: places.clone(),
                    };
                    supervise::<_, Host<M, Placed<KameoAddress<M>, F::Behaviour>>>(&me, restarts, make).await;
                }
                Branch::Supervisor {
                    strategy,
                    restarts: below,
                    branches,
                } => {
                    let family = Family {
                        restarts: below,
                        branches,
                        first_leaf: leaf,
                        places,
                    };
                    let make = move || family.clone();
                    match strategy {
                        Strategy::OneForOne => supervise::<_, Node<One, M, F>>(&me, restarts, make).await,
                        Strategy::OneForAll => supervise::<_, Node<All, M, F>>(&me, restarts, make).await,
                        Strategy::RestForOne => supervise::<_, Node<Rest, M, F>>(&me, restarts, make).await,
                    }
                }
            }
            leaf += size;
        }
        Ok(Node(PhantomData))
    }
}

async fn supervise<S: Actor, C: Actor>(
    parent: &ActorRef<S>,
    restarts: Restarts,
    make: impl Fn() -> C::Args + Send + Sync + 'static,
) {
    C::supervise_with(parent, make)
        .restart_policy(RestartPolicy::Transient)
        .restart_limit(restarts.at_most, restarts.within)
        .spawn_with_mailbox(mailbox::unbounded())
        .await;
}

fn leaves<F>(branch: &Branch<F>) -> usize {
    match branch {
        Branch::Child(_) => 1,
        Branch::Supervisor { branches, .. } => branches.iter().map(leaves).sum(),
    }
}

impl Supervises for Kameo {
    type Supervisor<M: Message> = KameoSupervisor<M>;

    async fn supervise<M: Message, F: Makes<KameoSystem<M>>>(
        _system: &KameoSystem<M>,
        tree: Branch<F>,
    ) -> Result<KameoSupervisor<M>, Unsupported> {
        let places = Places::of(leaves(&tree));
        let Branch::Supervisor {
            strategy,
            restarts,
            branches,
        } = tree
        else {
            return Err(Unsupported("the topmost of a tree is a supervisor"));
        };
        let family = Family {
            restarts,
            branches,
            first_leaf: 0,
            places: places.clone(),
        };
        let top = match strategy {
            Strategy::OneForOne => top::<Node<One, M, F>>(family).await,
            Strategy::OneForAll => top::<Node<All, M, F>>(family).await,
            Strategy::RestForOne => top::<Node<Rest, M, F>>(family).await,
        };
        Ok(KameoSupervisor { top, places })
    }
}

async fn top<N: Actor>(family: N::Args) -> Top {
    let node = N::spawn_with_mailbox(family, mailbox::unbounded());
    node.wait_for_startup().await;
    Box::new(move || {
        Box::pin(async move {
            let _ = node.stop_gracefully().await;
            node.wait_for_shutdown().await;
        })
    })
}

impl<M: Message> Supervisor<KameoAddress<M>> for KameoSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<KameoAddress<M>> {
        // Nobody is told when a supervisor has given up: its children are gone.
        self.places.get(leaf).filter(|child| child.0.is_alive())
    }

    async fn stop(self) {
        // Children end with their supervisor, before it does.
        (self.top)().await;
    }
}
