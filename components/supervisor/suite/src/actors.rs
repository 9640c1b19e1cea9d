//! Statements about every system.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Flow, Mailbox, Runtime, System};
use supervisor_workload::children::{OnPurpose, keep_quiet_about_crashes};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::yield_now;

use super::waiting::{NOTHING_FOR, Verdict, all, aside, come, require, until};

const SENDERS: u64 = 8;
const EACH: u64 = 2_000;

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
enum Note {
    Number { sender: u64, number: u64 },
    Leave,
    Crash,
}

/// Passes on what it is told; says when it starts and when it is dropped.
struct Recorder {
    heard: UnboundedSender<Heard>,
    busy: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Heard {
    Started,
    Number { sender: u64, number: u64 },
    Overlap,
    Dropped,
}

impl Recorder {
    fn tell(&self, heard: Heard) {
        // The check may have ended by then.
        let _ = self.heard.send(heard);
    }
}

impl<S: System<Message = Note>> Behaviour<S> for Recorder {
    async fn started(&mut self, _me: &S::Address) {
        self.tell(Heard::Started);
    }

    async fn handle(&mut self, note: Note) -> Flow {
        if self.busy.swap(true, Ordering::AcqRel) {
            self.tell(Heard::Overlap);
        }
        let flow = match note {
            Note::Number { sender, number } => {
                self.tell(Heard::Number { sender, number });
                Flow::Continue
            }
            Note::Leave => Flow::Stop,
            Note::Crash => panic_any(OnPurpose),
        };
        self.busy.store(false, Ordering::Release);
        flow
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.tell(Heard::Dropped);
    }
}

/// A recorder, and where one hears of it.
async fn record<S: System<Message = Note>>(system: &S) -> (S::Address, UnboundedReceiver<Heard>) {
    let (heard, receiver) = unbounded_channel();
    let busy = Arc::default();
    let address = system.spawn(Recorder { heard, busy }, Mailbox::Unbounded).await;
    (address, receiver)
}

async fn tell<A: Address<Note>>(address: &A, note: Note) -> Verdict {
    address.tell(note).await.map_err(|_| format!("{note:?} was refused"))
}

/// What was heard by now.
fn so_far(heard: &mut UnboundedReceiver<Heard>) -> Vec<Heard> {
    std::iter::from_fn(|| heard.try_recv().ok()).collect()
}

async fn send_all<A: Address<Note>>(address: &A) -> Verdict {
    let send = |sender| {
        let address = address.clone();
        aside(async move {
            for number in 0..EACH {
                if number % 100 == 0 {
                    yield_now().await;
                }
                tell(&address, Note::Number { sender, number }).await?;
            }
            Ok(())
        })
    };
    all((0..SENDERS).map(send)).await
}

pub(super) async fn once_and_in_order<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    let (address, mut heard) = record(&system).await;
    send_all(&address).await?;
    let mut next = vec![0; usize::try_from(SENDERS).unwrap_or(0)];
    while next.iter().any(|number| *number < EACH) {
        if let Some(Heard::Number { sender, number }) = come("a message", heard.recv()).await? {
            let expected = &mut next[usize::try_from(sender).unwrap_or(0)];
            require(number == *expected, || {
                format!("sender {sender}: {number} came, not {expected}")
            })?;
            *expected += 1;
        }
    }
    // A second delivery would have to come now.
    tokio::time::sleep(NOTHING_FOR).await;
    for more in so_far(&mut heard) {
        require(!matches!(more, Heard::Number { .. }), || {
            format!("{more:?} came a second time")
        })?;
    }
    system.stop(address).await;
    Ok(())
}

pub(super) async fn one_at_a_time<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    let (address, mut heard) = record(&system).await;
    send_all(&address).await?;
    system.stop(address).await;
    let mut count = 0;
    for event in so_far(&mut heard) {
        require(event != Heard::Overlap, || "two were handled at once".into())?;
        count += u64::from(matches!(event, Heard::Number { .. }));
    }
    require(count == SENDERS * EACH, || {
        format!("{count} of {} were handled", SENDERS * EACH)
    })
}

pub(super) async fn started_first<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    for number in 0..200 {
        let (address, mut heard) = record(&system).await;
        tell(&address, Note::Number { sender: 0, number }).await?;
        let first = come("the start", heard.recv()).await?;
        require(first == Some(Heard::Started), || format!("{first:?} came first"))?;
        let second = come("the message", heard.recv()).await?;
        require(second == Some(Heard::Number { sender: 0, number }), || {
            format!("then {second:?}")
        })?;
        system.stop(address).await;
    }
    Ok(())
}

pub(super) async fn stop_drains<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    for _ in 0..50 {
        let (address, mut heard) = record(&system).await;
        for number in 0..100 {
            tell(&address, Note::Number { sender: 0, number }).await?;
        }
        system.stop(address).await;
        let events = so_far(&mut heard);
        let handled = events
            .iter()
            .filter(|event| matches!(event, Heard::Number { .. }))
            .count();
        require(handled == 100, || format!("{handled} of 100 were handled"))?;
        require(events.last() == Some(&Heard::Dropped), || {
            format!("last came {:?}", events.last())
        })?;
    }
    Ok(())
}

pub(super) async fn stopped_refuses<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    let (address, _heard) = record(&system).await;
    system.stop(address.clone()).await;
    require(address.tell(Note::Leave).await.is_err(), || "it was accepted".into())
}

pub(super) async fn stopped_leaves<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    let before = system.on_the_books();
    for _ in 0..100 {
        let (address, _heard) = record(&system).await;
        system.stop(address).await;
    }
    let after = system.on_the_books();
    require(before == after, || {
        format!("{before:?} before, {after:?} after 100 were stopped")
    })
}

pub(super) async fn leaves_of_itself<R: Runtime>() -> Verdict {
    let system = R::start::<Note>().await;
    let (address, mut heard) = record(&system).await;
    tell(&address, Note::Leave).await?;
    while come("its end", heard.recv()).await? != Some(Heard::Dropped) {}
    Ok(())
}

struct Neighbour(Arc<AtomicU64>);

impl<S: System<Message = Note>> Behaviour<S> for Neighbour {
    async fn handle(&mut self, note: Note) -> Flow {
        if let Note::Crash = note {
            panic_any(OnPurpose);
        }
        self.0.fetch_add(1, Ordering::AcqRel);
        Flow::Continue
    }
}

pub(super) async fn panic_ends_one<R: Runtime>() -> Verdict {
    keep_quiet_about_crashes();
    let system = R::start::<Note>().await;
    let handled = Arc::new(AtomicU64::new(0));
    let mut neighbours = Vec::new();
    for _ in 0..8 {
        neighbours.push(system.spawn(Neighbour(Arc::clone(&handled)), Mailbox::Unbounded).await);
    }
    let (victim, mut heard) = record(&system).await;
    tell(&victim, Note::Crash).await?;
    while come("its end", heard.recv()).await? != Some(Heard::Dropped) {}
    for neighbour in &neighbours {
        tell(neighbour, Note::Number { sender: 0, number: 0 }).await?;
    }
    until("the neighbours handle their messages", || {
        handled.load(Ordering::Acquire) == 8
    })
    .await
}
