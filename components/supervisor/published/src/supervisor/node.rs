//! A supervisor.

use std::any::type_name;
use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{
    Child, ChildBuilder, ChildId, ChildSpec, ChildState, ChildrenBuilder, Decision, Monitor, NoopMonitor,
    RestartBackoff, RestartPolicy, SupervisionEvent, SupervisionEventKind, SupervisionStrategy,
};

const MAX_RESTARTS: u32 = 5;
const WINDOW: TimeDelta = TimeDelta::seconds(60);
/// What a child is told that is stopped to be restarted, whatever its own limit is.
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// What a supervisor can do. Each call allocates its future.
#[async_trait]
pub trait Supervisor: Send + Sync + 'static {
    /// What it supervises.
    type Child: Child;

    /// Makes a child and starts it.
    ///
    /// **Flaw:** the factory is used here and then dropped, so that no restart can call it.
    ///
    /// # Errors
    ///
    /// The child could not be started in time.
    async fn start_child<F: Fn() -> Self::Child + Send + Sync + 'static>(
        &mut self,
        spec: ChildSpec<F>,
    ) -> Result<ChildId, SupervisorError>;

    /// Stops a child and forgets it.
    ///
    /// # Errors
    ///
    /// There is no such child, or it could not be stopped.
    async fn stop_child(&mut self, id: ChildId) -> Result<(), SupervisorError>;

    /// Waits, and then stops and starts the child that is there.
    ///
    /// **Flaw:** it is the same child with the state in which it failed, not a new one. And the supervisor does nothing
    /// else while it waits: it sleeps in here.
    ///
    /// # Errors
    ///
    /// There is no such child, it was restarted five times within a minute, or it could not be started.
    async fn restart_child(&mut self, id: ChildId) -> Result<(), SupervisorError>;

    /// Says what should become of a failed child and its siblings. **Flaw:** that is all it does.
    async fn handle_child_error(&mut self, id: ChildId) -> Decision;
}

/// A supervisor of children of one type, with its strategy as a type.
#[derive(Debug)]
pub struct SupervisorNode<S, C, M = NoopMonitor> {
    id: Uuid,
    children: HashMap<ChildId, Handle<C>>,
    backoff: HashMap<ChildId, RestartBackoff>,
    order: Vec<ChildId>,
    monitor: M,
    strategy: PhantomData<S>,
}

#[derive(Debug)]
struct Handle<C> {
    child: C,
    state: ChildState,
    policy: RestartPolicy,
    stop_limit: Duration,
    restarts: u32,
    last_restart: DateTime<Utc>,
}

impl<S: SupervisionStrategy, C: Child, M: Monitor> SupervisorNode<S, C, M> {
    /// A supervisor without children, which tells this monitor what it does.
    pub fn new(monitor: M) -> Self {
        SupervisorNode {
            id: Uuid::new_v4(),
            children: HashMap::new(),
            backoff: HashMap::new(),
            order: Vec::new(),
            monitor,
            strategy: PhantomData,
        }
    }

    /// Begins the description of a child.
    pub fn child(&mut self, name: impl Into<String>) -> ChildBuilder<'_, S, C, M> {
        ChildBuilder::new(self, name.into())
    }

    /// Begins the description of several.
    pub fn children(&mut self) -> ChildrenBuilder<'_, S, C, M> {
        ChildrenBuilder::new(self)
    }

    /// The children in the order of their start.
    pub fn child_ids(&self) -> &[ChildId] {
        &self.order
    }

    /// Where a child is in its life, and how often it was restarted.
    pub fn state(&self, id: ChildId) -> Option<(ChildState, u32)> {
        self.children.get(&id).map(|handle| (handle.state, handle.restarts))
    }

    /// When a child was last restarted, or made.
    pub fn last_restart(&self, id: ChildId) -> Option<DateTime<Utc>> {
        self.children.get(&id).map(|handle| handle.last_restart)
    }

    fn decide(&self, id: ChildId) -> Decision {
        match self.children.get(&id).map(|handle| handle.policy) {
            None => Decision::Escalate(format!("no child {id}")),
            Some(RestartPolicy::Temporary) => Decision::StopChild(id),
            Some(RestartPolicy::Permanent | RestartPolicy::Transient) => S::decide(id, &self.order),
        }
    }
}

/// Both identities become texts, each time.
fn event(supervisor: Uuid, child: ChildId, kind: SupervisionEventKind) -> SupervisionEvent {
    SupervisionEvent {
        timestamp: Utc::now(),
        supervisor: supervisor.to_string(),
        child: child.to_string(),
        kind,
        metadata: HashMap::new(),
    }
}

#[async_trait]
impl<S: SupervisionStrategy, C: Child, M: Monitor> Supervisor for SupervisorNode<S, C, M> {
    type Child = C;

    async fn start_child<F: Fn() -> C + Send + Sync + 'static>(
        &mut self,
        spec: ChildSpec<F>,
    ) -> Result<ChildId, SupervisorError> {
        let mut handle = Handle {
            child: (spec.factory)(),
            state: ChildState::Starting,
            policy: spec.policy,
            stop_limit: spec.stop_limit,
            restarts: 0,
            last_restart: Utc::now(),
        };
        let id = ChildId(Uuid::new_v4());
        match timeout(spec.start_limit, handle.child.start()).await {
            Ok(Ok(())) => handle.state = ChildState::Running,
            Ok(Err(error)) => return Err(SupervisorError::StartFailed(error.to_string())),
            Err(_) => {
                return Err(SupervisorError::StartFailed(format!(
                    "not within {:?}",
                    spec.start_limit
                )));
            }
        }
        let started = event(self.id, id, SupervisionEventKind::ChildStarted);
        self.monitor.record(started).await;
        self.children.insert(id, handle);
        self.order.push(id);
        Ok(id)
    }

    async fn stop_child(&mut self, id: ChildId) -> Result<(), SupervisorError> {
        let handle = self.children.get_mut(&id).ok_or(SupervisorError::ChildNotFound)?;
        handle.state = ChildState::Stopping;
        if let Err(error) = handle.child.stop(handle.stop_limit).await {
            handle.state = ChildState::Failed;
            return Err(SupervisorError::StopFailed(error.to_string()));
        }
        self.children.remove(&id);
        self.order.retain(|other| *other != id);
        Ok(())
    }

    async fn restart_child(&mut self, id: ChildId) -> Result<(), SupervisorError> {
        let handle = self.children.get_mut(&id).ok_or(SupervisorError::ChildNotFound)?;
        let backoff = self
            .backoff
            .entry(id)
            .or_insert_with(|| RestartBackoff::new(MAX_RESTARTS, WINDOW));
        if backoff.is_limit_reached() {
            return Err(SupervisorError::RestartLimitReached);
        }
        sleep(backoff.delay()).await;
        backoff.record();
        handle.restarts += 1;
        handle.last_restart = Utc::now();
        handle.state = ChildState::Restarting;
        // A child that cannot be stopped is started all the same.
        if let Err(error) = handle.child.stop(STOP_LIMIT).await {
            let failed = event(self.id, id, SupervisionEventKind::ChildFailed(error.to_string()));
            self.monitor.record(failed).await;
        }
        handle.state = ChildState::Starting;
        match handle.child.start().await {
            Ok(()) => {
                handle.state = ChildState::Running;
                let restarted = event(self.id, id, SupervisionEventKind::ChildRestarted(handle.restarts));
                self.monitor.record(restarted).await;
                Ok(())
            }
            Err(error) => {
                handle.state = ChildState::Failed;
                Err(SupervisorError::StartFailed(error.to_string()))
            }
        }
    }

    async fn handle_child_error(&mut self, id: ChildId) -> Decision {
        let decision = self.decide(id);
        let concerned = match &decision {
            Decision::RestartChild(_) | Decision::StopChild(_) => 1,
            Decision::RestartAll(ids) | Decision::RestartSubset(ids) => ids.len(),
            Decision::Escalate(_) => 0,
        };
        let applied = SupervisionEventKind::StrategyApplied(type_name::<S>(), concerned);
        let (monitor, applied) = (self.monitor.clone(), event(self.id, id, applied));
        // Nobody waits for it.
        tokio::spawn(async move { monitor.record(applied).await });
        decision
    }
}

/// What went wrong with a child.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SupervisorError {
    /// It was described without anything that makes it.
    NoFactory,
    /// There is none of that identity.
    ChildNotFound,
    /// It could not be started.
    StartFailed(String),
    /// It could not be stopped.
    StopFailed(String),
    /// It was restarted as often as it may be.
    RestartLimitReached,
}

impl fmt::Display for SupervisorError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SupervisorError::NoFactory => formatter.write_str("a child has no factory"),
            SupervisorError::ChildNotFound => formatter.write_str("there is no such child"),
            SupervisorError::StartFailed(why) => write!(formatter, "a child did not start: {why}"),
            SupervisorError::StopFailed(why) => write!(formatter, "a child did not stop: {why}"),
            SupervisorError::RestartLimitReached => {
                write!(formatter, "a child was restarted {MAX_RESTARTS} times within {WINDOW}")
            }
        }
    }
}

impl std::error::Error for SupervisorError {}
