//! Every scenario validates on every system that has it, and finds what is wrong with one that is broken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use perflab_bench::{Bench, Role};
use serde_json::Value;
use supervisor_bench::{Subject, bench, variant};
use supervisor_contract::{Address, Behaviour, Closed, Flow, Gathers, Mailbox, Message, Runtime, System};

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
        "ring" => &["actors=10", "hops=95", "tokens=3"],
        "fan-in" | "fan-out" => &["messages=1000"],
        "ping-pong" => &["rounds=100", "pairs=3"],
        "ask" => &["questions=50"],
        "scale" => &["actors=200", "messages=1000"],
        "idle" => &["actors=20", "pause-ms=5"],
        "broker-throughput" => &["messages=500"],
        "broadcast" => &["subscribers=5", "slow=2", "gone=3", "messages=50"],
        "shutdown" => &["actors=50"],
        "restart" => &["children=3"],
        "restart-storm" => &["children=5", "crashes=3"],
        "tree-depth" => &["depth=3"],
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

/// A system of one message in three: delivered, lost, delivered twice.
struct Broken;

struct BrokenSystem<M>(std::marker::PhantomData<fn(M)>);

#[derive(Clone)]
struct BrokenAddress<M> {
    sender: tokio::sync::mpsc::UnboundedSender<M>,
    sent: Arc<AtomicUsize>,
}

impl Runtime for Broken {
    const BOUNDED: bool = false;

    type System<M: Message> = BrokenSystem<M>;

    async fn start<M: Message>() -> BrokenSystem<M> {
        BrokenSystem(std::marker::PhantomData)
    }
}

impl<M: Message> System for BrokenSystem<M> {
    type Message = M;
    type Address = BrokenAddress<M>;

    async fn spawn<B: Behaviour<Self>>(&self, mut behaviour: B, _mailbox: Mailbox) -> BrokenAddress<M> {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(message) = receiver.recv().await {
                if behaviour.handle(message).await == Flow::Stop {
                    break;
                }
            }
        });
        BrokenAddress {
            sender,
            sent: Arc::default(),
        }
    }

    async fn stop(&self, _address: BrokenAddress<M>) {}

    fn on_the_books(&self) -> Option<usize> {
        None
    }
}

impl<M: Message> Address<M> for BrokenAddress<M> {
    async fn tell(&self, message: M) -> Result<(), Closed> {
        let times = match self.sent.fetch_add(1, Ordering::Relaxed) % 30 {
            10 => 0,
            20 => 2,
            _ => 1,
        };
        for _ in 0..times {
            self.sender.send(message.clone()).map_err(|_| Closed)?;
        }
        Ok(())
    }
}

#[test]
fn a_system_that_loses_and_doubles_messages_does_not_validate() {
    let subject = Subject::of::<Broken>();
    let bench = bench().variant(variant("broken", Role::Yours, "loses and doubles", "tests", subject));
    let (status, last) = run(&bench, "fan-in", "broken", &["senders=2", "messages=3000"]);
    assert_eq!((status, &last["kind"]), (4, &Value::from("validation")), "{last}");
}
