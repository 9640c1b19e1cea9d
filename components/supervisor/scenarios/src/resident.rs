//! What the operating system gave to the process.

use std::fs;

/// Bytes of the process that are in memory.
///
/// # Errors
///
/// The system has no `/proc`, or keeps something else there.
pub(crate) fn resident_bytes() -> Result<i64, std::io::Error> {
    // In KiB: Linux's own pages may be of any size, those in this file are not.
    let status = fs::read_to_string("/proc/self/status")?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|kib| kib.trim().parse::<i64>().ok());
    kib.map(|kib| kib * 1024)
        .ok_or_else(|| std::io::Error::other("/proc/self/status has no VmRSS in kB"))
}
