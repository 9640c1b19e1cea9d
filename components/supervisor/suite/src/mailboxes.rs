//! Statements about mailboxes with a capacity, and without an actor.

use std::sync::Arc;

use supervisor_contract::{Address, Behaviour, Bounds, Flow, Mailbox, Mailboxes, Receiver, Refused, Sender, System};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::gathered::{Body, Table};
use super::statements as the;
use super::waiting::{aside, come, on_threads, require};

pub(super) fn of_bounds<R: Bounds>() -> Table {
    vec![
        (the::FULL_REFUSES, (|| on_threads(full_refuses::<R>())) as Body),
        (the::FULL_WAITS, || on_threads(full_waits::<R>())),
    ]
}

pub(super) fn of_mailboxes<R: Mailboxes>() -> Table {
    vec![(the::MAILBOX_IN_ORDER, (|| on_threads(in_order::<R>())) as Body)]
}

/// Handles a message for each permit.
struct Gated {
    permits: Arc<Semaphore>,
    handled: UnboundedSender<u64>,
}

impl<S: System<Message = u64>> Behaviour<S> for Gated {
    async fn handle(&mut self, number: u64) -> Flow {
        if let Ok(permit) = self.permits.acquire().await {
            permit.forget();
        }
        let _ = self.handled.send(number);
        Flow::Continue
    }
}

async fn full_refuses<R: Bounds>() -> Result<(), String> {
    for capacity in [1, 2, 7] {
        let system = R::start::<u64>().await;
        let (handled, mut heard) = unbounded_channel();
        let permits = Arc::new(Semaphore::new(0));
        let gated = Gated {
            permits: Arc::clone(&permits),
            handled,
        };
        let address = system.spawn(gated, Mailbox::Bounded(capacity)).await;
        // One more than the capacity may be in the actor's hands.
        let mut accepted = 0;
        for number in 0..capacity as u64 + 10 {
            match R::try_tell::<u64>(&address, number) {
                Ok(()) => accepted += 1,
                Err(Refused::Full) => {
                    // The actor may not have taken its first message out yet.
                    tokio::time::sleep(std::time::Duration::from_millis(2)).await;
                }
                Err(Refused::Closed) => return Err("the actor has ended".into()),
            }
        }
        require((capacity..=capacity + 1).contains(&accepted), || {
            format!("{accepted} were accepted with a capacity of {capacity}")
        })?;
        permits.add_permits(accepted);
        for _ in 0..accepted {
            come("an accepted message", heard.recv()).await?;
        }
        system.stop(address).await;
    }
    Ok(())
}

async fn full_waits<R: Bounds>() -> Result<(), String> {
    const MESSAGES: u64 = 100;
    let system = R::start::<u64>().await;
    let (handled, mut heard) = unbounded_channel();
    let permits = Arc::new(Semaphore::new(0));
    let gated = Gated {
        permits: Arc::clone(&permits),
        handled,
    };
    let address = system.spawn(gated, Mailbox::Bounded(2)).await;
    let to = address.clone();
    let sender = aside(async move {
        for number in 0..MESSAGES {
            if to.tell(number).await.is_err() {
                return number;
            }
        }
        MESSAGES
    });
    tokio::time::sleep(super::waiting::NOTHING_FOR).await;
    require(!sender.is_finished(), || "all were sent at once".into())?;
    permits.add_permits(usize::try_from(MESSAGES).unwrap_or(usize::MAX));
    for expected in 0..MESSAGES {
        let number = come("a message", heard.recv()).await?;
        require(number == Some(expected), || format!("{number:?} came, not {expected}"))?;
    }
    let sent = come("the sender's end", sender)
        .await?
        .map_err(|failure| failure.to_string())?;
    require(sent == MESSAGES, || format!("{sent} was refused"))?;
    system.stop(address).await;
    Ok(())
}

async fn in_order<R: Mailboxes>() -> Result<(), String> {
    const MESSAGES: u64 = 10_000;
    for size in [Mailbox::Unbounded, Mailbox::Bounded(1), Mailbox::Bounded(64)] {
        let (sender, mut receiver) = R::mailbox::<u64>(size);
        let task = aside(async move {
            for number in 0..MESSAGES {
                if sender.send(number).await.is_err() {
                    break;
                }
            }
        });
        for expected in 0..MESSAGES {
            let number = come("a message", receiver.receive()).await?;
            require(number == Some(expected), || {
                format!("{number:?} came, not {expected}, of {size:?}")
            })?;
        }
        let end = come("the end", receiver.receive()).await?;
        require(end.is_none(), || format!("{end:?} came after the last, of {size:?}"))?;
        come("the sender's end", task)
            .await?
            .map_err(|failure| failure.to_string())?;
    }
    Ok(())
}
