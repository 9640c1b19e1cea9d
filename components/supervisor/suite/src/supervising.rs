//! Statements about supervision.

use std::time::Duration;

use supervisor_contract::{Address, Behaviour, Branch, Flow, Restarts, Strategy, Supervises, Supervisor, System};
use supervisor_workload::children::{ANY_NUMBER, Child, Events, Kind, Nursery, Order, keep_quiet_about_crashes};

use super::gathered::{Body, Table};
use super::statements as the;
use super::waiting::{NOTHING_FOR, on_threads, require, until};

pub(super) fn statements<R: Supervises>() -> Table {
    vec![
        (the::CHILD_COMES_BACK, (|| on_threads(child_comes_back::<R>())) as Body),
        (the::GONE_BEFORE_MADE, || on_threads(gone_before_made::<R>())),
        (the::SIBLINGS_STAY, || {
            on_threads(restarted::<R>(Strategy::OneForOne, 1, &[1]))
        }),
        (the::ALL_COME_BACK, || {
            on_threads(restarted::<R>(Strategy::OneForAll, 1, &[0, 1, 2]))
        }),
        (the::REST_COMES_BACK, || {
            on_threads(restarted::<R>(Strategy::RestForOne, 1, &[1, 2]))
        }),
        (the::GIVES_UP, || on_threads(gives_up::<R>())),
        (the::ESCALATES, || on_threads(escalates::<R>())),
        (the::STOPS_IN_REVERSE, || on_threads(stops_in_reverse::<R>())),
        (the::LEAVER_STAYS_AWAY, || on_threads(leaver_stays_away::<R>())),
    ]
}

type Held<R> = <R as Supervises>::Supervisor<Order>;

/// A supervisor of children that are up.
async fn family<R: Supervises>(
    system: &R::System<Order>,
    children: usize,
    strategy: Strategy,
    restarts: Restarts,
) -> Result<(Held<R>, Events), String> {
    let (mut nursery, events) = Nursery::new();
    let branches = (0..children).map(|_| nursery.child()).collect();
    let tree = Branch::Supervisor {
        strategy,
        restarts,
        branches,
    };
    grown::<R, _, _>(system, tree, children, events).await
}

/// A tree whose children are up.
async fn grown<R, B, F>(
    system: &R::System<Order>,
    tree: Branch<F>,
    children: usize,
    mut events: Events,
) -> Result<(Held<R>, Events), String>
where
    R: Supervises,
    B: Behaviour<R::System<Order>>,
    F: Fn() -> B + Clone + Send + Sync + 'static,
{
    keep_quiet_about_crashes();
    let supervisor = R::supervise(system, tree)
        .await
        .map_err(|refusal| refusal.to_string())?;
    let (mut up, _) = events.up(children).await;
    up.sort_unstable();
    require(up.iter().copied().eq(0..children), || format!("{up:?} came up"))?;
    events.so_far();
    Ok((supervisor, events))
}

async fn crash<R: Supervises>(supervisor: &Held<R>, leaf: usize) -> Result<(), String> {
    let child = supervisor
        .child(leaf)
        .ok_or_else(|| format!("child {leaf} is nowhere"))?;
    child
        .tell(Order::Crash)
        .await
        .map_err(|_| format!("child {leaf} has ended"))
}

/// What happens until a child that was told to crash is gone and one is up, whichever is first.
async fn restart(events: &mut Events) -> Result<Vec<Kind>, String> {
    let mut seen = Vec::new();
    while !(seen.contains(&Kind::Gone) && seen.contains(&Kind::Up)) {
        let event = events
            .any()
            .await
            .ok_or_else(|| format!("after {seen:?} nothing more came"))?;
        seen.push(event.kind);
    }
    Ok(seen)
}

async fn child_comes_back<R: Supervises>() -> Result<(), String> {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 1, Strategy::OneForOne, ANY_NUMBER).await?;
    for round in 0..3 {
        crash::<R>(&supervisor, 0).await?;
        let made = events.next(Kind::Made).await;
        require(made.is_some(), || {
            format!("the factory was not called in round {round}")
        })?;
        let up = events.next(Kind::Up).await;
        require(up.is_some(), || format!("no message was handled in round {round}"))?;
    }
    supervisor.stop().await;
    Ok(())
}

/// A child that needs its time to go, as one does that gives back a file or a port.
struct Lingering {
    child: Child,
}

/// Long enough for somebody else to call the factory meanwhile, if nothing keeps him.
const LINGERS: Duration = Duration::from_millis(20);

impl<S: System<Message = Order>> Behaviour<S> for Lingering {
    async fn started(&mut self, me: &S::Address) {
        Behaviour::<S>::started(&mut self.child, me).await;
    }

    async fn handle(&mut self, order: Order) -> Flow {
        Behaviour::<S>::handle(&mut self.child, order).await
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        // Its child tells that it has gone when this is over: fields are dropped last.
        std::thread::sleep(LINGERS);
    }
}

async fn gone_before_made<R: Supervises>() -> Result<(), String> {
    // Whether a supervisor runs beside the end of its child is up to the scheduler; each has one restart, since some
    // wait longer before each further one.
    for _ in 0..10 {
        let system = R::start::<Order>().await;
        let (mut nursery, events) = Nursery::new();
        let Branch::Child(make) = nursery.child() else {
            return Err("a nursery makes children".to_owned());
        };
        let tree = Branch::Supervisor {
            strategy: Strategy::OneForOne,
            restarts: ANY_NUMBER,
            branches: vec![Branch::Child(move || Lingering { child: make() })],
        };
        let (supervisor, mut events) = grown::<R, _, _>(&system, tree, 1, events).await?;
        crash::<R>(&supervisor, 0).await?;
        let seen = restart(&mut events).await?;
        require(seen[..2] == [Kind::Crashing, Kind::Gone], || format!("{seen:?}"))?;
        supervisor.stop().await;
    }
    Ok(())
}

/// Crashes one of three, and demands who goes, in which order, and who comes back.
async fn restarted<R: Supervises>(strategy: Strategy, fails: usize, concerned: &'static [usize]) -> Result<(), String> {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 3, strategy, ANY_NUMBER).await?;
    crash::<R>(&supervisor, fails).await?;
    let mut seen = Vec::new();
    let (mut gone, mut up) = (0, 0);
    while gone < concerned.len() || up < concerned.len() {
        let event = events
            .any()
            .await
            .ok_or_else(|| format!("after {seen:?} nothing more came"))?;
        gone += usize::from(event.kind == Kind::Gone);
        up += usize::from(event.kind == Kind::Up);
        seen.push((event.kind, event.leaf));
    }
    // Whoever else is restarted would have to come now.
    tokio::time::sleep(NOTHING_FOR).await;
    seen.extend(events.so_far().into_iter().map(|event| (event.kind, event.leaf)));
    let of = |kind: Kind| {
        seen.iter()
            .filter(|(seen, _)| *seen == kind)
            .map(|(_, leaf)| *leaf)
            .collect::<Vec<_>>()
    };
    // The one that failed is gone first; its siblings are stopped in the reverse order of their start.
    let mut gone = vec![fails];
    gone.extend(concerned.iter().rev().filter(|leaf| **leaf != fails));
    require(of(Kind::Gone) == gone, || {
        format!("{:?} went, not {gone:?}: {seen:?}", of(Kind::Gone))
    })?;
    require(of(Kind::Made) == concerned, || {
        format!("{:?} were made, not {concerned:?}", of(Kind::Made))
    })?;
    let last_gone = seen.iter().rposition(|(kind, _)| *kind == Kind::Gone);
    let first_made = seen.iter().position(|(kind, _)| *kind == Kind::Made);
    // Of one alone that is a statement of its own.
    require(last_gone < first_made || concerned.len() == 1, || {
        format!("one was made before all were gone: {seen:?}")
    })?;
    supervisor.stop().await;
    Ok(())
}

async fn gives_up<R: Supervises>() -> Result<(), String> {
    let system = R::start::<Order>().await;
    let restarts = Restarts {
        at_most: 2,
        within: Duration::from_secs(60),
    };
    let (supervisor, mut events) = family::<R>(&system, 2, Strategy::OneForOne, restarts).await?;
    for _ in 0..2 {
        crash::<R>(&supervisor, 0).await?;
        restart(&mut events).await?;
    }
    events.so_far();
    crash::<R>(&supervisor, 0).await?;
    let mut gone = vec![events.next(Kind::Gone).await.ok_or("it did not crash")?.leaf];
    gone.extend(events.next(Kind::Gone).await.map(|event| event.leaf));
    gone.sort_unstable();
    require(gone == [0, 1], || format!("{gone:?} went"))?;
    tokio::time::sleep(NOTHING_FOR).await;
    let more = events.so_far();
    require(more.iter().all(|event| event.kind != Kind::Made), || {
        format!("and then {more:?}")
    })?;
    until("nobody is to be found", || {
        supervisor.child(0).is_none() && supervisor.child(1).is_none()
    })
    .await
}

async fn escalates<R: Supervises>() -> Result<(), String> {
    let system = R::start::<Order>().await;
    let (mut nursery, events) = Nursery::new();
    let never = Restarts {
        at_most: 0,
        within: Duration::from_secs(60),
    };
    let below = Branch::Supervisor {
        strategy: Strategy::OneForOne,
        restarts: never,
        branches: vec![nursery.child(), nursery.child()],
    };
    let tree = Branch::Supervisor {
        strategy: Strategy::OneForOne,
        restarts: ANY_NUMBER,
        branches: vec![below, nursery.child()],
    };
    let (supervisor, mut events) = grown::<R, _, _>(&system, tree, 3, events).await?;
    crash::<R>(&supervisor, 0).await?;
    let (mut up, _) = events.up(2).await;
    up.sort_unstable();
    require(up == [0, 1], || {
        format!("{up:?} came back, not those below the one that gave up")
    })?;
    supervisor.stop().await;
    Ok(())
}

async fn stops_in_reverse<R: Supervises>() -> Result<(), String> {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 4, Strategy::OneForOne, ANY_NUMBER).await?;
    supervisor.stop().await;
    let gone: Vec<usize> = events.so_far().iter().map(|event| event.leaf).collect();
    require(gone == [3, 2, 1, 0], || {
        format!("{gone:?} had gone when it had stopped")
    })
}

async fn leaver_stays_away<R: Supervises>() -> Result<(), String> {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 1, Strategy::OneForOne, ANY_NUMBER).await?;
    let child = supervisor.child(0).ok_or("the child is nowhere")?;
    child
        .tell(Order::Leave)
        .await
        .map_err(|_| "the child has ended".to_owned())?;
    events.next(Kind::Gone).await.ok_or("it did not leave")?;
    tokio::time::sleep(NOTHING_FOR).await;
    let more = events.so_far();
    require(more.is_empty(), || format!("then came {more:?}"))?;
    supervisor.stop().await;
    Ok(())
}
