//! Supervisors stop and restart in order, through factories, within limits.

mod common;

use std::future::Future;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use common::{Log, Subject, Tell, settle};
use supervisor_lab::supervisor::{
    Backoff, Child, GaveUp, Intensity, News, Notice, Restart, Spec, Strategy, Supervisor,
};
use supervisor_lab::{Actor, Address, AskError, Context, Exit, Failure, System};

/// Nothing comes any more if nothing has come by then.
const LOST_AFTER: Duration = Duration::from_secs(10);

/// What was done to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Starting(String),
    Stopping(String),
    Exited(String),
}

fn watch(log: &Log<Step>) -> impl Fn(&Notice) + Send + Sync + 'static {
    let log = log.clone();
    move |notice| {
        let child = notice.child.to_string();
        match notice.news {
            News::Starting => log.push(Step::Starting(child)),
            News::Stopping => log.push(Step::Stopping(child)),
            News::Exited(_) => log.push(Step::Exited(child)),
            _ => {}
        }
    }
}

fn starting(names: &str) -> Vec<Step> {
    names.chars().map(|name| Step::Starting(name.into())).collect()
}

fn stopping(names: &str) -> Vec<Step> {
    names
        .chars()
        .flat_map(|name| [Step::Stopping(name.into()), Step::Exited(name.into())])
        .collect()
}

fn often() -> Intensity {
    Intensity {
        restarts: 1_000,
        within: Duration::from_secs(1),
    }
}

/// No restart is allowed.
const NONE: Intensity = Intensity {
    restarts: 0,
    within: Duration::from_secs(1),
};

fn child(name: &str) -> (Child, Address<Tell>) {
    Child::new(name, Subject::default)
}

/// A child that writes down what it was told, through all its incarnations.
fn noting(name: &str) -> (Child, Address<Tell>, Log<u64>) {
    let notes = Log::default();
    let (child, address) = Child::new(name, {
        let notes = notes.clone();
        move || Subject::new(&notes)
    });
    (child, address, notes)
}

/// A supervisor in a system of its own.
async fn start(spec: Spec) -> Supervisor {
    supervisor_lab::silence_actor_panics();
    spec.start(&System::new()).await.unwrap()
}

fn one_for_one() -> Spec {
    Spec::new(Strategy::OneForOne)
}

/// Counts what `which` picks.
fn count(which: impl Fn(&News) -> bool + Send + Sync + 'static) -> (Log<()>, impl Fn(&Notice) + Send + Sync + 'static) {
    let log = Log::default();
    let counted = log.clone();
    (log, move |notice: &Notice| {
        if which(&notice.news) {
            counted.push(());
        }
    })
}

/// Children a, b, c and d under a supervisor of this strategy.
async fn family(strategy: Strategy, log: &Log<Step>) -> (System, Supervisor, Vec<Address<Tell>>) {
    supervisor_lab::silence_actor_panics();
    let system = System::new();
    let mut spec = Spec::new(strategy).intensity(often()).observe(watch(log));
    let mut addresses = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let (child, address) = child(name);
        spec = spec.child(child);
        addresses.push(address);
    }
    let supervisor = spec.start(&system).await.unwrap();
    assert_eq!(log.take(), starting("abcd"));
    (system, supervisor, addresses)
}

#[tokio::test]
async fn the_group_of_each_strategy_stops_in_reverse_and_starts_in_order() {
    for (strategy, stopped, started) in [
        (Strategy::OneForOne, "", "b"),
        (Strategy::OneForAll, "dca", "abcd"),
        (Strategy::RestForOne, "dc", "bcd"),
    ] {
        let log = Log::default();
        let (system, supervisor, addresses) = family(strategy, &log).await;
        for address in &addresses {
            address.tell(Tell::Note(0)).unwrap();
        }
        settle().await;
        addresses[1].tell(Tell::Panic("b")).unwrap();
        settle().await;
        let expected = [vec![Step::Exited("b".into())], stopping(stopped), starting(started)].concat();
        assert_eq!(log.take(), expected, "{strategy:?}");
        for (address, name) in addresses.iter().zip(["a", "b", "c", "d"]) {
            let count = u64::from(!started.contains(name));
            assert_eq!(address.ask(Tell::Count).await, Ok(count), "{name} under {strategy:?}");
        }
        supervisor.stop().await;
        assert_eq!(log.take(), stopping("dcba"), "{strategy:?}");
        assert!(system.is_empty(), "{strategy:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_restart_too_many_ends_the_supervisor_and_its_children() {
    supervisor_lab::silence_actor_panics();
    let system = System::new();
    let ((a, failing), (b, other)) = (child("a"), child("b"));
    let intensity = Intensity {
        restarts: 2,
        within: Duration::from_secs(10),
    };
    let spec = one_for_one().intensity(intensity).child(a).child(b);
    let supervisor = spec.start(&system).await.unwrap();
    for _ in 0..4 {
        // Two in ten seconds are allowed, for as long as it lasts.
        failing.tell(Tell::Panic("a")).unwrap();
        settle().await;
        assert_eq!(failing.ask(Tell::Count).await, Ok(0));
        tokio::time::advance(Duration::from_secs(5)).await;
    }
    for _ in 0..2 {
        failing.tell(Tell::Panic("a, again")).unwrap();
        settle().await;
    }
    let Exit::Failed(failure) = supervisor.ended().await.exit else {
        panic!("it gives up")
    };
    let gave_up = failure.error().downcast_ref::<GaveUp>().unwrap();
    assert!(
        matches!(gave_up, GaveUp::TooManyRestarts { child, exit: Exit::Panicked(text) } if (&**child, &**text) == ("a", "a, again")),
        "{gave_up}"
    );
    assert_eq!(other.ask(Tell::Count).await, Err(AskError::Closed));
    assert!(system.is_empty());
}

#[tokio::test]
async fn a_tree_stops_from_the_last_leaf_to_the_first() {
    supervisor_lab::silence_actor_panics();
    let log = Log::default();
    let tree = |name: &str, children: [&str; 2]| {
        let mut spec = Spec::new(Strategy::OneForOne).observe(watch(&log));
        for name in children {
            spec = spec.child(child(name).0);
        }
        Child::tree(name, spec)
    };
    let spec = Spec::new(Strategy::OneForOne).observe(watch(&log));
    let supervisor = start(spec.child(tree("x", ["a", "b"])).child(tree("y", ["c", "d"]))).await;
    assert_eq!(log.take(), starting("xabycd"));
    supervisor.stop().await;
    let stop = |name: &str| Step::Stopping(name.into());
    let exit = |name: &str| Step::Exited(name.into());
    let expected = [
        vec![stop("y")],
        stopping("dc"),
        vec![exit("y"), stop("x")],
        stopping("ba"),
        vec![exit("x")],
    ];
    assert_eq!(log.take(), expected.concat());
}

#[tokio::test(start_paused = true)]
async fn back_off_delays_from_the_second_restart_on_and_nobody_else() {
    supervisor_lab::silence_actor_panics();
    let delays = Log::default();
    let ((a, failing), (b, other)) = (child("a"), child("b"));
    let (first, settled) = (Duration::from_secs(1), Duration::from_secs(60));
    let spec = Spec::new(Strategy::OneForOne)
        .intensity(often())
        .backoff(Backoff::Exponential {
            first,
            longest: 3 * first,
            settled,
        })
        .observe({
            let delays = delays.clone();
            move |notice| {
                if let News::Delayed(delay) = notice.news {
                    delays.push(delay);
                }
            }
        });
    let _supervisor = start(spec.child(a).child(b)).await;
    for _ in 0..4 {
        failing.tell(Tell::Panic("a")).unwrap();
        let asked = failing.ask(Tell::Count);
        settle().await;
        other.tell(Tell::Note(0)).unwrap();
        assert!(other.ask(Tell::Count).await.is_ok(), "is not delayed");
        assert_eq!(asked.await, Ok(0));
    }
    assert_eq!(delays.take(), [first, 2 * first, 3 * first]);
    tokio::time::advance(settled).await;
    failing.tell(Tell::Panic("a")).unwrap();
    assert_eq!(failing.ask(Tell::Count).await, Ok(0));
    assert_eq!(delays.take(), [], "it had settled");
}

/// Has an actor block with these messages and a question behind in the same batch, until what is returned first is dropped.
async fn block_with(
    address: &Address<Tell>,
    batch: Vec<Tell>,
) -> (
    mpsc::Sender<()>,
    impl Future<Output = Result<u64, AskError>> + Send + use<>,
) {
    let ((first, until_all_is_there), (unblock, block)) = (mpsc::channel(), mpsc::channel());
    address.tell(Tell::Block(until_all_is_there)).unwrap();
    taken(address).await;
    address.tell(Tell::Block(block)).unwrap();
    for tell in batch {
        address.tell(tell).unwrap();
    }
    let asked = address.ask(Tell::Count);
    drop(first);
    taken(address).await;
    (unblock, asked)
}

/// Waits until the actor has taken all that it was told.
async fn taken(address: &Address<Tell>) {
    while address.backlog() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_start_that_fails_stops_those_before_it_in_reverse() {
    supervisor_lab::silence_actor_panics();
    let log = Log::default();
    let system = System::new();
    let panicking = Child::new("c", || -> Subject { panic!("no state") }).0;
    let spec = Spec::new(Strategy::OneForOne).observe(watch(&log));
    let spec = spec
        .child(child("a").0)
        .child(child("b").0)
        .child(panicking)
        .child(child("d").0);
    let error = spec.start(&system).await.unwrap_err();
    assert!(error.to_string().contains("no state"), "{error}");
    assert_eq!(
        log.take(),
        [starting("abc"), vec![Step::Exited("c".into())], stopping("ba")].concat()
    );
    assert!(system.is_empty());
}

#[tokio::test]
async fn a_factory_that_panics_at_a_restart_counts_as_a_restart() {
    supervisor_lab::silence_actor_panics();
    let made = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&made);
    let (child, address) = Child::new("a", move || {
        assert!(!(1..=2).contains(&counted.fetch_add(1, Ordering::Relaxed)), "not now");
        Subject::default()
    });
    let supervisor = start(one_for_one().child(child)).await;
    address.tell(Tell::Panic("a")).unwrap();
    assert_eq!(address.ask(Tell::Count).await, Ok(0));
    assert_eq!(made.load(Ordering::Relaxed), 4);
    address.tell(Tell::Panic("the fourth")).unwrap();
    assert!(matches!(supervisor.ended().await.exit, Exit::Failed(_)));
}

/// Counts how many of its kind are alive.
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>, most: &AtomicUsize) -> Self {
        let now = alive.fetch_add(1, Ordering::SeqCst) + 1;
        most.fetch_max(now, Ordering::SeqCst);
        Self(Arc::clone(alive))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        // Gives a premature successor the time to be born.
        std::thread::yield_now();
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Actor for Counted {
    type Message = bool;

    async fn handle(&mut self, panic: bool, _: &mut Context<bool>) -> Result<(), Failure> {
        assert!(!panic, "as told");
        tokio::task::yield_now().await;
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_incarnations_are_never_alive_together() {
    supervisor_lab::silence_actor_panics();
    let (alive, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (child, address) = Child::new("a", {
        let (alive, most) = (Arc::clone(&alive), Arc::clone(&most));
        move || Counted::new(&alive, &most)
    });
    let intensity = Intensity {
        restarts: u32::MAX,
        within: Duration::from_secs(1),
    };
    let supervisor = start(one_for_one().intensity(intensity).child(child)).await;
    for round in 0..3_000_u32 {
        match round % 3 {
            0 => address.tell(true).unwrap(),
            1 => address.stop(),
            _ => address.kill(),
        }
        address.tell(false).unwrap();
        if round % 7 == 0 {
            tokio::task::yield_now().await;
        }
    }
    supervisor.stop().await;
    assert_eq!((most.load(Ordering::SeqCst), alive.load(Ordering::SeqCst)), (1, 0));
}

/// Starts once, and then never again.
struct SlowStarter;

impl Actor for SlowStarter {
    type Message = ();

    async fn started(&mut self, context: &mut Context<()>) -> Result<(), Failure> {
        if context.incarnation() > 1 {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn handle(&mut self, (): (), context: &mut Context<()>) -> Result<(), Failure> {
        context.stop();
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_start_that_never_ends() {
    let (starter, address) = Child::new("a", || SlowStarter);
    let spec = one_for_one().child(starter.stop_within(Duration::from_secs(3)));
    let supervisor = start(spec.child(child("b").0)).await;
    address.tell(()).unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    supervisor.stop().await;
    assert_eq!(before.elapsed().as_secs(), 3);
    assert!(matches!(address.ended().await.exit, Exit::Killed));
}

#[tokio::test]
async fn messages_wait_for_the_next_incarnation_and_the_asker_of_the_one_in_hand_is_told() {
    let (child, address, notes) = noting("a");
    let _supervisor = start(one_for_one().child(child)).await;
    for tell in [
        Tell::Note(0),
        Tell::Note(1),
        Tell::Panic("a"),
        Tell::Note(2),
        Tell::Fail("a"),
        Tell::Note(3),
    ] {
        address.tell(tell).unwrap();
    }
    assert_eq!(address.ask(Tell::Count).await, Ok(1));
    assert_eq!(notes.take(), [0, 1, 2, 3]);
    address.tell(Tell::Hang).unwrap();
    let asked = address.ask(Tell::Count);
    settle().await;
    address.kill();
    assert_eq!(asked.await, Ok(0), "it waited in the mailbox");
}

#[tokio::test]
async fn permanent_and_transient_children() {
    for (restart, tell, again) in [
        (Restart::Permanent, Tell::Stop, true),
        (Restart::Permanent, Tell::Fail("it"), true),
        (Restart::Transient, Tell::Stop, false),
        (Restart::Transient, Tell::Fail("it"), true),
        (Restart::Transient, Tell::Panic("it"), true),
    ] {
        supervisor_lab::silence_actor_panics();
        let system = System::new();
        let (child, address) = child("it");
        let spec = one_for_one().child(child.restart(restart));
        let _supervisor = spec.start(&system).await.unwrap();
        address.tell(tell).unwrap();
        settle().await;
        let answer = if again { Ok(0) } else { Err(AskError::Closed) };
        assert_eq!(address.ask(Tell::Count).await, answer, "{restart:?}");
        assert_eq!(
            system.len(),
            1 + usize::from(again),
            "the supervisor and, if it was restarted, {restart:?}"
        );
        if !again {
            assert!(
                matches!(address.ended().await.exit, Exit::Normal),
                "nobody starts it again"
            );
        }
    }
}

#[tokio::test]
async fn a_child_that_its_group_starts_again_has_not_ended() {
    let ((a, failing), (b, done)) = (child("a"), child("b"));
    let spec = Spec::new(Strategy::OneForAll).intensity(often());
    let supervisor = start(spec.child(a).child(b.restart(Restart::Transient))).await;
    let ended = tokio::spawn(done.ended());
    for tell in [Tell::Stop, Tell::Note(1)] {
        done.tell(tell).unwrap();
    }
    settle().await;
    assert_eq!(done.ask(Tell::Count).await, Err(AskError::Closed));
    assert!(!ended.is_finished(), "its group may start it again");
    failing.tell(Tell::Panic("a")).unwrap();
    settle().await;
    assert_eq!(done.ask(Tell::Count).await, Ok(0));
    assert!(!ended.is_finished());
    supervisor.stop().await;
    let end = ended.await.unwrap();
    assert!(matches!(end.exit, Exit::Normal), "{}", end.exit);
    assert_eq!(end.unhandled, 1, "what its first incarnation left");
}

#[tokio::test]
async fn a_child_below_has_ended_when_its_supervisor_will_not_be_started_again() {
    let ((a, done), (b, failing)) = (child("a"), child("b"));
    let inner = one_for_one()
        .intensity(NONE)
        .child(a.restart(Restart::Transient))
        .child(b);
    let supervisor = start(one_for_one().child(Child::tree("inner", inner))).await;
    let ended = tokio::spawn(done.ended());
    done.tell(Tell::Stop).unwrap();
    settle().await;
    assert!(!ended.is_finished());
    // A restart of the inner supervisor begins with all that it had.
    failing.tell(Tell::Panic("b")).unwrap();
    settle().await;
    assert_eq!(done.ask(Tell::Count).await, Ok(0));
    done.tell(Tell::Stop).unwrap();
    settle().await;
    supervisor.stop().await;
    assert!(matches!(ended.await.unwrap().exit, Exit::Normal));
}

#[tokio::test(start_paused = true)]
async fn whoever_is_below_a_supervisor_that_is_killed_ends_after_it() {
    let ((a, hanging), (b, below)) = (child("a"), child("b"));
    let spec = one_for_one()
        .child(a)
        .child(Child::tree("lower", one_for_one().child(b)));
    let tree = Child::tree("tree", spec).stop_within(Duration::from_secs(1));
    let supervisor = start(one_for_one().child(tree)).await;
    for address in [&hanging, &below] {
        address.tell(Tell::Hang).unwrap();
    }
    settle().await;
    supervisor.stop().await;
    for address in [hanging, below] {
        assert!(matches!(address.ended().await.exit, Exit::Killed));
        assert_eq!(address.ask(Tell::Count).await, Err(AskError::Closed));
    }
}

#[tokio::test]
async fn a_supervisor_that_gives_up_is_restarted_by_its_own() {
    supervisor_lab::silence_actor_panics();
    let system = System::new();
    let ((a, failing), (b, sibling), (c, outside)) = (child("a"), child("b"), child("c"));
    let inner = one_for_one().intensity(NONE).child(a).child(b);
    let outer = one_for_one().child(c).child(Child::tree("inner", inner));
    let supervisor = outer.start(&system).await.unwrap();
    assert_eq!(system.len(), 5);
    for address in [&failing, &sibling, &outside] {
        address.tell(Tell::Note(0)).unwrap();
    }
    settle().await;
    failing.tell(Tell::Panic("a")).unwrap();
    settle().await;
    for (address, count) in [(&failing, 0), (&sibling, 0), (&outside, 1)] {
        assert_eq!(address.ask(Tell::Count).await, Ok(count));
    }
    assert_eq!(system.len(), 5);
    supervisor.stop().await;
    assert!(system.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_child_that_does_not_stop_is_killed_at_its_deadline() {
    let (a, hanging) = child("a");
    let (overdue, observer) = count(|news| matches!(news, News::Overdue));
    let spec = one_for_one().child(a.stop_within(Duration::from_secs(3)));
    let supervisor = start(spec.observe(observer)).await;
    hanging.tell(Tell::Hang).unwrap();
    hanging.tell(Tell::Note(0)).unwrap();
    settle().await;
    let before = tokio::time::Instant::now();
    supervisor.stop().await;
    assert_eq!(before.elapsed().as_secs(), 3);
    assert_eq!(overdue.len(), 1);
    let end = hanging.ended().await;
    assert!(matches!(end.exit, Exit::Killed));
    assert_eq!(end.unhandled, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_child_that_was_abandoned_begins_nothing_after_its_end_and_its_askers_are_told() {
    let (a, blocking, notes) = noting("a");
    let (abandoned, observer) = count(|news| matches!(news, News::Abandoned));
    let spec = one_for_one().child(a.stop_within(Duration::from_millis(10)));
    let supervisor = start(spec.observe(observer)).await;
    let (unblock, asked) = block_with(&blocking, vec![Tell::Note(1), Tell::Hang]).await;
    supervisor.stop().await;
    assert_eq!(abandoned.len(), 1);
    blocking.ended().await;
    drop(unblock);
    let answer = tokio::time::timeout(LOST_AFTER, asked).await;
    assert_eq!(answer, Ok(Err(AskError::Unanswered)));
    assert_eq!(notes.take(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_abandoned_incarnation_has_taken_does_not_come_after_later_messages() {
    let ((a, failing), (b, blocking, notes)) = (child("a"), noting("b"));
    let spec = Spec::new(Strategy::OneForAll).child(a);
    let _supervisor = start(spec.child(b.stop_within(Duration::from_millis(10)))).await;
    let (unblock, asked) = block_with(&blocking, vec![Tell::Note(1)]).await;
    failing.tell(Tell::Panic("a")).unwrap();
    blocking.tell(Tell::Note(2)).unwrap();
    assert_eq!(blocking.ask(Tell::Count).await, Ok(1), "of the second incarnation");
    drop(unblock);
    let answer = tokio::time::timeout(LOST_AFTER, asked).await;
    assert_eq!(answer, Ok(Err(AskError::Unanswered)));
    assert_eq!(notes.take(), [2]);
}

#[tokio::test]
async fn a_permanent_child_that_is_closed_is_restarted_once_and_takes_messages_again() {
    let (child, address, notes) = noting("a");
    let (started, observer) = count(|news| matches!(news, News::Started(_)));
    let _supervisor = start(one_for_one().child(child).observe(observer)).await;
    address.tell(Tell::Note(0)).unwrap();
    address.close();
    settle().await;
    assert_eq!(address.ask(Tell::Count).await, Ok(0), "asked of the next incarnation");
    assert_eq!(notes.take(), [0], "it handled what it had accepted");
    assert_eq!(started.len(), 2);
}

#[tokio::test]
async fn a_close_outlives_a_failure_before_the_last_message() {
    let (child, address, notes) = noting("a");
    let _supervisor = start(one_for_one().child(child.restart(Restart::Transient))).await;
    for tell in [Tell::Note(0), Tell::Panic("a"), Tell::Note(1)] {
        address.tell(tell).unwrap();
    }
    address.close();
    let end = address.ended().await;
    assert!(matches!(end.exit, Exit::Normal), "{}", end.exit);
    assert_eq!((end.unhandled, notes.take()), (0, vec![0, 1]));
}
