//! Supervision as ractor has it: a parent is told of its children's ends, and what it does then is its user's to write.

use std::collections::HashMap;
use std::marker::PhantomData;

use ractor::{Actor, ActorCell, ActorId, ActorProcessingErr, ActorRef, SpawnErr, SupervisionEvent};
use supervisor_contract::{Branch, Makes, Message, Strategy, Supervises, Supervisor, Unsupported};

use super::intensity::Intensity;
use super::places::{Placed, Places};
use super::ractor::{Host, Ractor, RactorAddress, RactorSystem};

/// The parent.
#[derive(Debug)]
pub struct RactorSupervisor<M> {
    parent: ActorRef<()>,
    places: Places<RactorAddress<M>>,
}

struct Parent<M, F>(PhantomData<fn(M, F)>);

struct Family<M, F> {
    factories: Vec<F>,
    leaves: HashMap<ActorId, usize>,
    places: Places<RactorAddress<M>>,
    intensity: Intensity,
}

impl<M: Message, F: Makes<RactorSystem<M>>> Family<M, F> {
    async fn start(&mut self, leaf: usize, parent: ActorCell) -> Result<(), SpawnErr> {
        let child = Placed {
            inner: self.factories[leaf].make(),
            leaf,
            places: self.places.clone(),
        };
        let (child, _task) = Actor::spawn_linked(None, Host(PhantomData), child, parent).await?;
        self.leaves.insert(child.get_id(), leaf);
        Ok(())
    }
}

impl<M: Message, F: Makes<RactorSystem<M>>> Actor for Parent<M, F> {
    type Msg = ();
    type State = Family<M, F>;
    type Arguments = Family<M, F>;

    async fn pre_start(&self, me: ActorRef<()>, mut family: Family<M, F>) -> Result<Family<M, F>, ActorProcessingErr> {
        for leaf in 0..family.factories.len() {
            family.start(leaf, me.get_cell()).await?;
        }
        Ok(family)
    }

    async fn handle_supervisor_evt(
        &self,
        me: ActorRef<()>,
        event: SupervisionEvent,
        family: &mut Family<M, F>,
    ) -> Result<(), ActorProcessingErr> {
        if let SupervisionEvent::ActorFailed(child, _) = event
            && let Some(leaf) = family.leaves.remove(&child.get_id())
        {
            if family.intensity.allows_another() {
                family.start(leaf, me.get_cell()).await?;
            } else {
                // Its children end with it.
                family.places.take();
                me.stop(None);
            }
        }
        Ok(())
    }
}

impl Supervises for Ractor {
    type Supervisor<M: Message> = RactorSupervisor<M>;

    async fn supervise<M: Message, F: Makes<RactorSystem<M>>>(
        _system: &RactorSystem<M>,
        tree: Branch<F>,
    ) -> Result<RactorSupervisor<M>, Unsupported> {
        const ONE_FOR_ONE: Unsupported = Unsupported("strategies are left to the user: one-for-one, one level");
        let (Strategy::OneForOne, restarts, factories) = tree.one_level(ONE_FOR_ONE)? else {
            return Err(ONE_FOR_ONE);
        };
        let places = Places::of(factories.len());
        let family = Family {
            factories,
            leaves: HashMap::new(),
            places: places.clone(),
            intensity: Intensity::new(restarts),
        };
        let (parent, _task) = Actor::spawn(None, Parent(PhantomData), family)
            .await
            .map_err(|_| Unsupported("a child did not start"))?;
        Ok(RactorSupervisor { parent, places })
    }
}

impl<M: Message> Supervisor<RactorAddress<M>> for RactorSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<RactorAddress<M>> {
        self.places.get(leaf)
    }

    async fn stop(self) {
        // Children would end with their parent; each is stopped first to know when it has, and in the promised order.
        for child in self.places.take().into_iter().rev() {
            let _ = child.0.get_cell().drain_and_wait(None).await;
        }
        let _ = self.parent.get_cell().stop_and_wait(None, None).await;
    }
}
