//! What one writes without a library to restart a task that has panicked: whoever awaits its end starts it again.

use std::sync::{Arc, Mutex, PoisonError};

use supervisor_contract::{Branch, Mailbox, Makes, Message, Strategy, Supervises, Supervisor, Unsupported};
use tokio::task::JoinHandle;

use super::intensity::Intensity;
use super::places::Places;
use super::tokio_tasks::{TokioAddress, TokioSystem, TokioTasks, start, stop};

/// Children, each watched by a task of its own.
#[derive(Debug)]
pub struct TokioSupervisor<M> {
    places: Places<TokioAddress<M>>,
    watchers: Vec<JoinHandle<()>>,
}

impl Supervises for TokioTasks {
    type Supervisor<M: Message> = TokioSupervisor<M>;

    async fn supervise<M: Message, F: Makes<TokioSystem<M>>>(
        _system: &TokioSystem<M>,
        tree: Branch<F>,
    ) -> Result<TokioSupervisor<M>, Unsupported> {
        const ONE_FOR_ONE: Unsupported =
            Unsupported("a watching task knows its own child alone: one-for-one, one level");
        let (Strategy::OneForOne, restarts, factories) = tree.one_level(ONE_FOR_ONE)? else {
            return Err(ONE_FOR_ONE);
        };
        let intensity = Arc::new(Mutex::new(Intensity::new(restarts)));
        let places = Places::of(factories.len());
        let watch = |(leaf, factory): (usize, F)| {
            let task = places.enter(leaf, || start(factory.make(), Mailbox::Unbounded));
            tokio::spawn(watch(factory, task, leaf, places.clone(), Arc::clone(&intensity)))
        };
        let watchers = factories.into_iter().enumerate().map(watch).collect();
        Ok(TokioSupervisor { places, watchers })
    }
}

async fn watch<M: Message, F: Makes<TokioSystem<M>>>(
    factory: F,
    mut task: JoinHandle<()>,
    leaf: usize,
    places: Places<TokioAddress<M>>,
    intensity: Arc<Mutex<Intensity>>,
) {
    while task.await.is_err_and(|failure| failure.is_panic()) {
        let allowed = intensity
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .allows_another();
        if !allowed {
            break;
        }
        task = places.enter(leaf, || start(factory.make(), Mailbox::Unbounded));
    }
    places.leave(leaf);
}

impl<M: Message> Supervisor<TokioAddress<M>> for TokioSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<TokioAddress<M>> {
        self.places.get(leaf)
    }

    async fn stop(self) {
        for (leaf, watcher) in self.watchers.into_iter().enumerate().rev() {
            if let Some(address) = self.places.leave(leaf) {
                stop(address).await;
            }
            let _ = watcher.await;
        }
    }
}
