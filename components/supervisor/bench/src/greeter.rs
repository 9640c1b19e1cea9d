//! The smallest actor.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use supervisor_contract::{Behaviour, Flow, System};

use crate::countdown::Countdown;

/// A message of the size of a number.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Greeting(pub(crate) u64);

/// Adds up what it is told, and counts messages down.
#[derive(Debug)]
pub(crate) struct Greeter {
    pub(crate) sum: u64,
    pub(crate) handled: Arc<Countdown>,
}

impl<S: System<Message = Greeting>> Behaviour<S> for Greeter {
    async fn handle(&mut self, greeting: Greeting) -> Flow {
        self.sum += greeting.0;
        self.handled.count();
        Flow::Continue
    }
}
