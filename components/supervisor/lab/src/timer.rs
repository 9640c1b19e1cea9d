//! Messages that an actor sends itself later.

use std::fmt;
use std::time::Duration;

use crate::actor::Context;
use crate::refusal::Refusal;
use crate::rt::Alarm;

/// A message to come, or several; dropped, none comes any more.
///
/// Kept in the actor's state, it ends with the incarnation that made it. One whose time has come may already have put its
/// message into the mailbox. It keeps neither the actor nor its mailbox.
#[must_use = "dropped, it sends nothing"]
pub struct Timer(Alarm);

impl Timer {
    /// Lets it run on without its holder: for as long as the actor takes messages, through restarts too.
    pub fn detach(self) {
        self.0.detach();
    }
}

impl<M: Send + 'static> Context<M> {
    /// Sends the actor `message` after `delay`. If the mailbox is full then, it is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use supervisor_lab::{Actor, Context, Failure, System, Timer};
    ///
    /// /// Ends when nobody has said anything for a while.
    /// #[derive(Default)]
    /// struct Session(Option<Timer>);
    ///
    /// enum Said {
    ///     Something,
    ///     Nothing,
    /// }
    ///
    /// impl Actor for Session {
    ///     type Message = Said;
    ///
    ///     async fn handle(&mut self, said: Said, context: &mut Context<Said>) -> Result<(), Failure> {
    ///         match said {
    ///             Said::Something => self.0 = Some(context.after(Duration::from_millis(10), Said::Nothing)),
    ///             Said::Nothing => context.stop(),
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let session = System::new().spawn(Session::default());
    /// session.tell(Said::Something).unwrap();
    /// session.ended().await;
    /// # }
    /// ```
    pub fn after(&self, delay: Duration, message: M) -> Timer {
        let address = self.address().downgrade();
        Timer(self.system().runtime().after(delay, move || {
            if let Some(address) = address.upgrade() {
                // Full or closed.
                let _ = address.tell(message);
            }
        }))
    }

    /// Sends the actor what `message` makes, each time that `period` has passed. Where the mailbox is full, that one is
    /// dropped; it ends when the actor takes no more messages.
    ///
    /// # Panics
    ///
    /// If `period` is zero.
    pub fn every(&self, period: Duration, message: impl Fn() -> M + Send + 'static) -> Timer {
        assert!(!period.is_zero(), "a period must not be zero");
        let address = self.address().downgrade();
        Timer(self.system().runtime().every(period, move || {
            let told = address.upgrade().map(|address| address.tell(message()));
            matches!(told, Some(Ok(()) | Err(Refusal::Full(_))))
        }))
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Timer(..)")
    }
}
