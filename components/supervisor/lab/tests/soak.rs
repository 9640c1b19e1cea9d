//! Random panics, failures, kills, stops and slow children, for a while: every message is accounted for, once.
//!
//! For a few seconds; a minute with `SOAK_SECONDS=60`.

mod common;

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use common::Log;
use supervisor_lab::supervisor::{Child, Intensity, Spec, Strategy, Supervisor};
use supervisor_lab::{Actor, Address, Context, Failure, System};

const WORKERS: usize = 24;
const SENDERS: u64 = 6;

/// A message and how it is to be handled.
#[derive(Clone, Copy, Debug)]
struct Task {
    sender: u64,
    number: u64,
    fate: Fate,
}

#[derive(Clone, Copy, Debug)]
enum Fate {
    Handle,
    Panic,
    Fail,
    /// Waits in its handler, where a kill may find it.
    Dawdle(Duration),
    /// Handled as the last one before an orderly stop.
    Stop,
}

/// Writes down what it begins and what it has handled: what is begun and not handled was in hand when its incarnation died.
struct Worker {
    begun: Log<(u64, u64)>,
    handled: Log<(u64, u64)>,
    alive: Arc<Alive>,
}

/// How many incarnations of a worker live, and the most that ever did: a panic here would be one of the worker's own, and
/// no failure of the soak.
#[derive(Default)]
struct Alive {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Worker {
    fn new(begun: Log<(u64, u64)>, handled: Log<(u64, u64)>, alive: Arc<Alive>) -> Self {
        let now = alive.now.fetch_add(1, Ordering::SeqCst) + 1;
        alive.most.fetch_max(now, Ordering::SeqCst);
        Self { begun, handled, alive }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Gives a premature successor the time to be born.
        std::thread::sleep(Duration::from_micros(100));
        self.alive.now.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Actor for Worker {
    type Message = Task;

    async fn handle(&mut self, task: Task, context: &mut Context<Task>) -> Result<(), Failure> {
        self.begun.push((task.sender, task.number));
        match task.fate {
            Fate::Handle => {}
            Fate::Panic => panic!("as told"),
            Fate::Fail => return Err(Failure::new("as told")),
            Fate::Dawdle(time) => tokio::time::sleep(time).await,
            Fate::Stop => context.stop(),
        }
        self.handled.push((task.sender, task.number));
        Ok(())
    }
}

/// A worker from outside.
#[derive(Clone)]
struct Station {
    address: Address<Task>,
    begun: Log<(u64, u64)>,
    handled: Log<(u64, u64)>,
    alive: Arc<Alive>,
}

/// Workers in trees of each strategy, half of them with bounded mailboxes.
async fn stations(system: &System) -> (Supervisor, Vec<Station>) {
    let often = Intensity {
        restarts: u32::MAX,
        within: Duration::from_secs(1),
    };
    let mut root = Spec::new(Strategy::OneForOne).intensity(often);
    let mut stations = Vec::new();
    for (branch, strategy) in [Strategy::OneForOne, Strategy::OneForAll, Strategy::RestForOne]
        .into_iter()
        .enumerate()
    {
        let mut spec = Spec::new(strategy).intensity(often);
        for place in 0..WORKERS / 3 {
            let (begun, handled, alive) = (Log::default(), Log::default(), Arc::<Alive>::default());
            let factory = {
                let (begun, handled, alive) = (begun.clone(), handled.clone(), Arc::clone(&alive));
                move || Worker::new(begun.clone(), handled.clone(), Arc::clone(&alive))
            };
            let name = format!("{branch}.{place}");
            let (child, address) = match NonZeroUsize::new(place % 2 * 16) {
                Some(capacity) => Child::bounded(name, capacity, factory),
                None => Child::new(name, factory),
            };
            spec = spec.child(child);
            stations.push(Station {
                address,
                begun,
                handled,
                alive,
            });
        }
        root = root.child(Child::tree(format!("{branch}"), spec));
    }
    (root.start(system).await.unwrap(), stations)
}

fn fate() -> Fate {
    match fastrand::u32(0..1_000) {
        0..2 => Fate::Panic,
        2..4 => Fate::Fail,
        4..6 => Fate::Stop,
        6..16 => Fate::Dawdle(Duration::from_micros(fastrand::u64(0..2_000))),
        _ => Fate::Handle,
    }
}

/// Sends until told to stop; returns how many messages were accepted by each worker. Its numbers are per worker.
async fn send(sender: u64, stations: Vec<Station>, over: Arc<AtomicBool>) -> Vec<u64> {
    let mut numbers = vec![0; stations.len()];
    while !over.load(Ordering::Relaxed) {
        let place = fastrand::usize(0..stations.len());
        let task = Task {
            sender,
            number: numbers[place],
            fate: fate(),
        };
        let accepted = if fastrand::bool() {
            stations[place].address.tell(task).is_ok()
        } else {
            // A sender that loses its patience while it waits must not be served later.
            let patience = Duration::from_micros(fastrand::u64(0..2_000));
            let mut sending = stations[place].address.send(task);
            match tokio::time::timeout(patience, &mut sending).await {
                Ok(sent) => sent.is_ok(),
                Err(_) => sending.withdraw().is_none(),
            }
        };
        numbers[place] += u64::from(accepted);
        if stations[place].address.backlog() > 1_000 || fastrand::u8(..) == 0 {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
    }
    numbers
}

async fn disturb(stations: Vec<Station>, over: Arc<AtomicBool>) {
    while !over.load(Ordering::Relaxed) {
        let station = &stations[fastrand::usize(0..stations.len())];
        if fastrand::bool() {
            station.address.kill();
        } else {
            station.address.stop();
        }
        tokio::time::sleep(Duration::from_micros(fastrand::u64(0..3_000))).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_lost_or_doubled() {
    supervisor_lab::silence_actor_panics();
    let seconds = std::env::var("SOAK_SECONDS").map_or(3, |seconds| seconds.parse().unwrap());
    let seed = std::env::var("SOAK_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    fastrand::seed(seed);
    eprintln!("SOAK_SEED={seed}");
    let system = System::new();
    let (supervisor, stations) = stations(&system).await;
    let over = Arc::new(AtomicBool::new(false));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| tokio::spawn(send(sender, stations.clone(), Arc::clone(&over))))
        .collect();
    let disturber = tokio::spawn(disturb(stations.clone(), Arc::clone(&over)));
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    over.store(true, Ordering::Relaxed);
    let mut accepted = Vec::new();
    for sender in senders {
        accepted.push(sender.await.unwrap());
    }
    disturber.await.unwrap();
    // Everything that was accepted is begun before its worker ends, restarts on the way included.
    for station in &stations {
        while station.address.backlog() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    supervisor.stop().await;
    assert!(system.is_empty(), "{} are left", system.len());
    let mut restarts = 0;
    for (place, station) in stations.iter().enumerate() {
        let end = station.address.ended().await;
        let alive = [&station.alive.most, &station.alive.now].map(|count| count.load(Ordering::SeqCst));
        assert_eq!(alive, [1, 0], "incarnations of worker {place}, at most and in the end");
        let begun = station.begun.take();
        let handled = station.handled.take();
        let mut next: HashMap<u64, u64> = HashMap::new();
        for &(sender, number) in &begun {
            let expected = next.entry(sender).or_default();
            assert_eq!(
                number, *expected,
                "of sender {sender} at worker {place}: lost, doubled or out of order"
            );
            *expected += 1;
        }
        let accepted: u64 = accepted.iter().map(|numbers| numbers[place]).sum();
        assert_eq!(begun.len() as u64 + end.unhandled as u64, accepted, "at worker {place}");
        let mut rest = begun.iter();
        assert!(
            handled.iter().all(|task| rest.any(|begun| begun == task)),
            "handled in the order begun, once"
        );
        restarts += begun.len() - handled.len();
    }
    assert!(restarts > 0, "nothing went wrong in this soak");
}
