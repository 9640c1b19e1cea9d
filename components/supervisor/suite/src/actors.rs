//! Statements about every system.

use std::panic::panic_any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Flow, Mailbox, Runtime, System};
use supervisor_workload::children::{OnPurpose, keep_quiet_about_crashes};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::yield_now;

use super::gathered::{Body, Table};
use super::statements as the;
use super::waiting::{NOTHING_FOR, aside, come, on_threads, require, until};

pub(super) fn statements<R: Runtime>() -> Table {
    vec![
        (
            the::ONCE_AND_IN_ORDER,
            (|| on_threads(once_and_in_order::<R>())) as Body,
        ),
        (the::ONE_AT_A_TIME, || on_threads(one_at_a_time::<R>())),
        (the::STARTED_FIRST, || on_threads(started_first::<R>())),
        (the::STOP_DRAINS, || on_threads(stop_drains::<R>())),
        (the::STOPPED_REFUSES, || on_threads(stopped_refuses::<R>())),
        (the::STOPPED_LEAVES, || on_threads(stopped_leaves::<R>())),
        (the::LEAVES_OF_ITSELF, || on_threads(leaves_of_itself::<R>())),
        (the::PANIC_ENDS_ONE, || on_threads(panic_ends_one::<R>())),
    ]
}

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
    fn new() -> (Self, UnboundedReceiver<Heard>) {
        let (heard, receiver) = unbounded_channel();
        (
            Recorder {
                heard,
                busy: Arc::default(),
            },
            receiver,
        )
    }

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

async fn send_all<A: Address<Note>>(address: &A) -> Result<(), String> {
    let mut tasks = Vec::new();
    for sender in 0..SENDERS {
        let address = address.clone();
        tasks.push(aside(async move {
            for number in 0..EACH {
                if number % 100 == 0 {
                    yield_now().await;
                }
                address
                    .tell(Note::Number { sender, number })
                    .await
                    .map_err(|_| format!("{number} was refused"))?;
            }
            Ok::<(), String>(())
        }));
    }
    for task in tasks {
        task.await.map_err(|failure| failure.to_string())??;
    }
    Ok(())
}

async fn once_and_in_order<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    let (recorder, mut heard) = Recorder::new();
    let address = system.spawn(recorder, Mailbox::Unbounded).await;
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
    while let Ok(more) = heard.try_recv() {
        require(!matches!(more, Heard::Number { .. }), || {
            format!("{more:?} came a second time")
        })?;
    }
    system.stop(address).await;
    Ok(())
}

async fn one_at_a_time<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    let (recorder, mut heard) = Recorder::new();
    let address = system.spawn(recorder, Mailbox::Unbounded).await;
    send_all(&address).await?;
    system.stop(address).await;
    let mut count = 0;
    while let Ok(event) = heard.try_recv() {
        require(event != Heard::Overlap, || "two were handled at once".into())?;
        count += u64::from(matches!(event, Heard::Number { .. }));
    }
    require(count == SENDERS * EACH, || {
        format!("{count} of {} were handled", SENDERS * EACH)
    })
}

async fn started_first<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    for number in 0..200 {
        let (recorder, mut heard) = Recorder::new();
        let address = system.spawn(recorder, Mailbox::Unbounded).await;
        address
            .tell(Note::Number { sender: 0, number })
            .await
            .map_err(|_| "refused".to_owned())?;
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

async fn stop_drains<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    for _ in 0..50 {
        let (recorder, mut heard) = Recorder::new();
        let address = system.spawn(recorder, Mailbox::Unbounded).await;
        for number in 0..100 {
            address
                .tell(Note::Number { sender: 0, number })
                .await
                .map_err(|_| "refused".to_owned())?;
        }
        system.stop(address).await;
        let mut events = Vec::new();
        while let Ok(event) = heard.try_recv() {
            events.push(event);
        }
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

async fn stopped_refuses<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    let (recorder, _heard) = Recorder::new();
    let address = system.spawn(recorder, Mailbox::Unbounded).await;
    system.stop(address.clone()).await;
    require(address.tell(Note::Leave).await.is_err(), || "it was accepted".into())
}

async fn stopped_leaves<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    let before = system.on_the_books();
    for _ in 0..100 {
        let (recorder, _heard) = Recorder::new();
        let address = system.spawn(recorder, Mailbox::Unbounded).await;
        system.stop(address).await;
    }
    let after = system.on_the_books();
    require(before == after, || {
        format!("{before:?} before, {after:?} after 100 were stopped")
    })
}

async fn leaves_of_itself<R: Runtime>() -> Result<(), String> {
    let system = R::start::<Note>().await;
    let (recorder, mut heard) = Recorder::new();
    let address = system.spawn(recorder, Mailbox::Unbounded).await;
    address.tell(Note::Leave).await.map_err(|_| "refused".to_owned())?;
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

async fn panic_ends_one<R: Runtime>() -> Result<(), String> {
    keep_quiet_about_crashes();
    let system = R::start::<Note>().await;
    let handled = Arc::new(AtomicU64::new(0));
    let mut neighbours = Vec::new();
    for _ in 0..8 {
        neighbours.push(system.spawn(Neighbour(Arc::clone(&handled)), Mailbox::Unbounded).await);
    }
    let (recorder, mut heard) = Recorder::new();
    let victim = system.spawn(recorder, Mailbox::Unbounded).await;
    victim.tell(Note::Crash).await.map_err(|_| "refused".to_owned())?;
    while come("its end", heard.recv()).await? != Some(Heard::Dropped) {}
    for neighbour in &neighbours {
        let note = Note::Number { sender: 0, number: 0 };
        neighbour
            .tell(note)
            .await
            .map_err(|_| "a neighbour has ended".to_owned())?;
    }
    until("the neighbours handle their messages", || {
        handled.load(Ordering::Acquire) == 8
    })
    .await
}
