//! What is on the heap: of an actor that waits, its task, its mailbox, its place in the registry and an address; of a broker,
//! what it keeps once everything was read; of whatever else grows with a burst, what is left of it afterwards.
//!
//! By themselves in their program and one after the other, because the allocator counts for all threads.

use std::alloc::System as Heap;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Polled, Poll, Waker};
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use supervisor_lab::broker::{Broker, Received, Slow, Subscription, Topic};
use supervisor_lab::supervisor::{Child, Restart, Spec, Strategy};
use supervisor_lab::{Actor, Address, Context, Failure, System, channel};
use tokio::runtime;
use tokio::task::unconstrained;

#[global_allocator]
static HEAP: &StatsAlloc<Heap> = &INSTRUMENTED_SYSTEM;

struct Counter(u64);

impl Actor for Counter {
    type Message = u64;

    async fn handle(&mut self, more: u64, _: &mut Context<u64>) -> Result<(), Failure> {
        self.0 += more;
        Ok(())
    }
}

fn bytes(region: &Region<'_, Heap>) -> usize {
    let stats = region.change();
    // The harness may free what it had before.
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

/// Runs the tests in turn.
fn alone(test: impl Future<Output = ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut builder = runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(test);
}

/// Lets the actors do whatever they have to do: a paused clock advances only when no task can run.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[test]
fn an_actor_costs_at_most_half_a_kibibyte_and_nothing_when_it_is_gone() {
    alone(async {
        const ACTORS: usize = 10_000;
        let system = System::new();
        let region = Region::new(HEAP);
        let addresses: Vec<_> = (0..ACTORS).map(|_| system.spawn(Counter(0))).collect();
        settle().await;
        let idle = bytes(&region) / ACTORS;
        assert!(idle <= 512, "{idle} B, never told anything");

        for address in &addresses {
            address.tell(1).unwrap();
        }
        settle().await;
        let told = bytes(&region) / ACTORS;
        assert!(told <= 512, "{told} B after one message");

        for address in &addresses {
            (0..1_000).for_each(|message| address.tell(message).unwrap());
        }
        settle().await;
        let burst = bytes(&region) / ACTORS;
        assert!(burst <= 512, "{burst} B after a burst of a thousand messages");

        for address in addresses {
            address.close();
            address.ended().await;
        }
        let left = bytes(&region) / ACTORS;
        assert!(left < 64, "{left} B of each are left");
        eprintln!("bytes per actor: idle {idle}, told {told}, after a burst {burst}, gone {left}");
    });
}

#[test]
fn a_message_that_comes_alone_is_allocated_nowhere() {
    const MESSAGES: usize = 1_000;

    struct Reader;

    impl Actor for Reader {
        type Message = [u8; 1024];

        async fn handle(&mut self, _: [u8; 1024], _: &mut Context<[u8; 1024]>) -> Result<(), Failure> {
            Ok(())
        }
    }

    alone(async {
        let address = System::new().spawn(Reader);
        settle().await;
        let region = Region::new(HEAP);
        for _ in 0..MESSAGES {
            address.tell([0; 1024]).unwrap();
            settle().await;
            assert_eq!(address.backlog(), 0);
        }
        let allocations = region.change().allocations;
        // What tests that wait for their turn allocate counts, too.
        assert!(allocations < MESSAGES / 10, "{allocations} for {MESSAGES} messages");
    });
}

/// What a broker may keep, in bytes: its small buffers, and what the harness allocates meanwhile, ten KiB for the first test
/// that is over.
const KEPT: usize = 64 << 10;
const PAYLOADS: usize = 100_000;

fn publish_all(topic: &Topic<usize>) {
    let payload = Arc::new(0);
    for _ in 0..PAYLOADS {
        topic.try_publish(Arc::clone(&payload)).unwrap();
    }
}

async fn read_all(subscription: &mut Subscription<usize>, payloads: usize) {
    for _ in 0..payloads {
        assert!(matches!(subscription.receive().await, Received::Payload(_)));
    }
}

#[test]
fn a_topic_gives_memory_back_when_all_is_read_and_when_its_reader_leaves() {
    alone(async {
        let topic = Topic::new(Slow::Unlimited);
        let mut subscription = topic.subscribe();
        let region = Region::new(HEAP);
        publish_all(&topic);
        let full = bytes(&region);
        assert!(full > size_of::<Arc<usize>>() * PAYLOADS, "{full} B for all of them");
        read_all(&mut subscription, PAYLOADS).await;
        let read = bytes(&region);
        assert!(read < KEPT, "{read} B when all is read");

        publish_all(&topic);
        drop(subscription);
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when the reader has left");
    });
}

#[test]
fn a_topic_gives_memory_back_when_no_publisher_waits_any_more() {
    alone(unconstrained(async {
        let topic = Topic::new(Slow::HoldsUp(1.try_into().unwrap()));
        let mut subscription = topic.subscribe();
        let region = Region::new(HEAP);
        assert_eq!(topic.publish(0).await, 1);
        let mut context = Polled::from_waker(Waker::noop());
        let mut publishers: Vec<_> = (0..PAYLOADS).map(|payload| Box::pin(topic.publish(payload))).collect();
        for publisher in &mut publishers {
            assert_eq!(publisher.as_mut().poll(&mut context), Poll::Pending);
        }
        read_all(&mut subscription, 1 + PAYLOADS).await;
        for publisher in &mut publishers {
            assert_eq!(publisher.as_mut().poll(&mut context), Poll::Ready(1));
        }
        drop(publishers);
        assert_eq!(topic.publish(0).await, 1);
        read_all(&mut subscription, 1).await;
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when all is read");
    }));
}

#[test]
fn a_topic_gives_memory_back_when_no_subscriber_sleeps_any_more() {
    alone(unconstrained(async {
        let topic = Topic::new(Slow::HoldsUp(NonZeroUsize::MIN));
        let mut slow = topic.subscribe();
        let mut sleepers: Vec<_> = (0..PAYLOADS).map(|_| topic.subscribe()).collect();
        assert_eq!(topic.publish(0).await, 1 + PAYLOADS);
        let mut context = Polled::from_waker(Waker::noop());
        let mut publisher = Box::pin(topic.publish(1));
        assert!(publisher.as_mut().poll(&mut context).is_pending());
        for sleeper in &mut sleepers {
            read_all(sleeper, 1).await;
        }
        let region = Region::new(HEAP);
        for sleeper in &mut sleepers {
            assert!(sleeper.poll_receive(&mut context).is_pending());
        }
        read_all(&mut slow, 1).await;
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when all were woken");
    }));
}

#[test]
fn a_broker_gives_memory_back_when_its_topics_are_not_used_any_more() {
    alone(async {
        let broker = Broker::<usize, str>::new(Slow::Unlimited);
        let region = Region::new(HEAP);
        let topics: Vec<_> = (0..PAYLOADS).map(|name| broker.topic(name)).collect();
        drop(topics);
        assert_eq!(broker.prune(), 0);
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B without topics");
    });
}

#[test]
fn a_mailbox_gives_memory_back_when_no_sender_waits_any_more() {
    alone(unconstrained(async {
        let (sender, mut receiver) = channel::bounded(NonZeroUsize::MIN);
        let region = Region::new(HEAP);
        let mut context = Polled::from_waker(Waker::noop());
        sender.try_send(PAYLOADS).unwrap();
        let mut sendings: Vec<_> = (0..PAYLOADS).map(|message| sender.send(message)).collect();
        for sending in &mut sendings {
            assert!(Pin::new(sending).poll(&mut context).is_pending());
        }
        for _ in 0..=PAYLOADS {
            assert!(receiver.receive().await.is_some());
        }
        assert!(Box::pin(receiver.receive()).as_mut().poll(&mut context).is_pending());
        drop(sendings);
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when all is received");
    }));
}

/// Named actors, or a supervisor's children; of each, what may be left of what listed it, in bytes: the registry's small maps
/// are 15 by that count.
const CROWD: usize = 20_000;
const LEFT: usize = 24;

/// Ends the crowd that was spawned since `region` began.
async fn nothing_is_left_of(crowd: Vec<Address<u64>>, region: &Region<'_, Heap>) {
    for address in crowd {
        address.close();
        address.ended().await;
    }
    settle().await;
    let left = bytes(region) / CROWD;
    assert!(left < LEFT, "{left} B of each are left");
}

#[test]
fn names_are_gone_with_their_actors() {
    alone(async {
        let system = System::new();
        let region = Region::new(HEAP);
        let named = |number: usize| system.actor(Counter(0)).spawn_as(number.to_string()).unwrap();
        let addresses: Vec<_> = (0..CROWD).map(named).collect();
        nothing_is_left_of(addresses, &region).await;
    });
}

#[test]
fn a_supervisor_keeps_nothing_of_children_that_are_gone() {
    alone(async {
        let system = System::new();
        let supervisor = Spec::new(Strategy::OneForOne).start(&system).await.unwrap();
        let region = Region::new(HEAP);
        let mut addresses = Vec::new();
        for _ in 0..CROWD {
            let (child, address) = Child::new("one of many", || Counter(0));
            supervisor.add(child.restart(Restart::Temporary)).await.unwrap();
            addresses.push(address);
        }
        nothing_is_left_of(addresses, &region).await;
    });
}
