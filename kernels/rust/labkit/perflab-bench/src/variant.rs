//! Implementations of a component.

use std::sync::Arc;

use serde_json::{Value, json};

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

impl Role {
    fn name(self) -> &'static str {
        match self {
            Role::Before => "before",
            Role::After => "after",
            Role::Peer => "peer",
            Role::Lab => "lab",
            Role::Yours => "yours",
        }
    }
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
            "role": self.role.name(),
            "description": self.description,
            "source": self.source,
            "scenarios": all_scenarios.iter().filter(|name| self.supports(name)).collect::<Vec<_>>(),
            "findings": self.findings,
        })
    }
}
