//! Statements about supervision.

use std::time::Duration;

use supervisor_contract::{
    Address, Behaviour, Branch, Flow, Makes, Restarts, Strategy, Supervises, Supervisor, System,
};
use supervisor_workload::children::{ANY_NUMBER, Child, Events, Kind, Nursery, Order, keep_quiet_about_crashes};

use super::waiting::{NOTHING_FOR, Verdict, require, until};

type Held<R> = <R as Supervises>::Supervisor<Order>;

/// A supervisor of children that are up.
async fn family<R: Supervises>(
    system: &R::System<Order>,
    children: usize,
    strategy: Strategy,
    restarts: Restarts,
) -> Result<(Held<R>, Events), String> {
    let (mut nursery, events) = Nursery::new();
    let tree = Branch::supervisor(strategy, restarts, (0..children).map(|_| nursery.child()));
    grown::<R>(system, tree, children, events).await
}

/// A tree whose children are up.
async fn grown<R: Supervises>(
    system: &R::System<Order>,
    tree: Branch<impl Makes<R::System<Order>>>,
    children: usize,
    mut events: Events,
) -> Result<(Held<R>, Events), String> {
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

async fn tell<R: Supervises>(supervisor: &Held<R>, leaf: usize, order: Order) -> Verdict {
    let child = supervisor.child(leaf);
    let child = child.ok_or_else(|| format!("child {leaf} is nowhere"))?;
    let told = child.tell(order).await;
    told.map_err(|_| format!("child {leaf} has ended"))
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

pub(super) async fn child_comes_back<R: Supervises>() -> Verdict {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 1, Strategy::OneForOne, ANY_NUMBER).await?;
    for round in 0..3 {
        tell::<R>(&supervisor, 0, Order::Crash).await?;
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

pub(super) async fn gone_before_made<R: Supervises>() -> Verdict {
    // Whether a supervisor runs beside the end of its child is up to the scheduler; each has one restart, since some
    // wait longer before each further one.
    for _ in 0..10 {
        let system = R::start::<Order>().await;
        let (mut nursery, events) = Nursery::new();
        let Branch::Child(make) = nursery.child() else {
            return Err("a nursery makes children".to_owned());
        };
        let lingering = Branch::Child(move || Lingering { child: make() });
        let tree = Branch::supervisor(Strategy::OneForOne, ANY_NUMBER, [lingering]);
        let (supervisor, mut events) = grown::<R>(&system, tree, 1, events).await?;
        tell::<R>(&supervisor, 0, Order::Crash).await?;
        let seen = restart(&mut events).await?;
        require(seen[..2] == [Kind::Crashing, Kind::Gone], || format!("{seen:?}"))?;
        supervisor.stop().await;
    }
    Ok(())
}

/// Crashes one of three, and demands who goes, in which order, and who comes back.
pub(super) async fn restarted<R: Supervises>(strategy: Strategy, fails: usize, concerned: &'static [usize]) -> Verdict {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 3, strategy, ANY_NUMBER).await?;
    tell::<R>(&supervisor, fails, Order::Crash).await?;
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

pub(super) async fn gives_up<R: Supervises>() -> Verdict {
    let system = R::start::<Order>().await;
    let restarts = Restarts {
        at_most: 2,
        within: Duration::from_secs(60),
    };
    let (supervisor, mut events) = family::<R>(&system, 2, Strategy::OneForOne, restarts).await?;
    for _ in 0..2 {
        tell::<R>(&supervisor, 0, Order::Crash).await?;
        restart(&mut events).await?;
    }
    events.so_far();
    tell::<R>(&supervisor, 0, Order::Crash).await?;
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

pub(super) async fn escalates<R: Supervises>() -> Verdict {
    let system = R::start::<Order>().await;
    let (mut nursery, events) = Nursery::new();
    let never = Restarts {
        at_most: 0,
        within: Duration::from_secs(60),
    };
    let below = Branch::supervisor(Strategy::OneForOne, never, [nursery.child(), nursery.child()]);
    let tree = Branch::supervisor(Strategy::OneForOne, ANY_NUMBER, [below, nursery.child()]);
    let (supervisor, mut events) = grown::<R>(&system, tree, 3, events).await?;
    tell::<R>(&supervisor, 0, Order::Crash).await?;
    let (mut up, _) = events.up(2).await;
    up.sort_unstable();
    require(up == [0, 1], || {
        format!("{up:?} came back, not those below the one that gave up")
    })?;
    supervisor.stop().await;
    Ok(())
}

pub(super) async fn stops_in_reverse<R: Supervises>() -> Verdict {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 4, Strategy::OneForOne, ANY_NUMBER).await?;
    supervisor.stop().await;
    let gone: Vec<usize> = events.so_far().iter().map(|event| event.leaf).collect();
    require(gone == [3, 2, 1, 0], || {
        format!("{gone:?} had gone when it had stopped")
    })
}

pub(super) async fn leaver_stays_away<R: Supervises>() -> Verdict {
    let system = R::start::<Order>().await;
    let (supervisor, mut events) = family::<R>(&system, 1, Strategy::OneForOne, ANY_NUMBER).await?;
    tell::<R>(&supervisor, 0, Order::Leave).await?;
    events.next(Kind::Gone).await.ok_or("it did not leave")?;
    tokio::time::sleep(NOTHING_FOR).await;
    let more = events.so_far();
    require(more.is_empty(), || format!("then came {more:?}"))?;
    supervisor.stop().await;
    Ok(())
}
