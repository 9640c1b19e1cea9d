//! The smallest actor.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use supervisor_contract::{Behaviour, Flow, System};

use crate::Countdown;

/// A message of the size of a number: how many the same actor was sent before it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Greeting(pub u64);

/// Checks that each message is the next one, and counts messages down.
#[derive(Debug)]
pub struct Greeter {
    next: u64,
    handled: Arc<Countdown>,
}

impl Greeter {
    /// Has handled nothing yet.
    pub fn new(handled: &Arc<Countdown>) -> Self {
        Greeter {
            next: 0,
            handled: Arc::clone(handled),
        }
    }
}

impl<S: System<Message = Greeting>> Behaviour<S> for Greeter {
    async fn handle(&mut self, greeting: Greeting) -> Flow {
        // What is measured includes this: a comparison, and a store that no other thread looks at.
        if greeting.0 != self.next {
            self.handled.disorder();
        }
        self.next = greeting.0.wrapping_add(1);
        self.handled.count();
        Flow::Continue
    }
}
