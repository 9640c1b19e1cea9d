//! What became of the message that every actor gets: the checks that scenarios of such messages share.

use perflab_bench::{Checks, Error};
use supervisor_workload::Faults;

/// None was refused.
pub(crate) fn taken(checks: &Checks, refused: usize) -> Result<(), Error> {
    checks.require("every actor took its first message", refused == 0, || {
        format!("{refused} refused it")
    })
}

/// None was lost, and none handled again.
pub(crate) fn handled(checks: &Checks, faults: Faults) -> Result<(), Error> {
    checks.require("every actor handled its first message, once", faults.is_none(), || {
        faults.to_string()
    })
}
