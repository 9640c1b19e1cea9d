//! Every scenario validates on every system that has it, and finds what is wrong with one that is broken.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use perflab_bench::{Bench, Role};
use serde_json::Value;
use supervisor_bench::{Subject, bench, variant};
use supervisor_contract::{
    Address, Behaviour, Closed, Flow, Mailbox, Mailboxes, Message, Publishes, Received, Runtime, System,
};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

/// Runs a scenario once, on a small scale, and gives back its status and last line.
fn run(bench: &Bench<Subject>, scenario: &str, variant: &str, parameters: &[&str]) -> (u8, Value) {
    let fixed = ["run", "--scenario", scenario, "--variant", variant];
    let short = ["--warmup-ms", "0", "--sample-ms", "1", "--samples", "1"];
    let mut arguments: Vec<String> = fixed
        .iter()
        .chain(&short)
        .map(|argument| (*argument).to_owned())
        .collect();
    for pair in parameters {
        arguments.extend(["--param".to_owned(), (*pair).to_owned()]);
    }
    let mut lines = Vec::new();
    let status = bench.run(arguments, &mut lines);
    let last = String::from_utf8_lossy(&lines)
        .lines()
        .last()
        .map(str::to_owned)
        .unwrap_or_default();
    (status, serde_json::from_str(&last).unwrap_or(Value::Null))
}

/// Sizes that matter, made small.
fn small(scenario: &str) -> &'static [&'static str] {
    match scenario {
        "fan-in" => &["messages=1000"],
        "ping-pong" => &["rounds=100", "pairs=3"],
        "scale" => &["actors=200", "messages=1000"],
        "broker-throughput" => &["messages=500"],
        "broadcast" => &["subscribers=5", "slow=2", "gone=3", "messages=50"],
        "restart" => &["children=3"],
        _ => &[],
    }
}

fn assert_validates(name: &str) {
    let bench = bench();
    let variant = bench.variant_named(name).unwrap_or_else(|error| panic!("{error}"));
    for scenario in bench
        .scenario_names()
        .into_iter()
        .filter(|scenario| variant.supports(scenario))
    {
        let (status, last) = run(&bench, scenario, name, small(scenario));
        assert_eq!(status, 0, "{scenario} of {name}: {last}");
        let checks = last["validation"]["checks"].as_array().map_or(0, Vec::len);
        assert!(checks > 0, "{scenario} of {name} validates nothing");
    }
}

macro_rules! systems {
    ($($name:ident),*) => {
        mod every_scenario_validates {
            $(#[test]
            fn $name() {
                super::assert_validates(stringify!($name));
            })*
        }
    };
}

systems!(published, tokio, ractor, kameo, actix, lab);

#[test]
fn the_reports_rows_run_as_published() {
    let bench = bench();
    for scenario in [
        "spawn",
        "message-throughput",
        "send-receive",
        "broker-throughput",
        "broadcast",
        "mailbox",
        "memory",
        "mailbox-memory",
        "supervise",
    ] {
        let (status, last) = run(&bench, scenario, "published", &["as=published"]);
        assert_eq!(status, 0, "{scenario}: {last}");
        let (status, last) = run(&bench, scenario, "lab", &["as=published"]);
        assert_eq!(
            (status, &last["allowed"][0]),
            (2, &Value::from("as=named")),
            "{scenario}: {last}"
        );
    }
}

#[test]
fn a_capacity_is_refused_by_who_has_none() {
    let (status, last) = run(&bench(), "fan-in", "ractor", &["mailbox=bounded"]);
    assert_eq!(
        (status, &last["allowed"][0]),
        (2, &Value::from("mailbox=unbounded")),
        "{last}"
    );
}

#[test]
fn a_strategy_is_refused_by_who_has_none() {
    let (status, last) = run(&bench(), "restart", "ractor", &["strategy=one-for-all"]);
    assert_eq!((status, &last["kind"]), (2, &Value::from("usage")), "{last}");
}

/// A system that loses one message in thirty, and delivers another one twice.
struct Broken;

/// How often the next of all messages that were counted here is delivered.
fn times(sent: &AtomicUsize) -> usize {
    match sent.fetch_add(1, Ordering::Relaxed) % 30 {
        10 => 0,
        20 => 2,
        _ => 1,
    }
}

struct BrokenSystem<M> {
    sent: Arc<AtomicUsize>,
    of: PhantomData<fn(M)>,
}

enum Told<M> {
    Message(M),
    Stop(oneshot::Sender<()>),
}

#[derive(Clone)]
struct BrokenAddress<M> {
    sender: UnboundedSender<Told<M>>,
    sent: Arc<AtomicUsize>,
}

impl Runtime for Broken {
    const BOUNDED: bool = false;

    type System<M: Message> = BrokenSystem<M>;

    async fn start<M: Message>() -> BrokenSystem<M> {
        BrokenSystem {
            sent: Arc::default(),
            of: PhantomData,
        }
    }
}

impl<M: Message> System for BrokenSystem<M> {
    type Message = M;
    type Address = BrokenAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, mut behaviour: B, _mailbox: Mailbox) -> BrokenAddress<M> {
        let (sender, mut receiver) = unbounded_channel();
        tokio::spawn(async move {
            while let Some(told) = receiver.recv().await {
                match told {
                    Told::Message(message) => {
                        if behaviour.handle(message).await == Flow::Stop {
                            break;
                        }
                    }
                    Told::Stop(stopped) => {
                        drop(behaviour);
                        let _ = stopped.send(());
                        break;
                    }
                }
            }
        });
        let sent = Arc::clone(&self.sent);
        BrokenAddress { sender, sent }
    }

    async fn stop(&self, address: BrokenAddress<M>) {
        let (stopped, stop) = oneshot::channel();
        // Told by the actor when its turn comes, or dropped with the mailbox.
        if address.sender.send(Told::Stop(stopped)).is_ok() {
            let _ = stop.await;
        }
    }
}

impl<M: Message> Address<M> for BrokenAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        for _ in 0..times(&self.sent) {
            let told = Told::Message(message.clone());
            self.sender.send(told).map_err(|_| Closed)?;
        }
        Ok(())
    }
}

impl Mailboxes for Broken {
    type Sender<M: Message> = UnboundedSender<M>;
    type Receiver<M: Message> = UnboundedReceiver<M>;

    fn mailbox<M: Message>(_size: Mailbox) -> (UnboundedSender<M>, UnboundedReceiver<M>) {
        unbounded_channel()
    }

    async fn put<M: Message>(sender: &UnboundedSender<M>, message: M) -> Result<(), Closed> {
        /// By all mailboxes, of which some scenarios use each only once.
        static SENT: AtomicUsize = AtomicUsize::new(0);
        for _ in 0..times(&SENT) {
            sender.send(message.clone()).map_err(|_| Closed)?;
        }
        Ok(())
    }

    async fn take<M: Message>(receiver: &mut UnboundedReceiver<M>) -> Option<M> {
        receiver.recv().await
    }
}

#[derive(Clone)]
struct BrokenTopic<P> {
    subscribers: Arc<Mutex<Vec<UnboundedSender<P>>>>,
    sent: Arc<AtomicUsize>,
}

impl Publishes for Broken {
    type Topic<P: Message> = BrokenTopic<P>;
    type Subscription<P: Message> = UnboundedReceiver<P>;
    type Item<P: Message> = P;

    fn topic<P: Message>() -> BrokenTopic<P> {
        BrokenTopic {
            subscribers: Arc::default(),
            sent: Arc::default(),
        }
    }

    async fn subscribe<P: Message>(topic: &BrokenTopic<P>) -> UnboundedReceiver<P> {
        let (sender, receiver) = unbounded_channel();
        topic.subscribers.lock().unwrap().push(sender);
        receiver
    }

    async fn publish<P: Message>(topic: &BrokenTopic<P>, payload: P) {
        for subscriber in &*topic.subscribers.lock().unwrap() {
            for _ in 0..times(&topic.sent) {
                let _ = subscriber.send(payload.clone());
            }
        }
    }

    async fn subscriptions<P: Message>(topic: &BrokenTopic<P>) -> usize {
        topic.subscribers.lock().unwrap().len()
    }

    async fn receive<P: Message>(subscription: &mut UnboundedReceiver<P>) -> Received<P> {
        subscription.recv().await.map_or(Received::Closed, Received::Payload)
    }
}

fn broken() -> Bench<Subject> {
    let subject = supervisor_contract::gather!(Subject, Broken);
    bench().variant(variant("broken", Role::Yours, "loses and doubles", "tests", subject))
}

/// Sizes at which a message is lost or doubled, and no luck can make up for it.
fn telling(scenario: &str) -> &'static [&'static str] {
    match scenario {
        "ping-pong" => &["rounds=100"],
        "fan-in" => &["senders=2", "messages=3000"],
        "broadcast" => &["subscribers=7", "messages=50"],
        "mailbox-memory" => &["mailboxes=300"],
        _ => small(scenario),
    }
}

#[test]
fn a_system_that_loses_and_doubles_messages_does_not_validate() {
    let scenarios = broken().scenario_names();
    let tried: usize = std::thread::scope(|threads| {
        // At once, since some notice it by nothing happening for a while.
        let all: Vec<_> = scenarios
            .into_iter()
            .map(|scenario| {
                threads.spawn(move || {
                    let bench = broken();
                    if !bench.variant_named("broken").unwrap().supports(scenario) {
                        return 0;
                    }
                    let (status, last) = run(&bench, scenario, "broken", telling(scenario));
                    assert_eq!(
                        (status, &last["kind"]),
                        (4, &Value::from("validation")),
                        "{scenario}: {last}"
                    );
                    1
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(tried, 11, "those of actors, brokers and mailboxes");
}
