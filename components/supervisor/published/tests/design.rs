//! What a user of the design runs into, each as a test that needs no luck. What the report says of it is in `report.rs`.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use supervisor_published::{
    Actor, ActorAddress, ActorContext, ActorSystem, Child, ErrorAction, InMemoryBroker, MessageBroker, MessageEnvelope,
    NoopMonitor, OneForOne, Supervisor, SupervisorNode, SystemConfig,
};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, timeout};

const LIMIT: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
enum Note {
    Number(u64),
    Fail,
}

#[derive(Debug)]
struct Failed;

impl std::fmt::Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("failed on purpose")
    }
}

impl std::error::Error for Failed {}

/// Passes numbers on, and wants to be restarted when it fails.
struct Wants {
    action: ErrorAction,
    handled: UnboundedSender<u64>,
}

#[async_trait]
impl Actor for Wants {
    type Message = Note;
    type Error = Failed;

    async fn handle_message(&mut self, note: Note, _context: &mut ActorContext<Note>) -> Result<(), Failed> {
        match note {
            Note::Number(number) => {
                let _ = self.handled.send(number);
                Ok(())
            }
            Note::Fail => Err(Failed),
        }
    }

    async fn on_error(&mut self, _error: Failed, _context: &mut ActorContext<Note>) -> ErrorAction {
        self.action
    }
}

fn to(recipient: &ActorAddress, note: Note) -> MessageEnvelope<Note> {
    let mut envelope = MessageEnvelope::new(note);
    envelope.reply_to = Some(recipient.clone());
    envelope
}

async fn system() -> ActorSystem<Note> {
    let config = SystemConfig {
        shutdown_timeout: Duration::from_millis(50),
        ..SystemConfig::default()
    };
    ActorSystem::new(config, InMemoryBroker::new()).await.unwrap()
}

/// A payload whose first clone for the second subscriber waits until the first subscriber has replied: a responder that
/// is faster than the rest of the publish, without luck.
#[derive(Debug, Deserialize, Serialize)]
struct Slow {
    reply: bool,
    #[serde(skip)]
    meeting: Option<Arc<Meeting>>,
}

#[derive(Debug, Default)]
struct Meeting {
    clones: AtomicUsize,
    replied: AtomicUsize,
}

impl Clone for Slow {
    fn clone(&self) -> Self {
        if let Some(meeting) = &self.meeting {
            // The first clone is the request's own, the second the first subscriber's, the third the second one's.
            if meeting.clones.fetch_add(1, Ordering::AcqRel) == 2 {
                while meeting.replied.load(Ordering::Acquire) == 0 {
                    std::thread::yield_now();
                }
            }
        }
        Slow {
            reply: self.reply,
            meeting: self.meeting.clone(),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reply_that_is_faster_than_the_registration_is_lost() {
    let broker = InMemoryBroker::<Slow>::new();
    let mut responder = broker.subscribe().await.unwrap();
    let _bystander = broker.subscribe().await.unwrap();
    let meeting = Arc::<Meeting>::default();
    let (replies, met) = (broker.clone(), Arc::clone(&meeting));
    tokio::spawn(async move {
        let request = responder.recv().await.unwrap();
        let mut reply = MessageEnvelope::new(Slow {
            reply: true,
            meeting: None,
        });
        reply.correlation_id = request.correlation_id;
        replies.publish(reply).await.unwrap();
        met.replied.store(1, Ordering::Release);
    });
    let request = MessageEnvelope::new(Slow {
        reply: false,
        meeting: Some(Arc::clone(&meeting)),
    });
    let outcome = broker.publish_request(request, Duration::from_millis(200)).await;
    assert_eq!(meeting.replied.load(Ordering::Acquire), 1, "the reply was published");
    assert!(outcome.is_err(), "and reached whoever asked: {outcome:?}");
}

#[tokio::test]
async fn a_reply_that_is_slower_arrives() {
    let broker = InMemoryBroker::<Note>::new();
    let mut responder = broker.subscribe().await.unwrap();
    let replies = broker.clone();
    tokio::spawn(async move {
        let request = responder.recv().await.unwrap();
        let mut reply = MessageEnvelope::new(Note::Number(2));
        reply.correlation_id = request.correlation_id;
        replies.publish(reply).await.unwrap();
    });
    let reply = broker
        .publish_request(MessageEnvelope::new(Note::Number(1)), LIMIT)
        .await
        .unwrap();
    assert_eq!(reply.unwrap().payload, Note::Number(2));
}

#[tokio::test]
async fn an_actor_that_has_ended_stays_on_the_books_and_messages_to_it_are_accepted() {
    let system = system().await;
    let (handled, mut heard) = unbounded_channel();
    let address = system
        .spawn(
            Wants {
                action: ErrorAction::Stop,
                handled,
            },
            None,
            0,
        )
        .unwrap();
    system.broker().publish(to(&address, Note::Fail)).await.unwrap();
    assert_eq!(timeout(LIMIT, heard.recv()).await.unwrap(), None, "it was dropped");
    assert_eq!(system.actor_count(), 1);
    assert!(system.broker().publish(to(&address, Note::Number(1))).await.is_ok());
}

#[tokio::test]
async fn restart_only_ends_the_actor() {
    for action in [ErrorAction::Restart, ErrorAction::Escalate] {
        let system = system().await;
        let (handled, mut heard) = unbounded_channel();
        let address = system.spawn(Wants { action, handled }, None, 0).unwrap();
        system.broker().publish(to(&address, Note::Fail)).await.unwrap();
        system.broker().publish(to(&address, Note::Number(1))).await.unwrap();
        assert_eq!(
            timeout(LIMIT, heard.recv()).await.unwrap(),
            None,
            "it is gone after {action:?}"
        );
    }
}

#[tokio::test]
async fn a_shutdown_without_actors_ends() {
    assert_eq!(system().await.shutdown().await, Ok(()));
}

/// Nothing to start or to stop.
struct Still;

#[async_trait]
impl Child for Still {
    type Error = Infallible;

    async fn start(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    async fn stop(&mut self, _limit: Duration) -> Result<(), Infallible> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_does_nothing_else_while_a_restart_waits() {
    let mut node = SupervisorNode::<OneForOne, Still>::new(NoopMonitor);
    let first = node.child("first").factory(|| Still).spawn().await.unwrap();
    let second = node.child("second").factory(|| Still).spawn().await.unwrap();
    let begun = Instant::now();
    // Nobody can ask it for two at once: each takes it whole. The clock is tokio's own and stands still but for timers.
    node.restart_child(first).await.unwrap();
    node.restart_child(second).await.unwrap();
    assert_eq!(begun.elapsed().as_millis(), 200);
}
