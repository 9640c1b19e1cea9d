//! What the report says of its runtime and of its own rows, held against what both do: the ledger's mechanisms.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fs;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use supervisor_published::{
    Actor, ActorAddress, ActorContext, ActorSystem, BoundedMailbox, BoundedSender, BrokerError, Child, ChildId,
    ChildState, Decision, InMemoryBroker, MailboxReceiver, MailboxSender, MessageBroker, MessageEnvelope, Monitor,
    NoopMonitor, OneForAll, OneForOne, RestForOne, RestartPolicy, SupervisionEvent, SupervisionEventKind,
    SupervisionStrategy, Supervisor, SupervisorError, SupervisorNode, SystemConfig, SystemError,
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
    let mut supervisor = SupervisorNode::new(NoopMonitor);
    let mut children = supervisor.children();
    for name in ["first", "second", "third"] {
        let tally = tally.clone();
        children = children.child(name, move || tally.child());
    }
    children.spawn_all().await.expect("they start");
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

/// The types say it: this does not compile if one of them is handed over as a box. Of a broker and of a sender there can
/// be none, since their traits are `Clone`.
#[tokio::test]
async fn actors_brokers_and_mailboxes_are_used_by_their_own_types() {
    type Spawn = fn(&ActorSystem<Note>, Counter, Option<&str>, usize) -> Result<ActorAddress, SystemError>;
    let spawn: Spawn = ActorSystem::spawn;
    let broker: fn(&ActorSystem<Note>) -> &InMemoryBroker<Note> = ActorSystem::broker;
    let mailbox: fn(usize) -> (BoundedMailbox<Note>, BoundedSender<Note>) = BoundedMailbox::with_capacity;
    let (mut receiver, sender) = mailbox(1);
    sender.send(MessageEnvelope::new(Note(1))).await.expect("there is room");
    assert!(receiver.recv().await.is_some());
    let system = system(LIMIT).await;
    let handled = Arc::new(AtomicUsize::new(0));
    let address = spawn(&system, Counter::new(&handled), None, 1).expect("the system is running");
    let mut envelope = MessageEnvelope::new(Note(1));
    envelope.reply_to = Some(address);
    broker(&system).publish(envelope).await.expect("the broker takes all");
    until(|| handled.load(Ordering::Relaxed) == 1).await;
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

#[tokio::test(start_paused = true)]
async fn a_message_reaches_every_subscriber_and_nobody_who_subscribes_later() {
    let broker = InMemoryBroker::new();
    let mut streams = Vec::new();
    for _ in 0..2 {
        streams.push(broker.subscribe().await.expect("it takes subscribers"));
    }
    broker
        .publish(MessageEnvelope::new(Note(1)))
        .await
        .expect("it takes all");
    let mut late = broker.subscribe().await.expect("it takes subscribers");
    for stream in &mut streams {
        assert_eq!(stream.recv().await.map(|envelope| envelope.payload.0), Some(1));
    }
    assert!(tokio::time::timeout(LIMIT, late.recv()).await.is_err(), "it was lost");
}

#[tokio::test(start_paused = true)]
async fn the_broker_row_buffers_all_and_then_drains_them_to_its_one_subscriber() {
    let broker = InMemoryBroker::new();
    let mut stream = broker.subscribe().await.expect("it takes subscribers");
    assert_eq!(broker.subscriber_count().await, 1);
    for note in 0..100 {
        broker
            .publish(MessageEnvelope::new(Note(note)))
            .await
            .expect("nobody receives meanwhile, and it takes all");
    }
    for note in 0..100 {
        let buffered = tokio::time::timeout(Duration::ZERO, stream.recv()).await;
        assert_eq!(buffered.ok().flatten().map(|envelope| envelope.payload.0), Some(note));
    }
    let one_more = tokio::time::timeout(LIMIT, stream.recv()).await;
    assert!(one_more.is_err(), "nothing was published while it drained");
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

#[tokio::test(start_paused = true)]
async fn a_full_bounded_mailbox_keeps_its_sender_waiting() {
    let (mut mailbox, sender) = BoundedMailbox::with_capacity(2);
    for note in 0..2 {
        sender
            .send(MessageEnvelope::new(Note(note)))
            .await
            .expect("there is room");
    }
    let mut one_more = sender.send(MessageEnvelope::new(Note(2)));
    assert!(tokio::time::timeout(LIMIT, &mut one_more).await.is_err(), "it is full");
    assert!(mailbox.recv().await.is_some());
    one_more.await.expect("there is room again");
}

/// Room for that many messages has no address: whoever allocated it up front would panic.
#[tokio::test]
async fn a_mailbox_for_more_messages_than_there_is_memory_can_be_made() {
    let (mut mailbox, sender) = BoundedMailbox::with_capacity(Semaphore::MAX_PERMITS);
    sender.send(MessageEnvelope::new(Note(1))).await.expect("there is room");
    assert!(mailbox.recv().await.is_some());
}

async fn start_three<S: SupervisionStrategy>() -> [usize; 3] {
    let tally = Tally::default();
    let supervisor = three_children::<S>(&tally).await;
    for id in supervisor.child_ids() {
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

struct Unasked;

impl SupervisionStrategy for Unasked {
    fn decide(failed: ChildId, _all: &[ChildId]) -> Decision {
        panic!("asked about {failed:?}")
    }
}

#[tokio::test]
async fn starting_children_never_asks_the_strategy() {
    assert_eq!(start_three::<Unasked>().await, [3, 3, 0]);
}

/// Keeps what it is told.
#[derive(Clone, Default)]
struct Journal(Arc<Mutex<Vec<SupervisionEvent>>>);

#[async_trait]
impl Monitor for Journal {
    async fn record(&self, event: SupervisionEvent) {
        self.0.lock().unwrap().push(event);
    }
}

impl Journal {
    fn events(&self) -> Vec<SupervisionEvent> {
        self.0.lock().unwrap().clone()
    }
}

/// What the supervision rows time besides the supervisor and its children.
#[tokio::test(start_paused = true)]
async fn a_supervisor_makes_an_event_of_each_child_that_it_starts_or_restarts_and_of_each_decision() {
    use SupervisionEventKind::{ChildRestarted, ChildStarted, StrategyApplied};

    let (journal, tally) = (Journal::default(), Tally::default());
    let mut supervisor = SupervisorNode::<OneForOne, Counted, Journal>::new(journal.clone());
    let made = tally.clone();
    let only = supervisor
        .child("only")
        .factory(move || made.child())
        .restart_policy(RestartPolicy::Transient)
        .start_limit(LIMIT)
        .stop_limit(LIMIT);
    let id = only.spawn().await.expect("it starts");
    assert_eq!(supervisor.handle_child_error(id).await, Decision::RestartChild(id));
    until(|| journal.events().len() == 2).await;
    supervisor.restart_child(id).await.expect("it restarts");
    supervisor.stop_child(id).await.expect("it stops");
    let events = journal.events();
    let kinds: Vec<_> = events.iter().map(|event| event.kind.clone()).collect();
    let applied = StrategyApplied(std::any::type_name::<OneForOne>(), 1);
    assert_eq!(kinds, [ChildStarted, applied, ChildRestarted(1)], "and not of its end");
    let supervisors: BTreeSet<_> = events.iter().map(|event| event.supervisor.clone()).collect();
    assert_eq!(supervisors.len(), 1);
    assert!(events.iter().all(|event| event.child == id.to_string()));
}

#[tokio::test]
async fn a_child_without_a_factory_is_refused() {
    let mut supervisor = SupervisorNode::<OneForOne, Counted>::new(NoopMonitor);
    assert_eq!(
        supervisor.child("nobody").spawn().await,
        Err(SupervisorError::NoFactory)
    );
}

#[tokio::test(start_paused = true)]
async fn a_restart_waits_100_ms_and_then_twice_as_long_each_time() {
    let tally = Tally::default();
    let mut supervisor = three_children::<OneForOne>(&tally).await;
    let id = supervisor.child_ids()[0];
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
    let id = supervisor.child_ids()[0];
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
    let mut supervisor = three_children::<OneForAll>(&tally).await;
    let children = supervisor.child_ids().to_vec();
    assert_eq!(
        supervisor.handle_child_error(children[0]).await,
        Decision::RestartAll(children)
    );
    tokio::time::sleep(LIMIT).await;
    assert_eq!(tally.seen(), [3, 3, 0]);
}

/// How many times the first back-off it takes to restart, one after the other since each restart takes the supervisor
/// whole, those whom a strategy names when the second of three fails.
async fn restarting_by<S: SupervisionStrategy>() -> u128 {
    let tally = Tally::default();
    let mut supervisor = three_children::<S>(&tally).await;
    let second = supervisor.child_ids()[1];
    let concerned = match supervisor.handle_child_error(second).await {
        Decision::RestartChild(id) => vec![id],
        Decision::RestartAll(ids) | Decision::RestartSubset(ids) => ids,
        other => panic!("nobody is to be restarted: {other:?}"),
    };
    let begun = Instant::now();
    for id in concerned {
        supervisor.restart_child(id).await.expect("it restarts");
    }
    begun.elapsed().as_millis() / 100
}

#[tokio::test(start_paused = true)]
async fn rest_for_one_takes_twice_and_one_for_all_three_times_as_long_as_one_for_one() {
    assert_eq!(restarting_by::<OneForOne>().await, 1);
    assert_eq!(restarting_by::<RestForOne>().await, 2);
    assert_eq!(restarting_by::<OneForAll>().await, 3);
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

/// A figure of the report's, by the columns of its file.
struct Published {
    place: String,
    section: String,
    scenario: String,
    metric: String,
    value: Option<f64>,
    unit: String,
}

fn published() -> Vec<Published> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../datasets/published/airssys-rt.csv");
    let figures = fs::read_to_string(file).expect("the report's figures are in the checkout");
    let rows = figures.lines().skip(1).map(|line| {
        // Only notes hold commas of their own, and they come last.
        let columns: Vec<_> = line.split(',').map(String::from).collect();
        let [place, section, scenario, _, _, metric, _, value, _, _, unit, ..] = &columns[..] else {
            panic!("{line}")
        };
        Published {
            place: place.clone(),
            section: section.clone(),
            scenario: scenario.clone(),
            metric: metric.clone(),
            value: value.parse().ok(),
            unit: unit.clone(),
        }
    });
    rows.collect()
}

/// The figure of a table, a time in ns.
fn figure(rows: &[Published], scenario: &str, metric: &str) -> f64 {
    let mut of_tables = rows.iter().filter(|row| row.place == "table");
    let row = of_tables.find(|row| row.scenario == scenario && row.metric == metric);
    let row = row.unwrap_or_else(|| panic!("no {metric} of {scenario}"));
    row.value.expect("a figure") * if row.unit == "us" { 1_000.0 } else { 1.0 }
}

/// Whether the report's figure is this one, as it rounds.
fn is_about(published: f64, exact: f64) -> bool {
    (published / exact - 1.0).abs() < 0.005
}

#[test]
fn the_table_of_memory_holds_nothing_but_times() {
    let rows = published();
    let units: Vec<_> = rows
        .iter()
        .filter(|row| row.place == "table" && row.section == "Resource Usage Baseline" && row.metric != "outliers")
        .map(|row| row.unit.as_str())
        .collect();
    assert!(units.len() >= 10, "{units:?}");
    assert!(units.iter().all(|unit| ["ns", "us"].contains(unit)), "{units:?}");
}

#[test]
fn the_table_divides_a_broadcast_by_its_subscribers_and_calls_it_a_broadcast() {
    let rows = published();
    let of_row = |metric| figure(&rows, "message_broadcast_small", metric);
    let subscribers = rows.iter().find(|row| row.metric == "subscribers");
    let subscribers = subscribers.and_then(|row| row.value).expect("the report says how many");
    assert!(is_about(
        of_row("time per broadcast") * subscribers,
        of_row("time per operation")
    ));
}

#[test]
fn the_rates_of_the_summary_are_one_over_the_times_of_the_rows() {
    let rows = published();
    let rates: Vec<_> = rows
        .iter()
        .filter(|row| row.section == "Performance Summary" && row.unit.ends_with("/s") && row.scenario != "target")
        .collect();
    assert_eq!(rates.len(), 7);
    for rate in rates {
        let operations = match rate.scenario.as_str() {
            "actor_message_throughput" | "message_throughput" => 100.0,
            "actor_spawn_batch_small" => 10.0,
            "supervision_tree_small" => 3.0,
            _ => 1.0,
        };
        let exact = operations * 1e9 / figure(&rows, &rate.scenario, "time per operation");
        assert!(is_about(rate.value.expect("a figure"), exact), "{}", rate.scenario);
    }
}

#[test]
fn the_margins_of_the_targets_are_quotients_of_the_targets_and_the_rows() {
    let rows = published();
    let of_targets = |metric| {
        let row = rows.iter().find(|row| row.scenario == "target" && row.metric == metric);
        row.and_then(|row| row.value).unwrap_or_else(|| panic!("no {metric}"))
    };
    let latency_ms = figure(&rows, "message_send_receive", "time per operation") / 1e6;
    let margin = of_targets("margin of the latency target");
    assert!(is_about(margin, of_targets("time per message") / latency_ms));
    let rate = 100.0 * 1e9 / figure(&rows, "message_throughput", "time per operation");
    let margin = of_targets("margin of the throughput target");
    assert!(is_about(margin, rate / of_targets("throughput")));
}

/// Criterion selects the benchmarks whose names hold the filter. The names are those of the report's tables.
#[test]
fn only_the_filter_of_actors_selects_the_rows_of_its_category() {
    let rows = published();
    let filters = [
        ("actor_", "Actor System Baseline"),
        ("message_", "Message Passing Baseline"),
        ("supervisor_", "Supervision Baseline"),
        ("resource_", "Resource Usage Baseline"),
    ];
    let names = |wanted: &dyn Fn(&Published) -> bool| -> BTreeSet<_> {
        let in_a_table =
            |row: &&Published| row.place == "table" && filters.iter().any(|(_, section)| row.section == *section);
        let chosen = rows.iter().filter(in_a_table).filter(|row| wanted(row));
        chosen.map(|row| row.scenario.clone()).collect()
    };
    for (filter, section) in filters {
        let of_category = names(&|row| row.section == section);
        let selected = names(&|row| row.scenario.contains(filter));
        assert_eq!(selected == of_category, filter == "actor_", "{filter}: {selected:?}");
    }
}
