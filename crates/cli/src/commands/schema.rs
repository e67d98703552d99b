//! `numasim schema`: the JSON Schema of the input files.

use crate::args::SchemaArgs;
use crate::failure::Failure;
use crate::shell::Shell;

/// Runs the command.
pub(crate) fn run(_args: &SchemaArgs, _shell: &Shell) -> Result<(), Failure> {
    Err(Failure::fault("schema is not built yet")) // BRANCH ONLY: another change fills this in
}
