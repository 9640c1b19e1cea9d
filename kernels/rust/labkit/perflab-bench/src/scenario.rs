//! What can be measured, its figures, and whose.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{Checks, Error, Parameter, Parameters, Sample};

/// Something that can be measured of every variant. It keeps its own clock.
///
/// `S`, the subject, is what a variant hands to a scenario.
pub trait Scenario<S>: Send + Sync {
    /// What it tells about itself.
    fn spec(&self) -> ScenarioSpec;

    /// Sets up everything that outlives a repetition; none of it is timed.
    fn open(&self, subject: &S, setting: Setting) -> Result<Box<dyn Experiment>, Error>;
}

/// A set-up scenario. Warm-up and samples repeat it.
///
/// A closure over a sample is one, too.
pub trait Experiment {
    /// Performs the scenario once, times it with its own clock, records the outcome in the sample, and validates it
    /// outside the timed region. No I/O in here.
    fn repeat(&mut self, sample: &mut Sample) -> Result<(), Error>;

    /// Ends it, and makes the checks that can only be made at the end.
    fn close(self: Box<Self>) -> Result<(), Error> {
        Ok(())
    }
}

impl<F: FnMut(&mut Sample) -> Result<(), Error>> Experiment for F {
    fn repeat(&mut self, sample: &mut Sample) -> Result<(), Error> {
        self(sample)
    }
}

/// What a scenario is run with.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The values of its parameters.
    pub parameters: Parameters,
    /// From `--seed`: whatever is random hangs on it.
    pub seed: i64,
    /// Where it records what it validated.
    pub checks: Checks,
}

/// What a scenario tells about itself in `describe`.
#[derive(Clone, Debug)]
pub struct ScenarioSpec {
    pub(crate) name: &'static str,
    title: &'static str,
    operation: &'static str,
    headline: Metric,
    metrics: Vec<Metric>,
    pub(crate) parameters: Vec<Parameter>,
}

impl ScenarioSpec {
    /// `name` goes after `--scenario`, `title` is a short heading, `operation` says what one operation is, and
    /// `headline` is the metric that comparisons use unless another one is asked for; its name is not shown.
    pub fn new(name: &'static str, title: &'static str, operation: &'static str, headline: Metric) -> Self {
        ScenarioSpec { name, title, operation, headline, metrics: Vec::new(), parameters: Vec::new() }
    }

    /// The name after `--scenario`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Adds further metrics.
    #[must_use]
    pub fn metrics(mut self, metrics: impl IntoIterator<Item = Metric>) -> Self {
        self.metrics.extend(metrics);
        self
    }

    /// Adds parameters.
    #[must_use]
    pub fn parameters(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "title": self.title,
            "operation": self.operation,
            "unit": self.headline.unit,
            "better": lower(self.headline.better),
            "metric": self.headline.of,
            "metrics": self.metrics.iter().map(|metric| metric.to_json()).collect::<Vec<_>>(),
            "parameters": self.parameters.iter().map(Parameter::to_json).collect::<Vec<_>>(),
        })
    }
}

/// Which direction of a metric is an improvement.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Better {
    /// A rate, say.
    Higher,
    /// A time, say.
    Lower,
}

/// A named figure of a fork, computed by `perflab` from the fork's samples.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub(crate) name: &'static str,
    pub(crate) of: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) better: Better,
}

impl Metric {
    /// `of` is an expression of the protocol, such as `counter:refused/op` or `p99`.
    pub const fn new(name: &'static str, of: &'static str, unit: &'static str, better: Better) -> Self {
        Metric { name, of, unit, better }
    }

    pub(crate) fn to_json(self) -> Value {
        json!({"name": self.name, "of": self.of, "unit": self.unit, "better": lower(self.better)})
    }
}

/// What a variant stands for in its topic.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Role {
    /// The system as the report found it.
    Before,
    /// The system as the report fixed it.
    After,
    /// What a user would pick instead.
    Peer,
    /// This project's own best.
    Lab,
    /// A reader's plug-in.
    Yours,
}

/// One implementation of the component.
#[derive(Clone, Debug)]
pub struct Variant<S> {
    pub(crate) name: String,
    pub(crate) role: Role,
    description: String,
    source: String,
    pub(crate) subject: Arc<S>,
    scenarios: Option<Vec<&'static str>>,
    pub(crate) findings: Vec<&'static str>,
}

impl<S> Variant<S> {
    /// `name` goes after `--variant`, `description` is one line, `source` says where its code is, relative to the
    /// component's folder.
    pub fn new(
        name: impl Into<String>,
        role: Role,
        description: impl Into<String>,
        source: impl Into<String>,
        subject: S,
    ) -> Self {
        Variant {
            name: name.into(),
            role,
            description: description.into(),
            source: source.into(),
            subject: Arc::new(subject),
            scenarios: None,
            findings: Vec::new(),
        }
    }

    /// Names the scenarios it supports; without this call they are all.
    #[must_use]
    pub fn scenarios(mut self, names: impl IntoIterator<Item = &'static str>) -> Self {
        self.scenarios = Some(names.into_iter().collect());
        self
    }

    /// Names the statements of the contract that it is known to break.
    #[must_use]
    pub fn findings(mut self, statements: impl IntoIterator<Item = &'static str>) -> Self {
        self.findings = statements.into_iter().collect();
        self
    }

    /// The name after `--variant`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it stands for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What it hands to scenarios.
    pub fn subject(&self) -> &S {
        &self.subject
    }

    /// What it hands to checks, which run on threads of their own.
    pub fn shared_subject(&self) -> Arc<S> {
        Arc::clone(&self.subject)
    }

    /// The statements of the contract that it is known to break.
    pub fn known_findings(&self) -> &[&'static str] {
        &self.findings
    }

    /// Whether it has such a scenario.
    pub fn supports(&self, scenario: &str) -> bool {
        self.scenarios.as_ref().is_none_or(|names| names.contains(&scenario))
    }

    pub(crate) fn to_json(&self, all_scenarios: &[&str]) -> Value {
        json!({
            "name": self.name,
            "role": lower(self.role),
            "description": self.description,
            "source": self.source,
            "scenarios": all_scenarios.iter().filter(|name| self.supports(name)).collect::<Vec<_>>(),
            "findings": self.findings,
        })
    }
}

/// How the protocol writes a value of an enumeration.
fn lower(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_lowercase()
}
