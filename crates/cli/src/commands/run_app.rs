//! What `numasim run` starts for each application: this program again, as the application.
//!
//! Not a command for people, so that neither help nor completions know it; it is looked for before the command line is parsed.

use std::env;
use std::process::ExitCode;

/// Whether this process was started as an application.
pub(crate) fn is_wanted() -> bool {
    #[cfg(target_os = "linux")]
    {
        env::args_os().nth(1).is_some_and(|first| first == numasim_bench::live::APP_COMMAND)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = env::args_os;
        false
    }
}

/// Reads the order from standard input and is the application; what went wrong is one line on standard error.
#[cfg(target_os = "linux")]
pub(crate) fn run() -> ExitCode {
    let mut order = String::new();
    let read = std::io::Read::read_to_string(&mut std::io::stdin(), &mut order);
    match read.map_err(|error| error.to_string()).and_then(|_| numasim_bench::live::serve(&order)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            // Who started it may be gone.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{what}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// Nobody is started elsewhere.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run() -> ExitCode {
    ExitCode::FAILURE
}
