//! A program of its own takes the place of a process that waited for its start: same process number, so that an agent that was
//! told the number before knows it.

use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use numasim_host::affinity;
use numasim_model::cpus::CpuList;

/// Never returns where it succeeds.
///
/// # Errors
/// The program cannot be started, for people.
pub(super) fn become_it(words: &[String], cpus: &[u32]) -> Result<(), String> {
    let Some((program, arguments)) = words.split_first() else { return Err("no program".to_owned()) };
    if let Ok(cpus) = CpuList::new(cpus.to_vec()) {
        affinity::bind_this_thread(&cpus).map_err(|error| error.to_string())?;
    }
    let error = Command::new(program).args(arguments).stdin(Stdio::null()).exec();
    Err(format!("cannot start {program}: {error}"))
}
