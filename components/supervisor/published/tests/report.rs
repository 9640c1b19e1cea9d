//! What the report says of its runtime and of its own rows, held against what both do: the ledger's mechanisms.

use std::convert::Infallible;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use supervisor_published::{
    Actor, ActorAddress, ActorContext, ActorSystem, BoundedMailbox, BrokerError, Child, ChildState, Decision,
    InMemoryBroker, MailboxSender, MessageBroker, MessageEnvelope, OneForAll, OneForOne, RestForOne, RestartPolicy,
    SupervisionStrategy, SupervisorError, SupervisorNode, SystemConfig, SystemError,
};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::Instant;

const LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Note(u64);

/// Counts what it handles, as soon as it may.
struct Counter {
    handled: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

impl Counter {
    fn new(handled: &Arc<AtomicUsize>) -> Self {
        Counter {
            handled: Arc::clone(handled),
            gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)),
        }
    }
}

#[async_trait]
impl Actor for Counter {
    type Message = Note;
    type Error = Infallible;

    async fn handle_message(&mut self, _note: Note, _context: &mut ActorContext<Note>) -> Result<(), Infallible> {
        let _open = self.gate.acquire().await;
        self.handled.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// How often children were made, started and stopped.
#[derive(Clone, Debug, Default)]
struct Tally {
    made: Arc<AtomicUsize>,
    started: Arc<AtomicUsize>,
    stopped: Arc<AtomicUsize>,
}

impl Tally {
    fn child(&self) -> Counted {
        self.made.fetch_add(1, Ordering::Relaxed);
        Counted(self.clone())
    }

    fn seen(&self) -> [usize; 3] {
        [&self.made, &self.started, &self.stopped].map(|count| count.load(Ordering::Relaxed))
    }
}

struct Counted(Tally);

#[async_trait]
impl Child for Counted {
    type Error = Infallible;

    async fn start(&mut self) -> Result<(), Infallible> {
        self.0.started.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn stop(&mut self, _limit: Duration) -> Result<(), Infallible> {
        self.0.stopped.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

/// A message that counts its clones.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Copied {
    #[serde(skip)]
    clones: Arc<AtomicUsize>,
}

impl Clone for Copied {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::Relaxed);
        Copied {
            clones: Arc::clone(&self.clones),
        }
    }
}

async fn system(shutdown_timeout: Duration) -> ActorSystem<Note> {
    let config = SystemConfig {
        shutdown_timeout,
        ..SystemConfig::default()
    };
    ActorSystem::new(config, InMemoryBroker::new())
        .await
        .expect("a new broker takes subscribers")
}

async fn tell(system: &ActorSystem<Note>, recipient: &ActorAddress, note: u64) {
    let mut envelope = MessageEnvelope::new(Note(note));
    envelope.reply_to = Some(recipient.clone());
    system.broker().publish(envelope).await.expect("the broker takes all");
}

/// Lets the other tasks run until it has happened.
async fn until(mut happened: impl FnMut() -> bool) {
    let waiting = async {
        while !happened() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, waiting).await.expect("it happens");
}

async fn three_children<S: SupervisionStrategy>(tally: &Tally) -> SupervisorNode<S, Counted> {
    let mut supervisor = SupervisorNode::new();
    for _ in 0..3 {
        supervisor
            .start_child(|| tally.child(), RestartPolicy::Permanent, LIMIT)
            .await
            .expect("it starts");
    }
    supervisor
}

/// The types say it: this does not compile if a call gives anything but a box with a table of functions.
#[tokio::test]
async fn each_call_of_an_actor_and_of_the_broker_is_a_boxed_future() {
    let handled = Arc::new(AtomicUsize::new(0));
    let mut actor = Counter::new(&handled);
    let broker = InMemoryBroker::new();
    let mut context = ActorContext::new(ActorAddress::anonymous(), broker.clone());
    let handling: Pin<Box<dyn Future<Output = Result<(), Infallible>> + Send + '_>> =
        actor.handle_message(Note(1), &mut context);
    assert!(size_of_val(&*handling) > 0, "a box of nothing would not be allocated");
    handling.await.expect("it cannot fail");
    assert_eq!(handled.load(Ordering::Relaxed), 1);
    let publishing: Pin<Box<dyn Future<Output = Result<(), BrokerError>> + Send + '_>> =
        broker.publish(MessageEnvelope::new(Note(1)));
    assert!(size_of_val(&*publishing) > 0);
    publishing.await.expect("it has no subscribers");
}

#[tokio::test]
async fn what_the_spawn_row_makes_has_no_task_and_no_mailbox() {
    let tasks = || Handle::current().metrics().num_alive_tasks();
    let before = tasks();
    let handled = Arc::new(AtomicUsize::new(0));
    let actor = Counter::new(&handled);
    let context = ActorContext::new(ActorAddress::anonymous(), InMemoryBroker::<Note>::new());
    assert_eq!(tasks(), before);
    assert_eq!(
        context.broker().subscriber_count().await,
        0,
        "nobody listens to its broker"
    );
    let system = system(LIMIT).await;
    let with_router = tasks();
    system.spawn(actor, None, 1).expect("the system is running");
    assert_eq!(tasks(), with_router + 1, "a spawn that is one starts a task");
}

#[tokio::test(start_paused = true)]
async fn the_message_row_calls_a_handler_and_sends_nothing() {
    let handled = Arc::new(AtomicUsize::new(0));
    let mut actor = Counter::new(&handled);
    let mut context = ActorContext::new(ActorAddress::anonymous(), InMemoryBroker::new());
    let mut stream = context.broker().subscribe().await.expect("it takes subscribers");
    for note in 0..100 {
        actor
            .handle_message(Note(note), &mut context)
            .await
            .expect("it cannot fail");
    }
    assert_eq!(handled.load(Ordering::Relaxed), 100);
    let sent = tokio::time::timeout(LIMIT, stream.recv()).await;
    assert!(sent.is_err(), "something went through the broker");
}

/// The row puts 100 in and stops its clock. Were they taken out, a mailbox of that capacity would have room again.
#[tokio::test(start_paused = true)]
async fn what_the_mailbox_row_puts_in_stays_in() {
    let (_mailbox, sender) = BoundedMailbox::with_capacity(100);
    for note in 0..100 {
        sender
            .send(MessageEnvelope::new(Note(note)))
            .await
            .expect("there is room");
    }
    let one_more = sender.send(MessageEnvelope::new(Note(100)));
    assert!(tokio::time::timeout(LIMIT, one_more).await.is_err());
}

async fn start_three<S: SupervisionStrategy>() -> [usize; 3] {
    let tally = Tally::default();
    let supervisor = three_children::<S>(&tally).await;
    for id in supervisor.children() {
        assert_eq!(
            supervisor.state(*id),
            Some((ChildState::Running, 0)),
            "it was never restarted"
        );
    }
    tally.seen()
}

#[tokio::test]
async fn the_strategy_rows_restart_nothing() {
    let made_and_started = [3, 3, 0];
    assert_eq!(start_three::<OneForOne>().await, made_and_started);
    assert_eq!(start_three::<OneForAll>().await, made_and_started);
    assert_eq!(start_three::<RestForOne>().await, made_and_started);
}

#[tokio::test(start_paused = true)]
async fn a_restart_waits_100_ms_and_then_twice_as_long_each_time() {
    let tally = Tally::default();
    let mut supervisor = three_children::<OneForOne>(&tally).await;
    let id = supervisor.children()[0];
    for expected in [100, 200, 400, 800, 1_600] {
        let begun = Instant::now();
        supervisor.restart_child(id).await.expect("it restarts");
        // The clock is paused: it moves only by what is waited for, to the next millisecond.
        let waited = begun.elapsed().as_millis();
        assert!((expected..=expected + 1).contains(&waited), "{waited} ms");
    }
    assert_eq!(
        supervisor.restart_child(id).await,
        Err(SupervisorError::RestartLimitReached)
    );
}

#[tokio::test(start_paused = true)]
async fn a_restart_starts_the_same_child_again() {
    let tally = Tally::default();
    let mut supervisor = three_children::<OneForOne>(&tally).await;
    let id = supervisor.children()[0];
    supervisor.restart_child(id).await.expect("it restarts");
    assert_eq!(
        tally.seen(),
        [3, 4, 1],
        "one was stopped and started, and none was made"
    );
}

#[tokio::test(start_paused = true)]
async fn one_for_all_says_who_should_restart_and_restarts_nobody() {
    let tally = Tally::default();
    let supervisor = three_children::<OneForAll>(&tally).await;
    let children = supervisor.children().to_vec();
    assert_eq!(
        supervisor.handle_child_error(children[0]),
        Decision::RestartAll(children)
    );
    tokio::time::sleep(LIMIT).await;
    assert_eq!(tally.seen(), [3, 3, 0]);
}

#[tokio::test]
async fn the_system_ignores_the_capacity_of_a_mailbox() {
    let system = system(LIMIT).await;
    let handled = Arc::new(AtomicUsize::new(0));
    let mut actor = Counter::new(&handled);
    let gate = Arc::new(Semaphore::new(0));
    actor.gate = Arc::clone(&gate);
    let address = system.spawn(actor, None, 1).expect("the system is running");
    for note in 0..1_000 {
        tell(&system, &address, note).await;
    }
    assert_eq!(
        handled.load(Ordering::Relaxed),
        0,
        "the actor is held up, and nobody had to wait"
    );
    gate.close();
    until(|| handled.load(Ordering::Relaxed) == 1_000).await;
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_with_an_idle_actor_times_out() {
    let limit = Duration::from_millis(500);
    let system = system(limit).await;
    let handled = Arc::new(AtomicUsize::new(0));
    system
        .spawn(Counter::new(&handled), None, 1)
        .expect("the system is running");
    assert_eq!(system.shutdown().await, Err(SystemError::ShutdownTimeout(limit)));
    assert_eq!(system.actor_count(), 1);
}

#[tokio::test]
async fn a_broadcast_clones_its_message_for_each_subscriber() {
    let broker = InMemoryBroker::new();
    let mut streams = Vec::new();
    for subscribers in 1..=10 {
        streams.push(broker.subscribe().await.expect("it takes subscribers"));
        let message = Copied::default();
        let clones = Arc::clone(&message.clones);
        broker
            .publish(MessageEnvelope::new(message))
            .await
            .expect("it takes all");
        assert_eq!(clones.load(Ordering::Relaxed), subscribers);
    }
}

#[tokio::test]
async fn a_subscriber_that_left_is_given_messages_for_ever() {
    let broker = InMemoryBroker::new();
    drop(broker.subscribe().await.expect("it takes subscribers"));
    let message = Copied::default();
    let clones = Arc::clone(&message.clones);
    broker
        .publish(MessageEnvelope::new(message))
        .await
        .expect("it takes all");
    assert_eq!(clones.load(Ordering::Relaxed), 1, "for nobody");
    assert_eq!(broker.subscriber_count().await, 1);
}

#[tokio::test]
async fn ten_thousand_actors_live_at_once() {
    let system = system(LIMIT).await;
    let handled = Arc::new(AtomicUsize::new(0));
    let spawn = || system.spawn(Counter::new(&handled), None, 1);
    let actors: Vec<_> = (0..10_000).map(|_| spawn().expect("the system is running")).collect();
    for actor in &actors {
        tell(&system, actor, 1).await;
    }
    until(|| handled.load(Ordering::Relaxed) == actors.len()).await;
    assert!(actors.iter().all(|actor| !system.has_ended(actor)));
}

#[test]
fn the_table_of_memory_holds_nothing_but_times() {
    let published = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/published/airssys-rt.csv");
    let figures = fs::read_to_string(published).expect("the report's figures are in the checkout");
    let units: Vec<_> = figures
        .lines()
        .filter(|line| line.starts_with("table,Resource Usage Baseline,") && !line.contains(",outliers,"))
        .map(|line| line.split(',').nth(10).expect("the column of units"))
        .collect();
    assert!(units.len() >= 10, "{units:?}");
    assert!(units.iter().all(|unit| ["ns", "us"].contains(unit)), "{units:?}");
}
