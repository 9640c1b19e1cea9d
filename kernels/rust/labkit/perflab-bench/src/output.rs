//! Standard output as the protocol's alone.

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::fd::AsFd;

use nix::unistd::dup2_stdout;

/// Takes standard output away from everybody else: the protocol's lines go to a descriptor of their own, and the one that
/// everybody knows becomes standard error. So nothing that a variant, its threads or its children print can stand between
/// the lines, and no thread that prints waits for a lock on them.
///
/// Not for a program that becomes its plug-in, which is handed standard output as it is.
pub(crate) fn take() -> io::Result<BufWriter<File>> {
    // No child inherits the copy: one that lives on would keep whoever reads the lines waiting for their end.
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    Ok(BufWriter::new(File::from(own)))
}
