//! Subscriptions of actors.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::subscription::Received;
use super::topic::Topic;
use crate::address::Address;
use crate::system::System;

impl<T: Send + Sync + ?Sized + 'static> Topic<T> {
    /// Subscribes an actor: `wrap` makes its message of whatever is received, lags and the end included.
    ///
    /// The subscription ends with the actor, or with the topic. A bounded mailbox that is full holds the subscription up,
    /// not the publisher: the topic's policy for [slow](super::Slow) subscribers applies.
    pub fn deliver<M: Send + 'static>(
        &self,
        system: &System,
        address: &Address<M>,
        wrap: impl Fn(Received<T>) -> M + Send + Sync + 'static,
    ) {
        let mut subscription = self.subscribe();
        let ended = address.ended();
        let address = address.clone();
        system.runtime().spawn(async move {
            let pump = async {
                loop {
                    let received = subscription.receive().await;
                    let last = matches!(received, Received::Closed);
                    if address.send(wrap(received)).await.is_err() || last {
                        break;
                    }
                }
            };
            let (mut pump, mut ended) = (pin!(pump), pin!(ended));
            poll_fn(|context| {
                let over = ended.as_mut().poll(context).is_ready() || pump.as_mut().poll(context).is_ready();
                if over { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        });
    }
}
