//! The mailbox by itself, for tasks that are no actors.

use std::fmt;
use std::future::{Future, poll_fn};
use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::mailbox::{Batch, FIRST, Mailbox, Sending, UNBOUNDED};
use crate::refusal::Refusal;

/// A mailbox without an actor that holds at most `capacity` messages: its sending end, which can be cloned, and its receiving
/// end.
///
/// When the receiver or the last sender is dropped it is closed; what was accepted before can still be received.
///
/// # Examples
///
/// ```
/// use std::num::NonZeroUsize;
///
/// use supervisor_lab::channel;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (sender, mut receiver) = channel::bounded(NonZeroUsize::MIN);
/// sender.try_send("first").unwrap();
/// assert_eq!(sender.try_send("second").unwrap_err().into_inner(), "second");
/// drop(sender);
/// assert_eq!(receiver.receive().await, Some("first"));
/// assert_eq!(receiver.receive().await, None);
/// # }
/// ```
#[must_use]
pub fn bounded<M>(capacity: NonZeroUsize) -> (Sender<M>, Receiver<M>) {
    channel(capacity.get())
}

/// As [`bounded`], without a bound.
#[must_use]
pub fn unbounded<M>() -> (Sender<M>, Receiver<M>) {
    channel(UNBOUNDED)
}

fn channel<M>(capacity: usize) -> (Sender<M>, Receiver<M>) {
    let mailbox = Arc::new(Mailbox::new(capacity, FIRST));
    let receiver = Receiver {
        mailbox: Arc::clone(&mailbox),
        batch: None,
    };
    (Sender(Arc::new(Senders(mailbox))), receiver)
}

/// Where messages are put in.
pub struct Sender<M>(Arc<Senders<M>>);

/// Closes the mailbox with the last sender.
struct Senders<M>(Arc<Mailbox<M>>);

/// Where messages are taken out.
pub struct Receiver<M> {
    mailbox: Arc<Mailbox<M>>,
    batch: Batch<M>,
}

impl<M> Sender<M> {
    /// Puts a message in.
    ///
    /// # Errors
    ///
    /// [`Refusal`] with the message, if there is no room or no receiver.
    pub fn try_send(&self, message: M) -> Result<(), Refusal<M>> {
        self.0.0.push(message)
    }

    /// Puts a message in, waiting for room if need be.
    ///
    /// # Errors
    ///
    /// [`Closed`](crate::Closed) with the message, if there is no receiver any more.
    ///
    /// # Cancel safety
    ///
    /// As [`Sending`] says.
    pub fn send(&self, message: M) -> Sending<'_, M> {
        Sending::new(&self.0.0, message)
    }
}

impl<M: Send> Receiver<M> {
    /// Takes the next message out; `None` if there will be none.
    ///
    /// # Cancel safety
    ///
    /// Safe in `tokio::select!`: dropped before it is done, the future has taken nothing.
    pub fn receive(&mut self) -> impl Future<Output = Option<M>> + Send {
        poll_fn(|context| self.mailbox.poll_take(FIRST, &mut self.batch, context))
    }
}

impl<M> Drop for Senders<M> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<M> Drop for Receiver<M> {
    fn drop(&mut self) {
        drop(self.mailbox.end());
    }
}

impl<M> Clone for Sender<M> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M> fmt::Debug for Sender<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sender(..)")
    }
}

impl<M> fmt::Debug for Receiver<M> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Receiver(..)")
    }
}
