//! Statements about mailboxes with a capacity, and without an actor.

use std::sync::Arc;

use supervisor_contract::{Address, Behaviour, Bounds, Flow, Mailbox, Mailboxes, Refused, System};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::waiting::{NOTHING_FOR, Verdict, aside, come, require};

/// Handles a message for each permit.
struct Gated {
    permits: Arc<Semaphore>,
    handled: UnboundedSender<u64>,
}

impl Gated {
    fn new() -> (Self, Arc<Semaphore>, UnboundedReceiver<u64>) {
        let (handled, heard) = unbounded_channel();
        let permits = Arc::new(Semaphore::new(0));
        let gated = Gated {
            permits: Arc::clone(&permits),
            handled,
        };
        (gated, permits, heard)
    }
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

pub(super) async fn full_refuses<R: Bounds>() -> Verdict {
    for capacity in [1, 2, 7] {
        let system = R::start::<u64>().await;
        let (gated, permits, mut heard) = Gated::new();
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

pub(super) async fn full_waits<R: Bounds>() -> Verdict {
    const MESSAGES: u64 = 100;
    let system = R::start::<u64>().await;
    let (gated, permits, mut heard) = Gated::new();
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
    tokio::time::sleep(NOTHING_FOR).await;
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

pub(super) async fn in_order<R: Mailboxes>() -> Verdict {
    const MESSAGES: u64 = 10_000;
    for size in [Mailbox::Unbounded, Mailbox::Bounded(1), Mailbox::Bounded(64)] {
        let (sender, mut receiver) = R::mailbox::<u64>(size);
        let task = aside(async move {
            for number in 0..MESSAGES {
                if R::put(&sender, number).await.is_err() {
                    break;
                }
            }
        });
        for expected in 0..MESSAGES {
            let number = come("a message", R::take::<u64>(&mut receiver)).await?;
            require(number == Some(expected), || {
                format!("{number:?} came, not {expected}, of {size:?}")
            })?;
        }
        let end = come("the end", R::take::<u64>(&mut receiver)).await?;
        require(end.is_none(), || format!("{end:?} came after the last, of {size:?}"))?;
        come("the sender's end", task)
            .await?
            .map_err(|failure| failure.to_string())?;
    }
    Ok(())
}
