//! What an actor that waits costs: its task, its mailbox, its place in the registry and an address, on the heap.
//!
//! By itself in its program, because the allocator counts for all threads.

use std::alloc::System as Heap;
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use supervisor_lab::{Actor, Context, Failure, System};

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
    stats.bytes_allocated - stats.bytes_deallocated
}

/// Lets the actors do whatever they have to do: a paused clock advances only when no task can run.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn an_actor_costs_at_most_half_a_kibibyte_and_nothing_when_it_is_gone() {
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
}
