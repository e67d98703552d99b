//! The files of a report.

use std::path::{Path, PathBuf};

use numasim_study::SourceFile;

use crate::failure::Failure;
use crate::files::{self, ends_with};
use numasim_bench::bundle::{self, Bundle};

/// The files of a report.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Files and folders named on the command line.
    pub(super) named: Vec<PathBuf>,
    /// The measurements named on the command line.
    pub(super) named_measured: Option<PathBuf>,
    /// Input files, to be merged.
    pub(super) files: Vec<PathBuf>,
    /// The measurements, if there are any.
    pub(super) measured: Option<PathBuf>,
    /// Their provenance, if it is next to them.
    pub(super) provenance: Option<PathBuf>,
    /// The result of `validate` for the last-level cache.
    pub(super) cache: Option<PathBuf>,
    /// Other files of the folder that were not read.
    pub(super) aside: Vec<PathBuf>,
    /// The bundle with the files above; `None` if they are on disk.
    bundle: Option<Bundle>,
    /// The bundle's own file, if it has one.
    bundle_file: Option<PathBuf>,
}

impl Inputs {
    /// The files of a bundle: those that would be read from a folder with the same files.
    pub(super) fn of_bundle(bundle: Bundle) -> Self {
        let read = [bundle::STUDY, bundle::MEASURED, bundle::PROVENANCE];
        let [study, measured, provenance] = read.map(PathBuf::from);
        let cache = bundle.text(bundle::CACHE).is_some().then(|| PathBuf::from(bundle::CACHE));
        let aside = bundle
            .names()
            .filter(|name| !read.contains(name) && *name != bundle::PAGE && *name != bundle::CACHE);
        Self {
            named: vec![PathBuf::from(".")],
            named_measured: None,
            cache,
            files: vec![study],
            measured: Some(measured),
            provenance: Some(provenance),
            aside: aside.map(PathBuf::from).collect(),
            bundle: Some(bundle),
            bundle_file: None,
        }
    }

    /// The named bundle.
    pub(super) fn bundle_file(&self) -> Option<&Path> {
        self.bundle_file.as_deref()
    }

    /// The texts of the input files.
    pub(super) fn studies(&self) -> Result<Vec<SourceFile>, Failure> {
        match &self.bundle {
            None => files::read_texts(&self.files),
            Some(bundle) => self.files.iter().map(|path| in_bundle(bundle, path)).collect(),
        }
    }

    /// The text of the measurements, or of their provenance.
    pub(super) fn read(&self, path: &Path) -> Result<SourceFile, Failure> {
        match &self.bundle {
            None => files::read_measurements(path),
            Some(bundle) => in_bundle(bundle, path),
        }
    }

    /// Every file on disk that is read; none of them may be the output.
    pub(super) fn on_disk(&self) -> Vec<PathBuf> {
        if self.bundle.is_some() {
            return self.bundle_file.iter().cloned().collect();
        }
        let Self { files, measured, provenance, cache, .. } = self;
        files.iter().chain(measured).chain(provenance).chain(cache).cloned().collect()
    }
}

fn in_bundle(bundle: &Bundle, path: &Path) -> Result<SourceFile, Failure> {
    let name = path.display().to_string();
    let found = bundle.source(&name, name.clone());
    // A bundle without these files is invalid.
    found.ok_or_else(|| Failure::fault(format!("the bundle has no {name}")))
}

/// Finds the files: those named, and the contents of a folder.
pub(super) fn find(
    paths: &[PathBuf],
    measured: Option<&Path>,
    output: Option<&Path>,
) -> Result<Inputs, Failure> {
    if let Some(path) = paths.iter().find(|path| files::is_bundle(path)) {
        return from_bundle(path, paths, measured);
    }
    let measured = measured.map(Path::to_owned);
    let (named, named_measured) = (paths.to_vec(), measured.clone());
    let mut inputs = Inputs { named, named_measured, measured, ..Inputs::default() };
    for path in paths {
        if path.is_dir() {
            from_folder(path, &mut inputs)?;
        } else {
            inputs.files.push(path.clone());
        }
    }
    if inputs.files.is_empty() {
        // The study that ran is next to the measurements.
        let beside = inputs.measured.as_deref().map(|csv| beside(csv, "study.toml"));
        match beside.filter(|study| study.exists()) {
            Some(study) => {
                inputs.aside.retain(|path| *path != study);
                inputs.files.push(study);
            }
            None => return Err(no_files(paths)),
        }
    }
    let provenance = inputs.measured.as_deref().map(|csv| beside(csv, "provenance.json"));
    inputs.provenance = provenance.filter(|path| path.exists());
    let Inputs { measured, provenance, aside, .. } = &mut inputs;
    let read = [measured.as_deref(), provenance.as_deref(), output];
    aside.retain(|path| !read.into_iter().flatten().any(|read| read == path));
    Ok(inputs)
}

/// A bundle is complete, so no other files may be named.
fn from_bundle(path: &Path, paths: &[PathBuf], measured: Option<&Path>) -> Result<Inputs, Failure> {
    if paths.len() > 1 || measured.is_some() {
        let message = format!("{} has everything that a page is made from", path.display());
        return Err(Failure::input(message).hint("name the bundle alone, or other files without it"));
    }
    let (bundle_file, named) = (Some(path.to_owned()), paths.to_vec());
    Ok(Inputs { named, bundle_file, ..Inputs::of_bundle(files::read_bundle(path)?) })
}

fn no_files(paths: &[PathBuf]) -> Failure {
    match paths {
        [folder] if folder.is_dir() => {
            Failure::input(format!("{} has no input file: no .toml in it", folder.display()))
                .hint(format!("name the files: numasim report {} machine.toml study.toml", folder.display()))
        }
        _ => Failure::input("there is no input file").hint(
            "name the TOML files of machine, applications and scenarios; `numasim bench` writes them to RESULT.study.toml next to its RESULT.csv",
        ),
    }
}

/// Adds the input files of a folder, and its measurements unless others were named.
fn from_folder(folder: &Path, inputs: &mut Inputs) -> Result<(), Failure> {
    let found = files::in_folder(folder)?;
    // The study that ran is complete, and the measurements belong to it.
    let ran = found.iter().find(|path| path.ends_with("measured.study.toml")).cloned();
    for path in found {
        if path.file_name().is_some_and(|name| name == bundle::CACHE) {
            inputs.cache = Some(path);
            continue;
        }
        let wanted = match &ran {
            Some(ran) => path == *ran,
            None => ends_with(&path, ".toml") && !ends_with(&path, ".study.toml"),
        };
        if wanted {
            inputs.files.push(path);
        } else {
            inputs.aside.push(path);
        }
    }
    if inputs.measured.is_none() {
        inputs.measured = measured_in(folder, &inputs.aside)?;
    }
    Ok(())
}

/// `measured.csv`, or the only CSV that has measurements.
fn measured_in(folder: &Path, files: &[PathBuf]) -> Result<Option<PathBuf>, Failure> {
    let usual = folder.join("measured.csv");
    if files.contains(&usual) {
        return Ok(Some(usual));
    }
    let tables: Vec<&PathBuf> =
        files.iter().filter(|path| ends_with(path, ".csv") && is_measured(path)).collect();
    match tables.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some((*only).clone())),
        [first, ..] => {
            let names: Vec<String> = tables.iter().map(|path| path.display().to_string()).collect();
            Err(Failure::input(format!("{} has several files of measurements", folder.display()))
                .hint(format!("choose one: --measured {}", first.display()))
                .hint(format!("they are {}", names.join(", "))))
        }
    }
}

/// Whether the header has the columns of measurements.
fn is_measured(path: &Path) -> bool {
    files::csv_header(path).is_some_and(|header| {
        let columns: Vec<&str> = header.split(',').map(|column| column.trim().trim_matches('"')).collect();
        columns.contains(&"scenario") && columns.contains(&"gflops")
    })
}

/// The file that `numasim bench` writes next to its result.
pub(super) fn beside(csv: &Path, ending: &str) -> PathBuf {
    csv.with_extension(ending)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a file for the test");
        }
        folder
    }

    fn found(folder: &tempfile::TempDir) -> Result<Inputs, Failure> {
        find(&[folder.path().to_owned()], None, None)
    }

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().filter_map(|path| path.file_name()?.to_str()).collect()
    }

    #[test]
    fn a_folder_gives_its_input_files_and_its_measurements() {
        let folder = folder(&[
            ("machine.toml", ""),
            ("measured.csv", "scenario,app,gflops\n"),
            ("measured.provenance.json", "{}"),
            ("other.study.toml", ""),
            ("README.md", ""),
            ("study.toml", ""),
        ]);
        let inputs = found(&folder).expect("a whole folder");
        assert_eq!(names(&inputs.files), ["machine.toml", "study.toml"]);
        assert_eq!(inputs.measured, Some(folder.path().join("measured.csv")));
        assert_eq!(names(&inputs.aside), ["README.md", "other.study.toml"]);
    }

    #[test]
    fn measurements_belong_to_what_ran() {
        let folder = folder(&[("machine.toml", ""), ("measured.csv", ""), ("measured.study.toml", "")]);
        let inputs = found(&folder).expect("a whole folder");
        // The files that it was created from may describe a larger machine.
        assert_eq!(names(&inputs.files), ["measured.study.toml"]);
        assert_eq!(names(&inputs.aside), ["machine.toml"]);
    }

    #[test]
    fn what_the_benchmark_wrote_is_enough() {
        let folder = folder(&[
            ("run.csv", "# made by a benchmark\nrun,scenario,app,gflops\n"),
            ("errors.csv", "scenario,app,error\n"),
            ("run.study.toml", ""),
        ]);
        let inputs = found(&folder).expect("a result");
        assert_eq!(
            (names(&inputs.files), names(&inputs.aside)),
            (vec!["run.study.toml"], vec!["errors.csv"])
        );
        assert_eq!(inputs.measured, Some(folder.path().join("run.csv")));
    }

    #[test]
    fn two_files_of_measurements_are_not_mixed_up() {
        let folder =
            folder(&[("a.csv", "scenario,gflops\n"), ("b.csv", "scenario,gflops\n"), ("s.toml", "")]);
        let refused = found(&folder).expect_err("two of them").to_string();
        assert!(
            refused.contains("several files of measurements") && refused.contains("--measured"),
            "{refused}"
        );
    }

    #[test]
    fn a_folder_without_input_files_is_refused() {
        let refused = found(&folder(&[("README.md", "")])).expect_err("nothing in it").to_string();
        assert!(refused.contains("no .toml in it"), "{refused}");
    }
}
