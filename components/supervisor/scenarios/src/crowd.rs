//! Actors that count what they are told.

use std::mem;
use std::sync::Arc;

use supervisor_contract::{Address, Mailbox, Runtime, System};
use supervisor_workload::{Countdown, Faults, Greeter, Greeting};

/// The address of an actor of that runtime.
pub(crate) type AddressOf<R, M> = <<R as Runtime>::System<M> as System>::Address;

/// Greeters of one system, each of which is told the same numbers.
pub(crate) struct Crowd<R: Runtime> {
    pub(crate) system: R::System<Greeting>,
    pub(crate) addresses: Vec<AddressOf<R, Greeting>>,
    /// Counts the messages of all of them down.
    pub(crate) handled: Arc<Countdown>,
}

impl<R: Runtime> Crowd<R> {
    /// A system and room for so many actors, of which none is there; all are told so many messages together.
    pub(crate) async fn new(actors: usize, messages: usize) -> Self {
        Crowd {
            system: R::start().await,
            addresses: Vec::with_capacity(actors),
            handled: Arc::new(Countdown::from(messages)),
        }
    }

    /// Spawns so many.
    pub(crate) async fn spawn(&mut self, actors: usize, size: Mailbox) {
        for _ in 0..actors {
            let greeter = Greeter::new(&self.handled);
            self.addresses.push(self.system.spawn(greeter, size).await);
        }
    }

    /// Tells each this number; returns how many refused it.
    pub(crate) async fn greet(&self, number: u64) -> usize {
        greet(&self.addresses, number).await
    }

    /// Tells each this number, the last one of all, and waits until everything is handled; returns how many refused it,
    /// for which nobody waits.
    pub(crate) async fn greet_and_wait(&self, number: u64) -> usize {
        let refused = self.greet(number).await;
        if refused == 0 {
            self.handled.wait().await;
        }
        refused
    }

    /// Stops all; then what has gone wrong is known.
    pub(crate) async fn stop(&mut self) -> Faults {
        for address in mem::take(&mut self.addresses) {
            self.system.stop(address).await;
        }
        self.handled.faults()
    }
}

/// Tells each this number; returns how many refused it.
pub(crate) async fn greet<A: Address<Greeting>>(addresses: &[A], number: u64) -> usize {
    let mut refused = 0;
    for address in addresses {
        refused += usize::from(address.tell(Greeting(number)).await.is_err());
    }
    refused
}
