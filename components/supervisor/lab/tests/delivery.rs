//! Mailboxes keep their promise: accepted or handed back, once, in order, within bounds.

mod common;

use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use common::{Log, Subject, Tell, settle};
use supervisor_lab::{Actor, Address, AskError, Context as Ctx, Exit, Failure, Refusal, Reply, System};

fn bounded(capacity: usize) -> NonZeroUsize {
    NonZeroUsize::new(capacity).unwrap()
}

/// An actor with room for so many messages.
fn for_messages(capacity: usize, log: &Log<u64>) -> Address<Tell> {
    System::new()
        .actor(Subject::new(log))
        .bounded(bounded(capacity))
        .spawn()
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test]
async fn a_full_mailbox_hands_the_message_back() {
    for capacity in [1, 2, 7] {
        let log = Log::default();
        let subject = for_messages(capacity, &log);
        for note in 0..capacity as u64 {
            assert!(subject.tell(Tell::Note(note)).is_ok());
        }
        assert!(matches!(
            subject.tell(Tell::Note(99)),
            Err(Refusal::Full(Tell::Note(99)))
        ));
        assert_eq!(subject.backlog(), capacity);
        settle().await;
        assert_eq!(log.take(), (0..capacity as u64).collect::<Vec<_>>());
        assert!(subject.tell(Tell::Note(0)).is_ok(), "there is room again");
    }
}

#[tokio::test]
async fn nobody_pushes_past_a_sender_that_waits() {
    let log = Log::default();
    let subject = for_messages(1, &log);
    subject.tell(Tell::Note(0)).unwrap();
    let mut first = pin!(subject.send(Tell::Note(1)));
    let mut second = pin!(subject.send(Tell::Note(2)));
    assert!(poll(first.as_mut()).is_pending());
    assert!(poll(second.as_mut()).is_pending());
    assert!(subject.tell(Tell::Note(9)).is_err());
    settle().await;
    assert_eq!(log.take(), [0, 1, 2], "accepted while nobody polled the senders");
    assert!(poll(second.as_mut()).is_ready());
    assert!(poll(first.as_mut()).is_ready());
}

#[tokio::test]
async fn a_sender_that_gives_up_leaves_the_line() {
    let log = Log::default();
    let subject = for_messages(1, &log);
    subject.tell(Tell::Note(0)).unwrap();
    {
        let mut given_up = pin!(subject.send(Tell::Note(1)));
        assert!(poll(given_up.as_mut()).is_pending());
        let mut patient = Box::pin(subject.send(Tell::Note(2)));
        assert!(poll(patient.as_mut()).is_pending());
        drop(patient);
    }
    settle().await;
    assert_eq!(log.take(), [0]);
}

#[tokio::test]
async fn closing_hands_back_what_waits_and_handles_what_was_accepted() {
    let log = Log::default();
    let subject = for_messages(1, &log);
    subject.tell(Tell::Note(0)).unwrap();
    let mut waiting = pin!(subject.send(Tell::Note(1)));
    assert!(poll(waiting.as_mut()).is_pending());
    subject.close();
    let Poll::Ready(Err(returned)) = poll(waiting.as_mut()) else {
        panic!("a closed mailbox has no room")
    };
    assert!(matches!(returned.0, Tell::Note(1)));
    assert!(matches!(
        subject.tell(Tell::Note(2)),
        Err(Refusal::Closed(Tell::Note(2)))
    ));
    let end = subject.ended().await;
    assert!(matches!(end.exit, Exit::Normal));
    assert_eq!((end.unhandled, log.take()), (0, vec![0]));
}

#[tokio::test]
async fn what_a_stop_leaves_is_counted() {
    let log = Log::default();
    let subject = System::new().spawn(Subject::new(&log));
    subject.tell(Tell::Note(0)).unwrap();
    subject.tell(Tell::Stop).unwrap();
    subject.tell(Tell::Note(1)).unwrap();
    subject.tell(Tell::Note(2)).unwrap();
    let end = subject.ended().await;
    assert!(matches!(end.exit, Exit::Normal));
    assert_eq!((end.unhandled, log.take()), (2, vec![0]));
}

#[tokio::test]
async fn what_a_panic_leaves_is_counted_without_the_one_in_hand() {
    supervisor_lab::silence_actor_panics();
    let log = Log::default();
    let subject = System::new().spawn(Subject::new(&log));
    for tell in [Tell::Note(0), Tell::Panic("now"), Tell::Note(1)] {
        subject.tell(tell).unwrap();
    }
    let end = subject.ended().await;
    assert!(
        matches!(&end.exit, Exit::Panicked(text) if &**text == "now"),
        "{}",
        end.exit
    );
    assert_eq!((end.unhandled, log.take()), (1, vec![0]));
}

#[tokio::test]
async fn an_asker_learns_of_the_death_of_the_asked() {
    supervisor_lab::silence_actor_panics();
    let system = System::new();
    for death in [Tell::Panic("now"), Tell::Fail("now"), Tell::Stop] {
        let subject = system.spawn(Subject::default());
        subject.tell(death).unwrap();
        assert_eq!(subject.ask(Tell::Count).await, Err(AskError::Unanswered));
        subject.ended().await;
        assert_eq!(subject.ask(Tell::Count).await, Err(AskError::Closed));
    }
    let hanging = system.spawn(Subject::default());
    hanging.tell(Tell::Hang).unwrap();
    let asked = hanging.ask(Tell::Count);
    settle().await;
    hanging.kill();
    assert_eq!(asked.await, Err(AskError::Unanswered));
}

/// Answers with the double.
struct Doubling;

impl Actor for Doubling {
    type Message = (u64, Reply<u64>);

    async fn handle(&mut self, (number, reply): Self::Message, _: &mut Ctx<Self::Message>) -> Result<(), Failure> {
        reply.send(2 * number);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_question_gets_its_own_answer_from_many_askers_at_once() {
    let address = System::new().spawn(Doubling);
    let askers: Vec<_> = (0..8)
        .map(|asker| {
            let address = address.clone();
            tokio::spawn(async move {
                for number in 1_000 * asker..1_000 * (asker + 1) {
                    assert_eq!(address.ask(|reply| (number, reply)).await, Ok(2 * number));
                }
            })
        })
        .collect();
    for asker in askers {
        asker.await.unwrap();
    }
}

#[tokio::test]
async fn a_question_that_is_not_answered_in_time_fails_in_time() {
    let subject = System::new().spawn(Subject::default());
    subject.tell(Tell::Hang).unwrap();
    let answer = tokio::time::timeout(Duration::from_millis(20), subject.ask(Tell::Count)).await;
    assert!(answer.is_err(), "{answer:?}");
}

#[tokio::test]
async fn a_question_to_a_full_mailbox_is_refused() {
    let subject = for_messages(1, &Log::default());
    subject.tell(Tell::Note(0)).unwrap();
    assert_eq!(subject.ask(Tell::Count).await, Err(AskError::Full));
}

#[tokio::test]
async fn a_kill_ends_an_actor_that_waits_for_ever() {
    let subject = System::new().spawn(Subject::default());
    subject.tell(Tell::Hang).unwrap();
    subject.tell(Tell::Note(0)).unwrap();
    settle().await;
    subject.kill();
    let end = subject.ended().await;
    assert!(matches!(end.exit, Exit::Killed));
    assert_eq!(end.unhandled, 1);
}

#[tokio::test]
async fn an_actor_whose_mailbox_never_empties_still_lets_others_run() {
    struct Itself;
    impl Actor for Itself {
        type Message = ();
        async fn handle(&mut self, (): (), context: &mut Ctx<()>) -> Result<(), Failure> {
            let _ = context.address().tell(());
            Ok(())
        }
    }
    let busy = System::new().spawn(Itself);
    busy.tell(()).unwrap();
    // On one thread, this returns only if the actor yields to it.
    settle().await;
    busy.stop();
    assert_eq!(busy.ended().await.unhandled, 1);
}

#[tokio::test]
async fn a_sender_for_whom_there_is_always_room_still_lets_others_run() {
    const MESSAGES: u64 = 1_000;
    let (sender, _receiver) = supervisor_lab::channel::bounded(bounded(2_000));
    let others = tokio::spawn(std::future::ready(()));
    for message in 0..MESSAGES {
        sender.send(message).await.unwrap();
    }
    // On one thread, it has ended only if the sender has yielded to it.
    assert!(others.is_finished());
}

/// Counts its calls.
struct Wakes(std::sync::atomic::AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_sender_is_woken_by_a_close() {
    let subject = for_messages(1, &Log::default());
    subject.tell(Tell::Note(0)).unwrap();
    let count = Arc::new(Wakes(0.into()));
    let mut waiting = pin!(subject.send(Tell::Note(1)));
    let waker = Waker::from(Arc::clone(&count));
    assert!(waiting.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    subject.close();
    assert_eq!(count.0.load(std::sync::atomic::Ordering::Relaxed), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_sender_keeps_its_order_and_nothing_is_lost_or_doubled() {
    const SENDERS: u64 = 8;
    const MESSAGES: u64 = if cfg!(miri) { 20 } else { 5_000 };
    for capacity in [None, Some(1), Some(2), Some(64)] {
        let log = Log::default();
        let system = System::new();
        let unborn = system.actor(Subject::new(&log));
        let subject = match capacity {
            Some(capacity) => unborn.bounded(bounded(capacity)).spawn(),
            None => unborn.spawn(),
        };
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let subject = subject.clone();
                tokio::spawn(async move {
                    for message in 0..MESSAGES {
                        subject.send(Tell::Note(sender * MESSAGES + message)).await.unwrap();
                    }
                })
            })
            .collect();
        for sender in senders {
            sender.await.unwrap();
        }
        subject.close();
        assert_eq!(subject.ended().await.unhandled, 0);
        let mut next: Vec<u64> = (0..SENDERS).map(|sender| sender * MESSAGES).collect();
        for note in log.take() {
            let sender = usize::try_from(note / MESSAGES).unwrap();
            assert_eq!(note, next[sender], "of sender {sender}, capacity {capacity:?}");
            next[sender] += 1;
        }
        assert_eq!(next, (1..=SENDERS).map(|sender| sender * MESSAGES).collect::<Vec<_>>());
    }
}

/// Panics when it is dropped.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

struct Keeper;

impl Actor for Keeper {
    type Message = Grenade;

    async fn handle(&mut self, grenade: Grenade, _: &mut Ctx<Grenade>) -> Result<(), Failure> {
        std::mem::forget(grenade);
        Ok(())
    }
}

#[tokio::test]
async fn a_message_whose_drop_panics_keeps_the_end_from_nobody() {
    let system = System::new();
    let keeper = system.spawn(Keeper);
    keeper.tell(Grenade).unwrap();
    keeper.stop();
    assert_eq!(keeper.ended().await.unhandled, 1);
    assert!(system.is_empty());
}
