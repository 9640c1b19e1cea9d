//! What can be measured.

use serde_json::{Value, json};

use crate::{Checks, Error, Metric, Parameter, Parameters, Sample};

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
            "better": self.headline.better.name(),
            "metric": self.headline.of,
            "metrics": self.metrics.iter().map(|metric| metric.to_json()).collect::<Vec<_>>(),
            "parameters": self.parameters.iter().map(Parameter::to_json).collect::<Vec<_>>(),
        })
    }
}
