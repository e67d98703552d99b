//! `numasim completions`: scripts that complete commands and switches in a shell.

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::failure::Failure;
use crate::output::Destination;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(args: &CompletionsArgs, _shell: &Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "numasim", &mut script);
    Destination::open(args.file.output.as_deref())?.deliver(&String::from_utf8_lossy(&script))
}
