//! Reads machines from files, and writes results into files.

use std::path::{Path, PathBuf};

use numasim_ask::reading::read_study;
use numasim_model::Machine;
use numasim_study::SourceFile;

use super::Failure;

/// The arguments of an example: the root of the repository, the folder of the results, and the requested results; none means all.
pub(crate) fn arguments() -> Result<(PathBuf, PathBuf, Vec<String>), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("which folder are the results for?")?);
    Ok((Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), folder, arguments.collect()))
}

/// The machine in a file of the repository.
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
