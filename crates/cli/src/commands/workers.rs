//! This program as a child process: `numasim bench --processes` and `numasim run` start it for each application.
//!
//! These commands are not for users, so help and completions do not list them. They are detected before the command line is parsed.

use std::io::{Read as _, Write as _};
use std::process::ExitCode;
use std::{env, io};

use numasim_bench::runner;

/// Does the work for which another process started this one: the instructions come from standard input. `None` if a user started it.
pub(crate) fn served() -> Option<ExitCode> {
    let first = env::args_os().nth(1)?;
    if first == runner::WORKER_COMMAND {
        // If the answer cannot be written, the process that needs it is gone.
        let answered = order().and_then(|order| io::stdout().write_all(runner::serve(&order).as_bytes()));
        return Some(if answered.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    #[cfg(target_os = "linux")]
    if first == numasim_bench::live::APP_COMMAND {
        let order = order().map_err(|error| error.to_string());
        let Err(wrong) = order.and_then(|order| numasim_bench::live::serve(&order)) else {
            return Some(ExitCode::SUCCESS);
        };
        // The process that started it may be gone.
        let _ = io::stderr().write_all(format!("{wrong}\n").as_bytes());
        return Some(ExitCode::FAILURE);
    }
    None
}

fn order() -> io::Result<String> {
    let mut order = String::new();
    io::stdin().read_to_string(&mut order).map(|_| order)
}
