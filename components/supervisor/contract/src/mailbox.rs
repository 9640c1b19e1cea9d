//! Mailboxes without their actors.

use std::future::Future;

use crate::{Closed, Mailbox, Message, Runtime};

/// A runtime whose mailboxes can be had without an actor.
pub trait Mailboxes: Runtime {
    /// What puts messages in.
    type Sender<M: Message>: Sender<M>;

    /// What takes them out.
    type Receiver<M: Message>: Receiver<M>;

    /// An empty mailbox.
    fn mailbox<M: Message>(size: Mailbox) -> (Self::Sender<M>, Self::Receiver<M>);
}

/// The end of a mailbox that messages are put into.
pub trait Sender<M>: Send + Sync + 'static {
    /// Puts a message in, waiting for room if the mailbox is bounded.
    ///
    /// # Errors
    ///
    /// [`Closed`] if the other end is gone.
    fn send(&self, message: M) -> impl Future<Output = Result<(), Closed>> + Send;
}

/// The end of a mailbox that messages are taken out of.
pub trait Receiver<M>: Send + 'static {
    /// Takes the next message out; `None` once it is empty and the other end is gone.
    fn receive(&mut self) -> impl Future<Output = Option<M>> + Send;
}
