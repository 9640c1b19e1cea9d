//! The contract's suite as the labkit runs it: a statement applies to whoever has it.

use perflab_bench::Check;

use crate::Subject;

pub use supervisor_suite::statements::*;

pub(crate) fn checks() -> Vec<Check<Subject>> {
    ALL.iter()
        .map(|&statement| {
            Check::new(statement, move |subject: &Subject| {
                subject.statements().check(statement)
            })
            .only_for(move |subject| subject.statements().contains(statement))
        })
        .collect()
}
