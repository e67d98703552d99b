//! The sharing model of a command: the one on the command line, else the one in the machine file.

use std::path::PathBuf;

use numasim_ask::Input;
use numasim_ask::input::model_warnings;
use numasim_course::Study;
use numasim_model::ModelKind;

use crate::failure::Failure;
use crate::files;
use crate::shell::Shell;

/// Applies the model on the command line, if there is one, and warns about corrections that it ignores, and about implausible values.
///
/// # Errors
/// A [`Failure`] if the model does not support something that the machine has.
pub(crate) fn choose(mut study: Study, chosen: Option<ModelKind>, shell: &Shell) -> Result<Study, Failure> {
    if let Some(kind) = chosen {
        study.machine = study.machine.clone().with_model(kind);
    }
    shell.warn_all(&model_warnings(&study.machine)?);
    Ok(study)
}

/// Reads files, for the model on the command line.
pub(crate) fn read(paths: &[PathBuf], chosen: Option<ModelKind>, shell: &Shell) -> Result<Input, Failure> {
    choose_for(files::read_input(paths)?, chosen, shell)
}

/// The same for files with their locations.
pub(crate) fn choose_for(input: Input, chosen: Option<ModelKind>, shell: &Shell) -> Result<Input, Failure> {
    let (input, warnings) = input.under(chosen)?;
    shell.warn_all(&warnings);
    Ok(input)
}
