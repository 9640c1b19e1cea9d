//! The commands that take options, each as a value that collects them and is then run.

use std::fmt::Display;
use std::path::Path;

use crate::arguments::Arguments;
use crate::runner::Runner;
use crate::{LabError, LabResult, Plugin};

/// A command with what it has collected until now.
#[derive(Clone, Debug)]
struct Command<'lab> {
    runner: &'lab Runner,
    name: &'static str,
    word: String,
    options: Arguments,
    plugin: Option<&'lab Plugin>,
}

impl<'lab> Command<'lab> {
    fn new(runner: &'lab Runner, name: &'static str, word: &str) -> Self {
        Command {
            runner,
            name,
            word: word.to_owned(),
            options: Arguments::default(),
            plugin: None,
        }
    }

    fn run(self) -> Result<LabResult, LabError> {
        self.runner.run(self.name, Some(&self.word), &self.options)
    }
}

/// Makes a command's type, its options of one value, and `run`.
macro_rules! command {
    ($(#[$about:meta])* $name:ident { $($(#[$help:meta])* $option:ident $(as $word:literal)? : $kind:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        #[must_use = "a command does nothing until it is run"]
        pub struct $name<'lab>(Command<'lab>);

        impl<'lab> $name<'lab> {
            pub(crate) fn new(runner: &'lab Runner, command: &'static str, word: &str) -> Self {
                $name(Command::new(runner, command, word))
            }

            $(command!(@option $(#[$help])* $option $(as $word)? : $kind);)*
        }
    };
    (@option $(#[$help:meta])* $option:ident as $word:literal : value) => {
        $(#[$help])*
        pub fn $option(mut self, value: impl Display) -> Self {
            self.0.options.option($word, value);
            self
        }
    };
    (@option $(#[$help:meta])* $option:ident : value) => {
        $(#[$help])*
        pub fn $option(mut self, value: impl Display) -> Self {
            self.0.options.option(stringify!($option), value);
            self
        }
    };
    (@option $(#[$help:meta])* $option:ident : flag) => {
        $(#[$help])*
        pub fn $option(mut self) -> Self {
            self.0.options.flag(stringify!($option));
            self
        }
    };
    (@option $(#[$help:meta])* $option:ident : param) => {
        $(#[$help])*
        pub fn $option(mut self, name: &str, value: impl Display) -> Self {
            self.0.options.option("param", format_args!("{name}={value}"));
            self
        }
    };
    (@option $(#[$help:meta])* $option:ident : plugin) => {
        $(#[$help])*
        pub fn $option(mut self, plugin: &'lab Plugin) -> Self {
            self.0.options.option("plugin", plugin.path().display());
            self.0.plugin = Some(plugin);
            self
        }
    };
}

command! {
    /// Measures variants against each other: rounds of fresh processes in random order, until the intervals are narrow
    /// enough or the time is over.
    Measure {
        /// What is measured; the component's first scenario without it.
        scenario: value,
        /// One variant more, by a name from `describe`; all that support the scenario if none is named.
        variant: value,
        /// A parameter of the scenario; those not named keep their defaults.
        param: param,
        /// A variant of the reader's own, measured with the others.
        plugin: plugin,
        /// The variant that the others are compared with, or a baseline saved before.
        baseline: value,
        /// Keeps the run under a name, for later runs to be compared with.
        save_baseline as "save-baseline": value,
        /// One of the scenario's further metrics instead of its headline.
        metric: value,
        /// Half a minute: which way it goes.
        quick: flag,
        /// Half an hour: to publish.
        rigorous: flag,
        /// Begins no round after so many seconds.
        budget_seconds as "budget": value,
    }
}

impl Measure<'_> {
    /// Several variants.
    pub fn variants<V: Display>(self, names: impl IntoIterator<Item = V>) -> Self {
        names.into_iter().fold(self, Measure::variant)
    }

    /// Measures.
    ///
    /// # Errors
    ///
    /// The measurement did not come to a result.
    pub fn run(mut self) -> Result<LabResult, LabError> {
        // No variant named means all of them, the plug-in's among them.
        if self.0.options.has("variant") {
            let own = self.0.plugin.map(Plugin::variants).unwrap_or_default().to_vec();
            self = self.variants(own);
        }
        self.0.run()
    }
}

command! {
    /// Measures functions without arguments against each other.
    Bench {
        /// Half a minute: which way it goes.
        quick: flag,
        /// Half an hour: to publish.
        rigorous: flag,
        /// Begins no round after so many seconds.
        budget_seconds as "budget": value,
        /// Shows where the time goes, and measures nothing: `cpu`, `wall`, `lock` or `alloc`.
        profile: value,
    }
}

impl<'lab> Bench<'lab> {
    pub(crate) fn of(runner: &'lab Runner, functions: &[String], file: &Path) -> Self {
        let mut words = functions.iter();
        let mut bench = Bench::new(runner, "bench", words.next().map_or("", String::as_str));
        words.for_each(|name| bench.0.options.word(name));
        bench.0.options.option("functions", file.display());
        bench
    }

    /// Measures.
    ///
    /// # Errors
    ///
    /// They do not compile, or the measurement did not come to a result.
    pub fn run(self) -> Result<LabResult, LabError> {
        self.0.run()
    }
}

command! {
    /// Measures a variant against itself: whatever differs then is this machine.
    Noise {
        /// What is measured.
        scenario: value,
        /// Which variant.
        variant: value,
        /// A parameter of the scenario.
        param: param,
        /// Half a minute.
        quick: flag,
        /// Half an hour.
        rigorous: flag,
    }
}

impl Noise<'_> {
    /// Measures.
    ///
    /// # Errors
    ///
    /// The measurement did not come to a result.
    pub fn run(self) -> Result<LabResult, LabError> {
        self.0.run()
    }
}

command! {
    /// Where a variant spends its time, as a flame view and a table of causes; against another variant, what differs.
    Profile {
        /// What it does meanwhile.
        scenario: value,
        /// Whose time it is; the plug-in's without it.
        variant: value,
        /// The variant to compare it with.
        against: value,
        /// `cpu`, `wall` (waiting included), `lock` or `alloc`.
        mode: value,
        /// A parameter of the scenario.
        param: param,
        /// A variant of the reader's own.
        plugin: plugin,
    }
}

impl Profile<'_> {
    /// Profiles.
    ///
    /// # Errors
    ///
    /// There is no profile.
    pub fn run(mut self) -> Result<LabResult, LabError> {
        if let Some(own) = self.0.plugin.and_then(|plugin| plugin.variants().first())
            && !self.0.options.has("variant")
        {
            self = self.variant(own);
        }
        self.0.run()
    }
}

command! {
    /// What a run says again, or what changed between two.
    Compare {
        /// Only this variant.
        variant: value,
        /// The variant that the others are compared with.
        baseline: value,
        /// One of the scenario's further metrics instead of its headline.
        metric: value,
    }
}

impl Compare<'_> {
    /// The second run.
    ///
    /// # Errors
    ///
    /// The result is of no run.
    pub fn with(mut self, second: &LabResult) -> Result<Self, LabError> {
        let id = self.0.runner.announced(second.require_id())?;
        self.0.options.word(id);
        Ok(self)
    }

    /// Compares.
    ///
    /// # Errors
    ///
    /// They cannot be compared.
    pub fn run(self) -> Result<LabResult, LabError> {
        self.0.run()
    }
}

command! {
    /// The verdicts on a report's claims.
    Claims {
        /// Only what the report says, for readers who want to predict.
        statements: flag,
    }
}

impl Claims<'_> {
    /// Judges.
    ///
    /// # Errors
    ///
    /// There is no such report.
    pub fn run(self) -> Result<LabResult, LabError> {
        self.0.run()
    }
}
