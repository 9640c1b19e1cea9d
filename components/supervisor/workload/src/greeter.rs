//! The smallest actor.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use supervisor_contract::{Behaviour, Flow, System};

use crate::Countdown;

/// A message of the size of a number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Greeting(pub u64);

/// Adds up what it is told, and counts messages down.
#[derive(Debug)]
pub struct Greeter {
    /// What it was told.
    pub sum: u64,
    /// Messages that are still to come.
    pub handled: Arc<Countdown>,
}

impl<S: System<Message = Greeting>> Behaviour<S> for Greeter {
    async fn handle(&mut self, greeting: Greeting) -> Flow {
        self.sum += greeting.0;
        self.handled.count();
        Flow::Continue
    }
}
