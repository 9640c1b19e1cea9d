//! What an actor does.

use std::future::{Future, ready};

use crate::System;

/// What an actor does with a message, the same in every system.
///
/// The system calls it from one place at a time, in the order of each sender's messages.
pub trait Behaviour<S: System + ?Sized>: Send + 'static {
    /// Called once, before the first message. An actor that wants to reach itself keeps a clone of its address.
    fn started(&mut self, me: &S::Address) -> impl Future<Output = ()> + Send {
        let _ = me;
        ready(())
    }

    /// Handles a message. A panic ends the actor, and no other.
    fn handle(&mut self, message: S::Message) -> impl Future<Output = Flow> + Send;
}

/// Whether an actor goes on.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Flow {
    /// It takes the next message.
    Continue,
    /// It ends, of its own will. What is still in its mailbox is dropped.
    Stop,
}
