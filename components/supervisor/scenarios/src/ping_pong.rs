//! Two actors that answer each other.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use perflab_bench::{Parameter, ScenarioSpec, Setting, Stopwatch};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Flow, Mailbox, Runtime, System};
use tokio::sync::oneshot;

use crate::parameters::{less, tail, time, usage};
use crate::threads::{Opened, Threads};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "ping-pong",
        "Two actors in turn",
        "a ping and its pong",
        less("p50", "p50", "ns/round trip"),
    )
    .metrics([time("ns/round trip")])
    .metrics(tail())
    .metrics(usage())
    .parameters([
        Parameter::int("rounds", 10_000, 1, 10_000_000, "round trips in a repetition"),
        Parameter::int("pairs", 1, 1, 10_000, "pairs that play at once"),
    ])
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
enum Ball {
    Serve,
    Ping(u64),
    Pong(u64),
}

struct Player<S: System> {
    other: Arc<OnceLock<S::Address>>,
    rounds: u64,
    sent: Instant,
    latencies: Vec<Duration>,
    /// Set for the one that serves.
    done: Option<oneshot::Sender<Vec<Duration>>>,
}

impl<S: System<Message = Ball>> Player<S> {
    fn new(rounds: u64, done: Option<oneshot::Sender<Vec<Duration>>>) -> Self {
        let latencies = Vec::with_capacity(if done.is_some() {
            usize::try_from(rounds).unwrap_or(0)
        } else {
            0
        });
        Player {
            other: Arc::default(),
            rounds,
            sent: Instant::now(),
            latencies,
            done,
        }
    }

    async fn send(&self, ball: Ball) {
        if let Some(other) = self.other.get() {
            let _ = other.tell(ball).await;
        }
    }

    async fn ping(&mut self, number: u64) {
        self.sent = Instant::now();
        self.send(Ball::Ping(number)).await;
    }
}

impl<S: System<Message = Ball>> Behaviour<S> for Player<S> {
    async fn handle(&mut self, ball: Ball) -> Flow {
        match ball {
            Ball::Serve => self.ping(0).await,
            Ball::Ping(number) => self.send(Ball::Pong(number)).await,
            // A pong out of turn ends the game, and whoever waits for its end sees that.
            Ball::Pong(number) if number != self.latencies.len() as u64 => self.done = None,
            Ball::Pong(number) => {
                self.latencies.push(self.sent.elapsed());
                if number + 1 < self.rounds {
                    self.ping(number + 1).await;
                } else if let Some(done) = self.done.take() {
                    let _ = done.send(std::mem::take(&mut self.latencies));
                }
            }
        }
        Flow::Continue
    }
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Opened {
    let rounds = setting.parameters.int("rounds").unsigned_abs();
    let pairs = setting.parameters.count("pairs");
    Threads::new(&setting)?.repeat(setting, move |mut record| async move {
        let system = R::start::<Ball>().await;
        let mut games = Vec::with_capacity(pairs);
        for _ in 0..pairs {
            let (done, end) = oneshot::channel();
            let (server, returner) = (Player::new(rounds, Some(done)), Player::new(rounds, None));
            let (to_returner, to_server) = (Arc::clone(&server.other), Arc::clone(&returner.other));
            let server = system.spawn(server, Mailbox::Unbounded).await;
            let returner = system.spawn(returner, Mailbox::Unbounded).await;
            let _ = to_returner.set(returner.clone());
            let _ = to_server.set(server.clone());
            games.push((server, returner, end));
        }
        let watch = Stopwatch::start();
        for (server, ..) in &games {
            let _ = server.tell(Ball::Serve).await;
        }
        let mut latencies = Vec::with_capacity(pairs);
        let mut players = Vec::with_capacity(2 * pairs);
        for (server, returner, end) in games {
            // An error is a game that was broken off.
            latencies.push(end.await.unwrap_or_default());
            players.extend([server, returner]);
        }
        record.sample.add_lap(pairs as f64 * rounds as f64, watch.stop());
        for player in players {
            system.stop(player).await;
        }
        record.latencies(latencies.iter().flatten());
        let whole = latencies.iter().filter(|game| game.len() as u64 == rounds).count();
        record.last("every ping had its pong, in turn", whole == pairs, || {
            format!("{} of {pairs} games were broken off", pairs - whole)
        })
    })
}
