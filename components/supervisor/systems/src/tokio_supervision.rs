//! What one writes without a library to restart a task that has panicked: whoever awaits its end starts it again.

use std::sync::{Arc, Mutex, PoisonError};

use supervisor_contract::{Behaviour, Branch, Mailbox, Message, Strategy, Supervises, Supervisor, System, Unsupported};
use tokio::task::JoinHandle;

use super::intensity::Intensity;
use super::tokio_tasks::{TokioAddress, TokioSystem, TokioTasks, start, stop};

/// Children, each watched by a task of its own.
#[derive(Debug)]
pub struct TokioSupervisor<M> {
    children: Vec<Watched<M>>,
}

#[derive(Debug)]
struct Watched<M> {
    /// Where the child is, while it is anywhere.
    place: Place<M>,
    watcher: JoinHandle<()>,
}

type Place<M> = Arc<Mutex<Option<TokioAddress<M>>>>;

impl Supervises for TokioTasks {
    type Supervisor<M: Message> = TokioSupervisor<M>;

    async fn supervise<M, B, F>(_system: &TokioSystem<M>, tree: Branch<F>) -> Result<TokioSupervisor<M>, Unsupported>
    where
        M: Message,
        B: Behaviour<TokioSystem<M>>,
        F: Fn() -> B + Clone + Send + Sync + 'static,
    {
        let Branch::Supervisor {
            strategy: Strategy::OneForOne,
            restarts,
            branches,
        } = tree
        else {
            return Err(Unsupported(
                "a watching task knows its own child alone: one-for-one, one level",
            ));
        };
        let intensity = Arc::new(Mutex::new(Intensity::new(restarts)));
        let mut children = Vec::with_capacity(branches.len());
        for branch in branches {
            let Branch::Child(factory) = branch else {
                return Err(Unsupported(
                    "a watching task knows its own child alone: one-for-one, one level",
                ));
            };
            let (address, task) = start(factory(), Mailbox::Unbounded);
            let place = Arc::new(Mutex::new(Some(address)));
            let watcher = tokio::spawn(watch(factory, task, Arc::clone(&place), Arc::clone(&intensity)));
            children.push(Watched { place, watcher });
        }
        Ok(TokioSupervisor { children })
    }
}

async fn watch<M, B, F>(factory: F, mut task: JoinHandle<()>, place: Place<M>, intensity: Arc<Mutex<Intensity>>)
where
    M: Message,
    B: Behaviour<TokioSystem<M>>,
    F: Fn() -> B + Send + Sync + 'static,
{
    while task.await.is_err_and(|failure| failure.is_panic()) {
        let allowed = intensity
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .allows_another();
        if !allowed {
            break;
        }
        // Held meanwhile: the child may be heard of before this knows where it is.
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        let (address, next) = start(factory(), Mailbox::Unbounded);
        *place = Some(address);
        task = next;
    }
    *place.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

impl<M: Message> Supervisor<<TokioSystem<M> as System>::Address> for TokioSupervisor<M> {
    fn child(&self, leaf: usize) -> Option<TokioAddress<M>> {
        self.children
            .get(leaf)?
            .place
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn stop(self) {
        for child in self.children.into_iter().rev() {
            let address = child.place.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(address) = address {
                stop(address).await;
            }
            let _ = child.watcher.await;
        }
    }
}
