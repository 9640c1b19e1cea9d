//! The bench program of the supervisor topic.

use std::process::ExitCode;

fn main() -> ExitCode {
    supervisor_bench::bench().main()
}
