//! How children are described to a supervisor, and started.

use std::time::Duration;

use super::{Child, ChildId, Monitor, RestartPolicy, SupervisionStrategy, Supervisor, SupervisorError, SupervisorNode};

const POLICY: RestartPolicy = RestartPolicy::Permanent;
const START_LIMIT: Duration = Duration::from_secs(30);
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// What makes a child, in a box whatever it is.
type Factory<C> = Box<dyn Fn() -> C + Send + Sync>;

/// What a supervisor is told of a child.
#[derive(Clone, Debug)]
pub struct ChildSpec<F> {
    /// **Flaw:** nobody looks at it: a child is known by the identifier that its supervisor makes.
    pub name: String,
    /// Makes the child.
    pub factory: F,
    /// Whether it is started again.
    pub policy: RestartPolicy,
    /// How long it may take to start.
    pub start_limit: Duration,
    /// What it is told when it is stopped.
    pub stop_limit: Duration,
}

/// A child that is described step by step. A factory is needed, the rest has defaults: always restarted, 30 s to start, 5 s
/// to stop.
pub struct ChildBuilder<'a, S, C, M> {
    supervisor: &'a mut SupervisorNode<S, C, M>,
    name: String,
    factory: Option<Factory<C>>,
    policy: Option<RestartPolicy>,
    start_limit: Option<Duration>,
    stop_limit: Option<Duration>,
}

impl<'a, S: SupervisionStrategy, C: Child, M: Monitor> ChildBuilder<'a, S, C, M> {
    pub(super) fn new(supervisor: &'a mut SupervisorNode<S, C, M>, name: String) -> Self {
        ChildBuilder {
            supervisor,
            name,
            factory: None,
            policy: None,
            start_limit: None,
            stop_limit: None,
        }
    }

    /// What makes the child.
    #[must_use]
    pub fn factory(mut self, factory: impl Fn() -> C + Send + Sync + 'static) -> Self {
        self.factory = Some(Box::new(factory));
        self
    }

    /// Whether it is started again.
    #[must_use]
    pub fn restart_policy(mut self, policy: RestartPolicy) -> Self {
        self.policy = Some(policy);
        self
    }

    /// How long it may take to start.
    #[must_use]
    pub fn start_limit(mut self, limit: Duration) -> Self {
        self.start_limit = Some(limit);
        self
    }

    /// What it is told when it is stopped.
    #[must_use]
    pub fn stop_limit(mut self, limit: Duration) -> Self {
        self.stop_limit = Some(limit);
        self
    }

    /// Makes the child and starts it.
    ///
    /// # Errors
    ///
    /// There is no factory, or the child could not be started in time.
    pub async fn spawn(self) -> Result<ChildId, SupervisorError> {
        let spec = ChildSpec {
            name: self.name,
            factory: self.factory.ok_or(SupervisorError::NoFactory)?,
            policy: self.policy.unwrap_or(POLICY),
            start_limit: self.start_limit.unwrap_or(START_LIMIT),
            stop_limit: self.stop_limit.unwrap_or(STOP_LIMIT),
        };
        self.supervisor.start_child(spec).await
    }
}

/// Children that are described one after the other, and then started.
pub struct ChildrenBuilder<'a, S, C, M> {
    supervisor: &'a mut SupervisorNode<S, C, M>,
    children: Vec<ChildSpec<Factory<C>>>,
}

impl<'a, S: SupervisionStrategy, C: Child, M: Monitor> ChildrenBuilder<'a, S, C, M> {
    pub(super) fn new(supervisor: &'a mut SupervisorNode<S, C, M>) -> Self {
        ChildrenBuilder {
            supervisor,
            children: Vec::new(),
        }
    }

    /// One more, with the defaults of a [`ChildBuilder`].
    #[must_use]
    pub fn child(mut self, name: impl Into<String>, factory: impl Fn() -> C + Send + Sync + 'static) -> Self {
        self.children.push(ChildSpec {
            name: name.into(),
            factory: Box::new(factory),
            policy: POLICY,
            start_limit: START_LIMIT,
            stop_limit: STOP_LIMIT,
        });
        self
    }

    /// Makes and starts one after the other, in their order.
    ///
    /// # Errors
    ///
    /// That of the first that could not be started. **Flaw:** those before it run on.
    pub async fn spawn_all(self) -> Result<Vec<ChildId>, SupervisorError> {
        let mut ids = Vec::new();
        for spec in self.children {
            ids.push(self.supervisor.start_child(spec).await?);
        }
        Ok(ids)
    }
}
