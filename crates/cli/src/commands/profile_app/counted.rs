//! The runs of the files with counters.

use std::path::Path;

use numasim_evidence::app_profile::benched::read_benched;
use numasim_evidence::app_profile::placement::Look;
use numasim_evidence::formats::counted::{Run, joined};
use numasim_evidence::formats::likwid_perfctr::read_likwid;
use numasim_evidence::formats::perf::read_perf;
use numasim_model::Machine;
use numasim_study::Problem;

use crate::args::ProfileAppArgs;
use crate::failure::Failure;
use crate::files;

/// What the files with counters say.
#[derive(Debug, Default)]
pub(super) struct Counted {
    pub(super) runs: Vec<Run>,
    /// Where the data lay, of files that say it.
    pub(super) looks: Vec<Look>,
    /// The application of a measured CSV.
    pub(super) app: Option<String>,
    /// Each file, in words.
    pub(super) origin: Vec<String>,
}

/// Reads all of them.
pub(super) fn read(args: &ProfileAppArgs, machine: Option<&Machine>) -> Result<Counted, Failure> {
    if !args.threads.is_empty() && args.threads.len() != args.perf.len() {
        let message =
            format!("--threads has {} numbers, --perf {} files", args.threads.len(), args.perf.len());
        return Err(Failure::input(message).hint("give the threads of each run, in the order of the files"));
    }
    let mut counted = Counted::default();
    for path in &args.files {
        let nodes = machine.map(Machine::node_count);
        let benched = located(path, |text| read_benched(text, args.app.as_deref(), nodes))?;
        if let Some(other) = counted.app.as_ref().filter(|other| **other != benched.app) {
            let message =
                format!("{} has application '{}', the file before it '{other}'", path.display(), benched.app);
            return Err(Failure::input(message).hint("choose one with --app"));
        }
        counted.origin.push(format!(
            "{}: application '{}' as numasim bench measured it",
            path.display(),
            benched.app
        ));
        counted.app = Some(benched.app);
        counted.looks.extend(benched.looks);
        counted.runs.extend(benched.runs);
    }
    let mut others = Vec::new();
    for (number, path) in args.perf.iter().enumerate() {
        let mut run = located(path, |text| read_perf(text).map_err(|problem| vec![problem]))?;
        run.threads = args.threads.get(number).copied();
        run.file = path.display().to_string();
        let threads = match run.threads {
            Some(1) => ", 1 thread".to_owned(),
            Some(threads) => format!(", {threads} threads"),
            None => String::new(),
        };
        counted.origin.push(format!("{}: perf stat{threads}", path.display()));
        others.push(run);
    }
    for path in &args.likwid {
        let runs =
            located(path, |text| read_likwid(text, args.region.as_deref()).map_err(|problem| vec![problem]))?;
        counted.origin.push(format!("{}: likwid-perfctr", path.display()));
        others.extend(runs.into_iter().map(|run| Run { file: path.display().to_string(), ..run }));
    }
    counted.runs.extend(joined(others));
    for run in &mut counted.runs {
        run.doubts.extend(run.lacks_rest());
    }
    Ok(counted)
}

/// Reads a file; what is wrong with it is shown where it is.
fn located<T>(path: &Path, read: impl FnOnce(&str) -> Result<T, Vec<Problem>>) -> Result<T, Failure> {
    let source = files::read_measurements(path)?;
    read(&source.text).map_err(|problems| files::refused(&problems, source.clone()))
}
