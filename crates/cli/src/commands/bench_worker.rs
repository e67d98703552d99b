//! What `numasim bench --processes` starts for each application: this program again, as a worker.
//!
//! Not a command for people, so that neither help nor completions know it; it is looked for before the command line is
//! parsed.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;

use numasim_bench::runner;

/// Whether this process was started as a worker.
pub(crate) fn is_wanted() -> bool {
    env::args_os().nth(1).is_some_and(|first| first == runner::WORKER_COMMAND)
}

/// Reads the order from standard input, measures, and writes the answer to standard output.
pub(crate) fn run() -> ExitCode {
    let mut order = String::new();
    let read = io::stdin().read_to_string(&mut order).map(|_| runner::serve(&order));
    match read.and_then(|answer| io::stdout().write_all(answer.as_bytes())) {
        Ok(()) => ExitCode::SUCCESS,
        // The process that wanted the answer is gone.
        Err(_) => ExitCode::FAILURE,
    }
}
