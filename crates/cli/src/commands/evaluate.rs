//! `numasim evaluate`: the performance of every scenario in the files.

use crate::args::EvaluateArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(_args: &EvaluateArgs, _shell: &Shell) -> Result<(), Failure> {
    Err(Failure::fault("evaluate is not built yet")) // BRANCH ONLY: another change fills this in
}
