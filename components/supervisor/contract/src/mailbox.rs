//! Mailboxes without their actors.

use std::future::Future;

use crate::{Closed, Mailbox, Message, Runtime};

/// A runtime whose mailboxes can be had without an actor.
pub trait Mailboxes: Runtime {
    /// The end of a mailbox that messages are put into.
    type Sender<M: Message>: Send + Sync + 'static;

    /// The end that they are taken out of.
    type Receiver<M: Message>: Send + 'static;

    /// An empty mailbox.
    fn mailbox<M: Message>(size: Mailbox) -> (Self::Sender<M>, Self::Receiver<M>);

    /// Puts a message in, waiting for room if the mailbox is bounded.
    ///
    /// # Errors
    ///
    /// [`Closed`] if the other end is gone.
    fn put<M: Message>(sender: &Self::Sender<M>, message: M) -> impl Future<Output = Result<(), Closed>> + Send;

    /// Takes the next message out; `None` once it is empty and the other end is gone.
    fn take<M: Message>(receiver: &mut Self::Receiver<M>) -> impl Future<Output = Option<M>> + Send;
}
