//! Machines from files, results into files.

use std::path::Path;

use numasim_ask::reading::read_study;
use numasim_model::Machine;
use numasim_study::SourceFile;

use super::Failure;

/// The machine of a file of the repository.
pub(crate) fn machine(root: &Path, file: &str) -> Result<Machine, Failure> {
    let text = std::fs::read_to_string(root.join(file))?;
    match read_study(&[SourceFile { name: file.to_owned(), text }]) {
        Ok(reading) => Ok(reading.study.at_rest.machine),
        Err(problems) => Err(format!("{file}: {problems:?}").into()),
    }
}

/// A result.
pub(crate) fn write(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    Ok(std::fs::write(folder.join(name), text)?)
}
