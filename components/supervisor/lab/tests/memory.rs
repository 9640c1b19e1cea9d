//! What is on the heap: of an actor that waits, its task, its mailbox, its place in the registry and an address; of topics and
//! mailboxes, which grow with a burst, what is left of it afterwards.
//!
//! By themselves in their program and one after the other, because the allocator counts for all threads.

use std::alloc::System as Heap;
use std::future::Future;
use std::num::NonZeroUsize;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Polled, Waker};
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use supervisor_lab::broker::{Received, Subscription, Topic};
use supervisor_lab::{Actor, Context, Failure, System, channel};
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

/// What a topic or a mailbox may keep, in bytes: its small buffers, and what the harness allocates meanwhile, ten KiB for the first test
/// that is over.
const KEPT: usize = 64 << 10;
const PAYLOADS: usize = 100_000;

async fn publish_all(topic: &Topic<usize>) {
    let payload = Arc::new(0);
    for _ in 0..PAYLOADS {
        topic.publish(Arc::clone(&payload)).await;
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
        let topic = Topic::new();
        let mut subscription = topic.subscribe();
        let region = Region::new(HEAP);
        publish_all(&topic).await;
        let full = bytes(&region);
        assert!(full > size_of::<Arc<usize>>() * PAYLOADS, "{full} B for all of them");
        read_all(&mut subscription, PAYLOADS).await;
        let read = bytes(&region);
        assert!(read < KEPT, "{read} B when all is read");

        publish_all(&topic).await;
        drop(subscription);
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when the reader has left");
    });
}

#[test]
fn a_topic_gives_memory_back_when_no_subscriber_sleeps_any_more() {
    alone(unconstrained(async {
        let topic = Topic::new();
        let mut sleepers: Vec<_> = (0..PAYLOADS).map(|_| topic.subscribe()).collect();
        let mut context = Polled::from_waker(Waker::noop());
        let region = Region::new(HEAP);
        for sleeper in &mut sleepers {
            assert!(pin!(sleeper.receive()).poll(&mut context).is_pending());
        }
        assert_eq!(topic.publish(0).await, PAYLOADS);
        for sleeper in &mut sleepers {
            read_all(sleeper, 1).await;
        }
        let left = bytes(&region);
        assert!(left < KEPT, "{left} B when all were woken");
    }));
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
