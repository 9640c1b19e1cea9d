//! Runs commands of `./lab` on behalf of the cell that is being executed.

use std::env;

use crate::arguments::Arguments;
use crate::checkout::Checkout;
use crate::show::{CellListener, Screen, Silence};
use crate::stream::{LabProcess, Listener, hold};
use crate::{LabError, LabResult};

/// A checkout, and where its commands show things.
#[derive(Clone, Debug)]
pub(crate) struct Runner {
    checkout: Checkout,
    screen: Screen,
}

impl Runner {
    /// For the checkout that the notebook is in.
    ///
    /// # Errors
    ///
    /// It is in none.
    pub(crate) fn here() -> Result<Self, LabError> {
        let screen = Screen::present();
        let folder = env::current_dir().map_err(|problem| LabError::missing(problem.to_string(), ""));
        let checkout = folder.and_then(|folder| Checkout::above(&folder));
        announced(&screen, checkout).map(|checkout| Runner {
            checkout,
            screen: screen.clone(),
        })
    }

    pub(crate) fn checkout(&self) -> &Checkout {
        &self.checkout
    }

    /// Runs `./lab NAME WORD OPTIONS --stream`.
    ///
    /// # Errors
    ///
    /// The command did not come to a result.
    pub(crate) fn run(&self, name: &str, word: Option<&str>, options: &Arguments) -> Result<LabResult, LabError> {
        let title = [name].into_iter().chain(word).collect::<Vec<_>>().join(" ");
        let mut listener = CellListener::new(self.screen.clone(), title);
        let outcome = self.hold(name, word, options, &mut listener);
        listener.finish(if outcome.is_ok() { "done" } else { "stopped" });
        self.announced(outcome.map(|(data, status)| LabResult::new(data, status, listener.has_shown())))
    }

    /// The same, and the cell shows nothing of it.
    pub(crate) fn ask(&self, name: &str, word: &str) -> Result<LabResult, LabError> {
        let outcome = self.hold(name, Some(word), &Arguments::default(), &mut Silence);
        outcome.map(|(data, status)| LabResult::new(data, status, false))
    }

    /// The same result; the relay is told of a failure, in case the cell does not handle it.
    pub(crate) fn announced<T>(&self, outcome: Result<T, LabError>) -> Result<T, LabError> {
        announced(&self.screen, outcome)
    }

    fn hold(
        &self,
        name: &str,
        word: Option<&str>,
        options: &Arguments,
        listener: &mut dyn Listener,
    ) -> Result<(serde_json::Value, i32), LabError> {
        let mut words = vec![name.to_owned()];
        words.extend(word.map(str::to_owned));
        words.extend_from_slice(options.words());
        words.push("--stream".to_owned());
        let process = LabProcess::start(&self.checkout.launcher(), &words, self.checkout.root())?;
        let outcome = hold(process, listener)?;
        Ok((outcome.data, outcome.exit_status))
    }
}

fn announced<T>(screen: &Screen, outcome: Result<T, LabError>) -> Result<T, LabError> {
    outcome.inspect_err(|error| screen.announce(error))
}
