//! `numasim snapshot`: the activity on this host, or on a recorded one, as a study.

use std::thread;
use std::time::Duration;

use numasim_ask::snapshot::{Snapshot, snapshot};
use numasim_host::looking::{Look, LookError};

use crate::args::{LookArgs, SnapshotArgs};
use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &SnapshotArgs, shell: &Shell) -> Result<(), Failure> {
    let destination = args.output.open()?;
    let found = look(&args.look, args.apart.seconds)?;
    tell(&found, shell);
    shell.answer(&destination, args.output.format, |style| found.text(style), &found, || found.csv())
}

/// Prints the gaps in the observations on standard error.
pub(super) fn tell(found: &Snapshot, shell: &Shell) {
    for sentence in &found.unseen {
        shell.note(format!("not seen: {sentence}"));
    }
    if !found.host.assumed.is_empty() {
        shell.warn(format!(
            "{} of the machine are assumed, not those of this host: measure them (`numasim calibrate -o machine.toml`) and pass --machine machine.toml",
            found.host.assumed.join(", ")
        ));
    }
}

/// Takes a snapshot between two instants, on this host `apart`.
///
/// # Errors
/// The host or the recorded tree cannot be read, the machine does not match, or a requested application is not running.
pub(super) fn look(args: &LookArgs, apart: Duration) -> Result<Snapshot, Failure> {
    let seen = asked(args)?.look(|| thread::sleep(apart)).map_err(|error| failure(args, error))?;
    Ok(snapshot(seen)?)
}

/// The request of these options.
///
/// # Errors
/// The file of the machine cannot be read.
pub(super) fn asked(args: &LookArgs) -> Result<Look, Failure> {
    let read = |path: &std::path::PathBuf| files::read_study(std::slice::from_ref(path));
    let machine = args.machine.as_ref().map(read).transpose()?;
    Ok(Look {
        roots: args.root.clone(),
        machine: machine.map(|input| input.study.at_rest.machine),
        select: args.select.clone(),
    })
}

/// The mistake, in terms of the options.
pub(super) fn failure(args: &LookArgs, error: LookError) -> Failure {
    let said = Failure::input(error.to_string());
    match error {
        LookError::NeedsLinux => said.hint("--root DIR reads a recorded host"),
        LookError::Roots(times) => Failure::input(format!("--root is given {times} times"))
            .hint("give it once, or twice for two instants of one host"),
        LookError::NoProc(_) => said.hint(
            "copy /proc/PID of each process, /sys/devices/system, /sys/fs/cgroup and /sys/fs/resctrl into a folder",
        ),
        LookError::NoProcess => said.hint("record /proc/PID/stat and /proc/PID/task of each process"),
        LookError::Unknown(words) => {
            Failure::input(format!("no application matches --select {}", words.join(", --select ")))
                .hint("leave --select out to see all that use more than 5 % of a core")
        }
        LookError::Different(name) => {
            let path = args.machine.as_ref().map_or_else(String::new, |path| path.display().to_string());
            Failure::input(format!(
                "{path} is not the machine of this host: node by node, '{name}' has processors that the host lacks"
            ))
            .hint("leave --machine out, or write one here with `numasim calibrate -o machine.toml`")
        }
        LookError::Unreadable(_) => said,
    }
}
