//! A supervisor that runs, from outside.

use std::future::Future;

use super::event::{Event, stop_supervisor};
use super::strategy::Manner;
use crate::address::Address;
use crate::exit::End;

/// A supervisor at the top of a tree. Dropping it stops nothing.
#[derive(Clone, Debug)]
pub struct Supervisor {
    address: Address<Event>,
}

impl Supervisor {
    pub(super) fn new(address: Address<Event>) -> Self {
        Self { address }
    }

    /// Stops all children, the last one first, each after all messages that it has accepted, and then the supervisor.
    ///
    /// # Cancel safety
    ///
    /// Dropped, the future leaves the supervisor stopping.
    pub async fn stop(&self) -> End {
        stop_supervisor(&self.address.cell, Manner::Drain);
        self.ended().await
    }

    /// Waits until the supervisor has ended; at once if that is past.
    ///
    /// # Cancel safety
    ///
    /// Safe: each call is told.
    pub fn ended(&self) -> impl Future<Output = End> + Send + use<> {
        self.address.ended()
    }
}
