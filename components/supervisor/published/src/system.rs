//! Where actors run.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use parking_lot::RwLock;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::{
    Actor, ActorAddress, ActorContext, ErrorAction, InMemoryBroker, Message, MessageBroker, MessageEnvelope,
    MessageStream,
};

/// How a system behaves.
#[derive(Clone, Debug)]
pub struct SystemConfig {
    /// How many actors may be on the books; 0 for any number.
    pub max_actors: usize,
    /// How long [`ActorSystem::shutdown`] waits.
    pub shutdown_timeout: Duration,
}

impl Default for SystemConfig {
    fn default() -> Self {
        SystemConfig {
            max_actors: 0,
            shutdown_timeout: Duration::from_secs(30),
        }
    }
}

/// Actors of one type of message, reached through one broker.
#[derive(Debug)]
pub struct ActorSystem<M: Message> {
    inner: Arc<Inner<M>>,
}

#[derive(Debug)]
struct Inner<M: Message> {
    config: SystemConfig,
    broker: InMemoryBroker<M>,
    actors: RwLock<HashMap<ActorAddress, Metadata<M>>>,
    state: RwLock<State>,
    router: RwLock<Option<JoinHandle<()>>>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    Running,
    ShuttingDown,
    Stopped,
}

/// What the system keeps of an actor, for good.
#[derive(Debug)]
struct Metadata<M: Message> {
    #[allow(dead_code, reason = "upstream keeps it, and it takes room")]
    name: Option<String>,
    #[allow(dead_code, reason = "upstream keeps it, and it takes room")]
    spawned_at: DateTime<Utc>,
    mailbox: UnboundedSender<MessageEnvelope<M>>,
    task: JoinHandle<()>,
}

impl<M: Message> ActorSystem<M> {
    /// Starts a system in the current tokio runtime.
    ///
    /// Upstream's router subscribes in its own task, so that a message published before that task has run is lost. Here
    /// the subscription is made first: otherwise nothing could be measured without a guess at how long to wait.
    ///
    /// # Errors
    ///
    /// Those of the broker.
    pub async fn new(config: SystemConfig, broker: InMemoryBroker<M>) -> Result<Self, SystemError> {
        let stream = broker.subscribe().await.map_err(|_| SystemError::ShuttingDown)?;
        let inner = Arc::new(Inner {
            config,
            broker,
            actors: RwLock::default(),
            state: RwLock::new(State::Running),
            router: RwLock::new(None),
        });
        *inner.router.write() = Some(tokio::spawn(route(Arc::clone(&inner), stream)));
        Ok(ActorSystem { inner })
    }

    /// The way to its actors.
    pub fn broker(&self) -> &InMemoryBroker<M> {
        &self.inner.broker
    }

    /// Starts an actor.
    ///
    /// **Flaw:** the capacity is ignored, every mailbox is unbounded.
    ///
    /// # Errors
    ///
    /// The system is shutting down, or holds as many actors as it may.
    pub fn spawn<A: Actor<Message = M>>(
        &self,
        actor: A,
        name: Option<&str>,
        _mailbox_capacity: usize,
    ) -> Result<ActorAddress, SystemError> {
        if self.is_shutting_down() {
            return Err(SystemError::ShuttingDown);
        }
        let max = self.inner.config.max_actors;
        if max > 0 && self.actor_count() >= max {
            return Err(SystemError::ActorLimitExceeded { max });
        }
        let address = name.map_or_else(ActorAddress::anonymous, ActorAddress::named);
        let (mailbox, receiver) = unbounded_channel();
        let context = ActorContext::new(address.clone(), self.inner.broker.clone());
        let task = tokio::spawn(run(actor, receiver, context));
        let metadata = Metadata {
            name: name.map(str::to_owned),
            spawned_at: Utc::now(),
            mailbox,
            task,
        };
        self.inner.actors.write().insert(address.clone(), metadata);
        Ok(address)
    }

    /// How many actors were ever started and not forced to end.
    ///
    /// **Flaw:** nothing takes an actor off the books when it ends.
    pub fn actor_count(&self) -> usize {
        self.inner.actors.read().len()
    }

    /// Whether an actor's task has ended. Not in upstream, where nobody can tell.
    pub fn has_ended(&self, address: &ActorAddress) -> bool {
        self.inner
            .actors
            .read()
            .get(address)
            .is_none_or(|metadata| metadata.task.is_finished())
    }

    /// Whether a shutdown has begun.
    pub fn is_shutting_down(&self) -> bool {
        *self.inner.state.read() != State::Running
    }

    /// Waits until no actor is on the books.
    ///
    /// **Flaw:** none ever leaves them, and nobody tells an actor to stop: with one actor this always times out.
    ///
    /// # Errors
    ///
    /// It was shutting down already, or the time-out passed.
    pub async fn shutdown(&self) -> Result<(), SystemError> {
        {
            let mut state = self.inner.state.write();
            if *state != State::Running {
                return Err(SystemError::ShuttingDown);
            }
            *state = State::ShuttingDown;
        }
        if let Some(router) = self.inner.router.write().take() {
            router.abort();
        }
        let limit = self.inner.config.shutdown_timeout;
        if timeout(limit, self.wait_for_actors()).await.is_err() {
            return Err(SystemError::ShutdownTimeout(limit));
        }
        *self.inner.state.write() = State::Stopped;
        Ok(())
    }

    async fn wait_for_actors(&self) {
        while self.actor_count() > 0 {
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends everything at once.
    pub fn force_shutdown(&self) {
        *self.inner.state.write() = State::Stopped;
        if let Some(router) = self.inner.router.write().take() {
            router.abort();
        }
        let mut actors = self.inner.actors.write();
        for metadata in actors.values() {
            metadata.task.abort();
        }
        actors.clear();
    }
}

impl<M: Message> Clone for ActorSystem<M> {
    fn clone(&self) -> Self {
        ActorSystem {
            inner: Arc::clone(&self.inner),
        }
    }
}

/// Takes every message of the broker to its actor. One for whom there is nobody is dropped without a word.
async fn route<M: Message>(inner: Arc<Inner<M>>, mut stream: MessageStream<M>) {
    while let Some(envelope) = stream.recv().await {
        if *inner.state.read() != State::Running {
            break;
        }
        if let Some(recipient) = &envelope.reply_to {
            let actors = inner.actors.read();
            if let Some(metadata) = actors.get(recipient) {
                let _ = metadata.mailbox.send(envelope);
            }
        }
    }
}

/// An actor's life. A panic ends its task and nothing else happens.
async fn run<A: Actor>(
    mut actor: A,
    mut mailbox: UnboundedReceiver<MessageEnvelope<A::Message>>,
    mut context: ActorContext<A::Message>,
) {
    if let Err(error) = actor.pre_start(&mut context).await
        && actor.on_error(error, &mut context).await != ErrorAction::Resume
    {
        return;
    }
    while let Some(envelope) = mailbox.recv().await {
        if let Err(error) = actor.handle_message(envelope.payload, &mut context).await
            && actor.on_error(error, &mut context).await != ErrorAction::Resume
        {
            break;
        }
    }
    actor.post_stop(&mut context).await;
}

/// Why a system refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SystemError {
    /// It is shutting down.
    ShuttingDown,
    /// It holds as many actors as it may.
    ActorLimitExceeded {
        /// So many.
        max: usize,
    },
    /// Actors were left on the books when the time was up.
    ShutdownTimeout(Duration),
}

impl fmt::Display for SystemError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemError::ShuttingDown => formatter.write_str("the system is shutting down"),
            SystemError::ActorLimitExceeded { max } => write!(formatter, "there are {max} actors already"),
            SystemError::ShutdownTimeout(limit) => write!(formatter, "actors were left after {limit:?}"),
        }
    }
}

impl std::error::Error for SystemError {}
