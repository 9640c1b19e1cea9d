//! Children that crash when they are told to, and tell when they are back.

use std::panic::panic_any;
use std::sync::Once;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use supervisor_contract::{Address, Behaviour, Branch, Flow, Restarts, System};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// What a child takes.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Order {
    /// From itself, when it has started: its first message.
    First,
    /// Panics.
    Crash,
    /// Ends, of its own will.
    Leave,
}

/// The payload of a panic on purpose: the hook that prints panics leaves it out.
pub struct OnPurpose;

/// Panics on purpose are not printed: what that takes is no part of a restart.
pub fn keep_quiet_about_crashes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(leave_them_out);
}

fn leave_them_out() {
    let printing = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.payload().is::<OnPurpose>() {
            printing(info);
        }
    }));
}

/// What happened to a child.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Of the tree, counted from zero.
    pub leaf: usize,
    /// What.
    pub kind: Kind,
    /// When.
    pub at: Instant,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Its factory was called.
    Made,
    /// It has handled its first message.
    Up,
    /// It is about to panic.
    Crashing,
    /// It was dropped.
    Gone,
}

/// Crashes and leaves when it is told to, and tells what happens to it.
#[derive(Debug)]
pub struct Child {
    leaf: usize,
    events: UnboundedSender<Event>,
}

impl Child {
    #[inline]
    fn tell(&self, kind: Kind) {
        // Nobody listens any more when a scenario has ended by an error.
        let _ = self.events.send(Event {
            leaf: self.leaf,
            kind,
            at: Instant::now(),
        });
    }
}

impl<S: System<Message = Order>> Behaviour<S> for Child {
    async fn started(&mut self, me: &S::Address) {
        let _ = me.tell(Order::First).await;
    }

    async fn handle(&mut self, order: Order) -> Flow {
        match order {
            Order::First => self.tell(Kind::Up),
            Order::Crash => {
                self.tell(Kind::Crashing);
                panic_any(OnPurpose);
            }
            Order::Leave => return Flow::Stop,
        }
        Flow::Continue
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.tell(Kind::Gone);
    }
}

/// Where children of a tree tell what happens to them.
pub struct Nursery {
    events: UnboundedSender<Event>,
    leaves: usize,
}

/// Where that is heard.
pub struct Events(UnboundedReceiver<Event>);

impl Nursery {
    /// Without children.
    pub fn new() -> (Self, Events) {
        let (events, heard) = unbounded_channel();
        (Nursery { events, leaves: 0 }, Events(heard))
    }

    /// The next leaf of the tree.
    pub fn child(&mut self) -> Branch<impl Fn() -> Child + Clone + Send + Sync + 'static + use<>> {
        let leaf = self.leaves;
        self.leaves += 1;
        let events = self.events.clone();
        Branch::Child(move || {
            let child = Child {
                leaf,
                events: events.clone(),
            };
            child.tell(Kind::Made);
            child
        })
    }
}

/// Nothing comes any more if nothing has come by then.
pub const LOST_AFTER: Duration = Duration::from_secs(10);

impl Events {
    /// The next event of a kind; others are passed over.
    pub async fn next(&mut self, kind: Kind) -> Option<Event> {
        let search = async {
            loop {
                let event = self.0.recv().await?;
                if event.kind == kind {
                    return Some(event);
                }
            }
        };
        timeout(LOST_AFTER, search).await.ok().flatten()
    }

    /// The next event of any kind.
    pub async fn any(&mut self) -> Option<Event> {
        timeout(LOST_AFTER, self.0.recv()).await.ok().flatten()
    }

    /// Waits until so many children are up, and gives back which, in the order in which they came, and when the last
    /// one was.
    pub async fn up(&mut self, count: usize) -> (Vec<usize>, Instant) {
        let (mut leaves, mut last) = (Vec::with_capacity(count), Instant::now());
        while leaves.len() < count
            && let Some(event) = self.next(Kind::Up).await
        {
            leaves.push(event.leaf);
            last = event.at;
        }
        (leaves, last)
    }

    /// What has been told by now.
    pub fn so_far(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.0.try_recv().ok()).collect()
    }
}

/// As often as anybody wants.
pub const ANY_NUMBER: Restarts = Restarts {
    at_most: u32::MAX,
    within: Duration::from_secs(60),
};
