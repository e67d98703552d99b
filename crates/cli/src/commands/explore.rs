//! `numasim explore`: the best allocation of threads to NUMA nodes.

use crate::args::ExploreArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(_args: &ExploreArgs, _shell: &Shell) -> Result<(), Failure> {
    Err(Failure::fault("explore is not built yet")) // BRANCH ONLY: another change fills this in
}
