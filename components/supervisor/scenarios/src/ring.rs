//! Actors in a ring that pass tokens on.

use std::sync::{Arc, OnceLock};

use perflab_bench::{Error, Parameter, ScenarioSpec, Setting, Stopwatch};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Flow, Mailbox, Runtime, System};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::crowd::AddressOf;
use crate::parameters::{time, usage};
use crate::record::Record;
use crate::threads::{Opened, Threads};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new("ring", "Tokens around a ring", "a hop", time("ns/hop"))
        .metrics(usage())
        .parameters([
            Parameter::int("actors", 100, 2, 1_000_000, "actors in the ring"),
            Parameter::int("tokens", 1, 1, 10_000, "tokens on their way at once"),
            Parameter::int("hops", 10_000, 1, 100_000_000, "hops of each token"),
        ])
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Token {
    left: u64,
}

struct Node<S: System> {
    number: usize,
    /// Set when the whole ring stands: the last node was spawned before the first was known to it.
    next: Arc<OnceLock<S::Address>>,
    /// Where tokens end.
    arrivals: UnboundedSender<usize>,
}

impl<S: System<Message = Token>> Behaviour<S> for Node<S> {
    async fn handle(&mut self, token: Token) -> Flow {
        if token.left == 0 {
            // The scenario may have ended by an error.
            let _ = self.arrivals.send(self.number);
        } else if let Some(next) = self.next.get() {
            let _ = next.tell(Token { left: token.left - 1 }).await;
        }
        Flow::Continue
    }
}

/// A ring that stands.
struct Ring<R: Runtime> {
    nodes: Vec<AddressOf<R, Token>>,
    arrivals: UnboundedReceiver<usize>,
    // Its end may be the end of the actors.
    _system: R::System<Token>,
}

impl<R: Runtime> Ring<R> {
    async fn of(actors: usize) -> Self {
        let system = R::start::<Token>().await;
        let (sender, arrivals) = unbounded_channel();
        let mut nodes: Vec<AddressOf<R, Token>> = Vec::with_capacity(actors);
        let mut links = Vec::with_capacity(actors);
        for number in 0..actors {
            let next = Arc::new(OnceLock::new());
            links.push(Arc::clone(&next));
            let node = Node {
                number,
                next,
                arrivals: sender.clone(),
            };
            nodes.push(system.spawn(node, Mailbox::Unbounded).await);
        }
        for (number, link) in links.iter().enumerate() {
            let _ = link.set(nodes[(number + 1) % actors].clone());
        }
        Ring {
            nodes,
            arrivals,
            _system: system,
        }
    }

    /// Sends tokens from evenly spaced nodes, and waits until as many have ended.
    async fn turn(&mut self, tokens: usize, hops: u64, mut record: Record) -> Result<Record, Error> {
        // Came after all that were sent before had ended.
        let again = self.arrivals.try_recv().ok();
        let actors = self.nodes.len();
        let starts: Vec<usize> = (0..tokens).map(|token| token * actors / tokens).collect();
        let watch = Stopwatch::start();
        for start in &starts {
            let _ = self.nodes[*start].tell(Token { left: hops }).await;
        }
        let mut ends = Vec::with_capacity(tokens);
        while ends.len() < tokens
            && let Some(node) = self.arrivals.recv().await
        {
            ends.push(node);
        }
        record.sample.add_lap(tokens as f64 * (hops + 1) as f64, watch.stop());
        let remainder = usize::try_from(hops % actors as u64).unwrap_or(0);
        let mut expected: Vec<usize> = starts.iter().map(|start| (start + remainder) % actors).collect();
        expected.sort_unstable();
        ends.sort_unstable();
        record.require("no token ends twice", again.is_none(), || {
            format!("one more came to its end: {again:?}")
        })?;
        record.last("each token ended where its hops lead", ends == expected, || {
            format!("tokens ended at {ends:?}, not at {expected:?}")
        })
    }
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Opened {
    let threads = Threads::new(&setting)?;
    let actors = setting.parameters.count("actors");
    let tokens = setting.parameters.count("tokens");
    let hops = setting.parameters.int("hops").unsigned_abs();
    let ring = Arc::new(Mutex::new(threads.run(Ring::<R>::of(actors))?));
    threads.repeat(setting, move |record| {
        let ring = Arc::clone(&ring);
        async move { ring.lock().await.turn(tokens, hops, record).await }
    })
}
