//! `numasim check`: validates files and says what it read.

use crate::args::CheckArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(_args: &CheckArgs, _shell: &Shell) -> Result<(), Failure> {
    Err(Failure::fault("check is not built yet")) // BRANCH ONLY: another change fills this in
}
