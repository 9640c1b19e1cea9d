//! Two actors that answer each other.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use perflab_bench::{Better, Error, Experiment, Lap, Metric, Parameter, Sample, ScenarioSpec, Setting, Stopwatch};
use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Flow, Mailbox, Runtime, System};
use tokio::sync::oneshot;

use crate::metrics;
use crate::threads::{Threads, workers};

pub(super) fn spec() -> ScenarioSpec {
    ScenarioSpec::new(
        "ping-pong",
        "Two actors in turn",
        "a ping and its pong",
        Metric::new("p50", "p50", "ns/round trip", Better::Lower),
    )
    .metrics([Metric::new("time", "time", "ns/round trip", Better::Lower)])
    .metrics(metrics::percentiles().into_iter().skip(1))
    .metrics(metrics::usage())
    .parameters([
        Parameter::int("rounds", 10_000, 1, 10_000_000, "round trips in a repetition"),
        Parameter::int("pairs", 1, 1, 10_000, "pairs that play at once"),
        workers(),
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

/// Latencies of all pairs, `None` for one whose game was broken off, and the time until the last one ended.
async fn game<R: Runtime>(pairs: usize, rounds: u64) -> (Vec<Option<Vec<Duration>>>, Lap) {
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
        latencies.push(end.await.ok());
        players.extend([server, returner]);
    }
    let lap = watch.stop();
    for player in players {
        system.stop(player).await;
    }
    (latencies, lap)
}

pub(super) fn open<R: Runtime>(setting: Setting) -> Result<Box<dyn Experiment>, Error> {
    let threads = Threads::new(&setting)?;
    let rounds = setting.parameters.int("rounds").unsigned_abs();
    let pairs = setting.parameters.count("pairs");
    Ok(Box::new(move |sample: &mut Sample| {
        let (latencies, lap) = threads.run(game::<R>(pairs, rounds))?;
        sample.add_lap(pairs as f64 * rounds as f64, lap);
        for latency in latencies.iter().flatten().flatten() {
            sample.latency(*latency);
        }
        let whole = |game: &Option<Vec<Duration>>| game.as_ref().is_some_and(|all| all.len() as u64 == rounds);
        setting
            .checks
            .require("every ping had its pong, in turn", latencies.iter().all(whole), || {
                format!(
                    "{} of {pairs} games were broken off",
                    latencies.iter().filter(|game| !whole(game)).count()
                )
            })
    }))
}
