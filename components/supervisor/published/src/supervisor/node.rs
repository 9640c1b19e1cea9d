//! A supervisor.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{Child, ChildId, ChildState, Decision, RestartBackoff, RestartPolicy, SupervisionStrategy};

const MAX_RESTARTS: u32 = 5;
const WINDOW: TimeDelta = TimeDelta::seconds(60);
const STOP_LIMIT: Duration = Duration::from_secs(10);

/// A supervisor of children of one type.
#[derive(Debug)]
pub struct SupervisorNode<S, C> {
    children: HashMap<ChildId, Handle<C>>,
    backoff: HashMap<ChildId, RestartBackoff>,
    order: Vec<ChildId>,
    strategy: PhantomData<S>,
}

#[derive(Debug)]
struct Handle<C> {
    child: C,
    state: ChildState,
    policy: RestartPolicy,
    restarts: u32,
    last_restart: DateTime<Utc>,
}

impl<S: SupervisionStrategy, C: Child> SupervisorNode<S, C> {
    /// A supervisor without children.
    pub fn new() -> Self {
        SupervisorNode {
            children: HashMap::new(),
            backoff: HashMap::new(),
            order: Vec::new(),
            strategy: PhantomData,
        }
    }

    /// Children in the order of their start.
    pub fn children(&self) -> &[ChildId] {
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

    /// Makes a child and starts it.
    ///
    /// **Flaw:** the factory is used here and then dropped, so that no restart can call it.
    ///
    /// # Errors
    ///
    /// The child could not be started in time.
    pub async fn start_child(
        &mut self,
        factory: impl Fn() -> C + Send,
        policy: RestartPolicy,
        limit: Duration,
    ) -> Result<ChildId, SupervisorError> {
        let id = ChildId(Uuid::new_v4());
        let mut handle = Handle {
            child: factory(),
            state: ChildState::Starting,
            policy,
            restarts: 0,
            last_restart: Utc::now(),
        };
        match timeout(limit, handle.child.start()).await {
            Ok(Ok(())) => handle.state = ChildState::Running,
            Ok(Err(error)) => return Err(SupervisorError::StartFailed(error.to_string())),
            Err(_) => return Err(SupervisorError::StartFailed(format!("not within {limit:?}"))),
        }
        self.children.insert(id, handle);
        self.order.push(id);
        Ok(id)
    }

    /// Stops a child and forgets it.
    ///
    /// # Errors
    ///
    /// There is no such child, or it could not be stopped.
    pub async fn stop_child(&mut self, id: ChildId) -> Result<(), SupervisorError> {
        let handle = self.children.get_mut(&id).ok_or(SupervisorError::ChildNotFound)?;
        handle.state = ChildState::Stopping;
        if let Err(error) = handle.child.stop(STOP_LIMIT).await {
            handle.state = ChildState::Failed;
            return Err(SupervisorError::StopFailed(error.to_string()));
        }
        self.children.remove(&id);
        self.order.retain(|other| *other != id);
        Ok(())
    }

    /// Waits, and then stops and starts the child that is there.
    ///
    /// **Flaw:** it is the same child with the state in which it failed, not a new one. And the supervisor does nothing
    /// else while it waits: it sleeps in here.
    ///
    /// # Errors
    ///
    /// There is no such child, it was restarted five times within a minute, or it could not be started.
    pub async fn restart_child(&mut self, id: ChildId) -> Result<(), SupervisorError> {
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
        let _ = handle.child.stop(STOP_LIMIT).await;
        handle.state = ChildState::Starting;
        match handle.child.start().await {
            Ok(()) => {
                handle.state = ChildState::Running;
                Ok(())
            }
            Err(error) => {
                handle.state = ChildState::Failed;
                Err(SupervisorError::StartFailed(error.to_string()))
            }
        }
    }

    /// Says what should become of a failed child and its siblings. **Flaw:** that is all it does.
    pub fn handle_child_error(&self, id: ChildId) -> Decision {
        match self.children.get(&id).map(|handle| handle.policy) {
            None => Decision::Escalate(format!("no child {id:?}")),
            Some(RestartPolicy::Temporary) => Decision::StopChild(id),
            Some(RestartPolicy::Permanent | RestartPolicy::Transient) => S::decide(id, &self.order),
        }
    }
}

impl<S: SupervisionStrategy, C: Child> Default for SupervisorNode<S, C> {
    fn default() -> Self {
        SupervisorNode::new()
    }
}

/// What went wrong with a child.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SupervisorError {
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
