//! Actors, what they do, their mailboxes, and what runs them.

use std::future::{Future, ready};
use std::time::Duration;

use thiserror::Error;

use crate::Message;

/// A way to run actors. Its types are made for one type of message, because some systems know only one.
pub trait Runtime: Send + Sync + 'static {
    /// Whether a mailbox can be given a capacity. Where not, every mailbox is unbounded.
    const BOUNDED: bool;

    /// A running system whose actors all take the same type of message.
    type System<M: Message>: System<Message = M>;

    /// Starts a system in the current tokio runtime.
    fn start<M: Message>() -> impl Future<Output = Self::System<M>> + Send;
}

/// A running system. Dropping it ends whatever nobody has an address of, where the system can tell.
pub trait System: Send + Sync + 'static {
    /// What its actors take.
    type Message: Message;

    /// Where they take it.
    type Address: Address<Self::Message>;

    /// Starts an actor: once this has returned, messages to the address reach it.
    fn spawn<B: Behaviour<Self>>(&self, behaviour: B, mailbox: Mailbox) -> impl Future<Output = Self::Address> + Send;

    /// Ends an actor after what was sent to it before this call. When this returns the actor is gone: its behaviour has
    /// been dropped, and what is told to it afterwards is refused.
    fn stop(&self, address: Self::Address) -> impl Future<Output = ()> + Send;

    /// How many actors the system has on its books; `None` if it keeps none.
    fn on_the_books(&self) -> Option<usize> {
        None
    }
}

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

/// A runtime whose systems end as a whole.
pub trait ShutsDown: Runtime {
    /// Ends all actors of a system after what they are doing.
    ///
    /// # Errors
    ///
    /// [`StillRunning`] if the deadline came first. Whatever is left is then ended by force.
    fn shutdown<M: Message>(
        system: Self::System<M>,
        deadline: Duration,
    ) -> impl Future<Output = Result<(), StillRunning>> + Send;
}

/// Where an actor takes its messages.
pub trait Address<M>: Clone + Send + Sync + 'static {
    /// Sends a message, waiting for room if the mailbox is bounded.
    ///
    /// # Errors
    ///
    /// [`Closed`] if the actor has ended.
    fn tell(&self, message: M) -> impl Future<Output = Result<(), Closed>> + Send;
}

/// How much an actor's mailbox holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Mailbox {
    /// As many messages as memory.
    Unbounded,
    /// So many messages, above zero.
    Bounded(usize),
}

/// A runtime that one can ask to say no.
pub trait Bounds: Runtime {
    /// Sends a message if there is room.
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if a bounded mailbox has no room, [`Refused::Closed`] if the actor has ended.
    fn try_tell<M: Message>(address: &<Self::System<M> as System>::Address, message: M) -> Result<(), Refused>;
}

/// The actor has ended; the message is gone.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("the actor has ended")]
pub struct Closed;

/// Why a message was not taken.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Refused {
    /// The mailbox has no room.
    #[error("the mailbox is full")]
    Full,
    /// The actor has ended.
    #[error("the actor has ended")]
    Closed,
}

/// A shutdown's deadline came before its end.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("{actors} actors are still running")]
pub struct StillRunning {
    /// Actors still on the books.
    pub actors: usize,
}
