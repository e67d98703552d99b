//! The files of a run: `RESULT.csv`, and beside it `RESULT.provenance.json` and `RESULT.study.toml`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use numasim_bench::HostTopology;
use numasim_bench::measured::{FileError, ResultFile, Row};
use numasim_bench::plan::{Plan, study_file};
use numasim_bench::provenance::{self, Input, Measuring, Provenance, Tool, utc};
use numasim_bench::runner::Settings;
use numasim_bench::session::{Outcome, new_run_id};

use super::doubts::Doubting;
use super::planning::Asked;
use super::take_over;
use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::output::Destination;

/// Open files of a run.
pub(super) struct Files {
    pub(super) result: ResultFile,
    pub(super) provenance: PathBuf,
    pub(super) study: PathBuf,
    /// Rows of an earlier part of the run.
    pub(super) earlier: Vec<Row>,
    /// They were made by this process.
    new: bool,
}

impl Files {
    /// Creates the files of a new run, or takes those of `--resume` up again; `provenance` gets the id of that run.
    pub(super) fn open(args: &BenchArgs, plan: &Plan, provenance: &mut Provenance) -> Result<Self, Failure> {
        let path = match &args.output {
            Some(path) if path == Path::new("-") => {
                return Err(Failure::input("the measurements need a file of their own, not standard output")
                    .hint("name it with -o RESULT.csv; --format csv prints the summary"));
            }
            Some(path) => path.clone(),
            None => default_path(provenance),
        };
        if args.files.iter().any(|input| same(input, &path)) {
            return Err(Failure::input(format!("{} is also an input file", path.display()))
                .hint("give -o the name of another file"));
        }
        let (beside, study) = (with_ending(&path, "provenance.json"), with_ending(&path, "study.toml"));
        let bytes = estimate(plan, args.repeat, provenance);
        let found = path.try_exists().unwrap_or(true);
        if args.resume && found {
            let earlier = same_run(&path, &beside, provenance)?;
            let run = earlier.run.clone();
            let (result, rows) =
                ResultFile::resume(&path, &run, &plan.scenarios, bytes).map_err(|error| told(&error))?;
            take_over(provenance, earlier);
            return Ok(Self { result, provenance: beside, study, earlier: rows, new: false });
        }
        let result = ResultFile::create(&path, bytes).map_err(|error| told(&error))?;
        Ok(Self { result, provenance: beside, study, earlier: Vec::new(), new: true })
    }

    /// Where the measurements are.
    pub(super) fn path(&self) -> &Path {
        self.result.path()
    }

    /// Writes what stands beside the measurements.
    pub(super) fn write_beside(&self, plan: &Plan, provenance: &Provenance) -> Result<(), Failure> {
        let study = toml::to_string(&study_file::study_file(&plan.study))
            .map_err(|error| Failure::fault("cannot write the study as TOML").caused_by(&error))?;
        let head = "# What `numasim bench` ran; the measurements are beside it.\n";
        let written = Destination::open(Some(&self.study), &[])
            .and_then(|file| file.deliver(&format!("{head}{study}")))
            .and_then(|()| Destination::open(Some(&self.provenance), &[])?.deliver(&provenance.to_json()));
        if written.is_err() {
            self.remove_if_empty();
        }
        written
    }

    /// Ends the files. Returns whether there is anything in them; a new run without a measurement leaves nothing.
    pub(super) fn finish(
        &self,
        plan: &Plan,
        provenance: &Provenance,
        outcome: &Outcome,
    ) -> Result<bool, Failure> {
        if outcome.rows.is_empty() {
            self.remove_if_empty();
            return Ok(false);
        }
        self.write_beside(plan, provenance)?;
        self.result.finish().map_err(|error| told(&error))?;
        Ok(true)
    }

    fn remove_if_empty(&self) {
        if self.new && self.result.measurements() == 0 {
            for path in [self.path(), &self.provenance, &self.study] {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Where a run comes from, before it begins.
pub(super) fn provenance(
    asked: &Asked,
    args: &BenchArgs,
    host: &HostTopology,
    plan: &Plan,
    settings: &Settings,
    doubting: &Doubting,
) -> Provenance {
    let bind = numasim_bench::plan::Bind::from(args.bind).as_str();
    let features = if cfg!(feature = "hwloc") { vec!["hwloc".to_owned()] } else { Vec::new() };
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let fitted = plan.changes.iter().map(|change| format!("scenario '{}': {change}", change.scenario()));
    let mut provenance = Provenance {
        schema: provenance::SCHEMA,
        run: new_run_id(),
        tool: Tool {
            name: "numasim".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            features,
            profile: profile.to_owned(),
        },
        command: command(),
        started_utc: utc(SystemTime::now()),
        ended_utc: None,
        facts: doubting.facts.clone(),
        nodes: provenance::nodes(host),
        settings: Measuring::new(settings, args.repeat, bind),
        inputs: asked.texts.iter().map(|file| Input::new(&file.name, &file.text)).collect(),
        fitted: fitted.collect(),
        doubts: Vec::new(),
    };
    provenance.doubt(&doubting.before);
    provenance
}

/// What was typed: the program by its name, wherever on this host it lies.
fn command() -> Vec<String> {
    let mut words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(program) = words.first_mut() {
        let name = Path::new(program.as_str()).file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name {
            *program = name;
        }
    }
    words
}

/// Reads the provenance of the run to go on with; another question is refused and the difference named.
fn same_run(path: &Path, beside: &Path, ours: &Provenance) -> Result<Provenance, Failure> {
    let refuse = |message: String| {
        Failure::input(message)
            .hint("give -o the name of another file for a new run; two runs never share a file")
    };
    let text = fs::read_to_string(beside).map_err(|error| {
        refuse(format!("cannot tell which run {} belongs to", path.display())).caused_by(&error)
    })?;
    let theirs = provenance::read(&text).map_err(|error| {
        refuse(format!("cannot tell which run {} belongs to", path.display())).caused_by(&error)
    })?;
    match difference(&theirs, ours) {
        None => Ok(theirs),
        Some(difference) => Err(refuse(format!("{} belongs to another run: {difference}", path.display()))),
    }
}

/// The first thing in which two runs differ that makes their rows incomparable. The number of repetitions may differ.
fn difference(theirs: &Provenance, ours: &Provenance) -> Option<String> {
    let hashes = |one: &Provenance| one.inputs.iter().map(|input| input.sha256.clone()).collect::<Vec<_>>();
    if hashes(theirs) != hashes(ours) {
        let changed =
            ours.inputs.iter().zip(&theirs.inputs).find(|(ours, theirs)| ours.sha256 != theirs.sha256);
        return Some(changed.map_or_else(
            || format!("it had {} input files and now has {}", theirs.inputs.len(), ours.inputs.len()),
            |(ours, _)| format!("the input file {} has changed", ours.name),
        ));
    }
    let (a, b) = (&theirs.settings, &ours.settings);
    let pairs = [
        ("the version of numasim", theirs.tool.version.clone(), ours.tool.version.clone()),
        ("the build", theirs.tool.profile.clone(), ours.tool.profile.clone()),
        ("the host", shown(theirs.facts.host_name.as_ref()), shown(ours.facts.host_name.as_ref())),
        ("--isa", a.isa.clone(), b.isa.clone()),
        ("--warm-up", a.warm_up_s.to_string(), b.warm_up_s.to_string()),
        ("--window", a.window_s.to_string(), b.window_s.to_string()),
        ("--bind", a.bind.clone(), b.bind.clone()),
        ("--processes", a.processes.to_string(), b.processes.to_string()),
        ("the memory of a thread in bytes", a.bytes_per_thread.to_string(), b.bytes_per_thread.to_string()),
    ];
    if let Some((what, before, now)) = pairs.into_iter().find(|(_, before, now)| before != now) {
        return Some(format!("{what} was {before} and is now {now}"));
    }
    if theirs.nodes != ours.nodes {
        return Some("the NUMA nodes or usable cores of the host were different".to_owned());
    }
    (theirs.fitted != ours.fitted).then(|| "scenarios were scaled to the host differently".to_owned())
}

fn shown(name: Option<&String>) -> String {
    name.map_or_else(|| "unknown".to_owned(), Clone::clone)
}

/// `bench-HOST-20261121T095206Z.csv` in the current folder.
fn default_path(provenance: &Provenance) -> PathBuf {
    let host = provenance.facts.host_name.as_deref().unwrap_or("host");
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let host: String = host.chars().map(plain).take(64).collect();
    let time: String = provenance.started_utc.chars().take(19).filter(|c| !matches!(c, '-' | ':')).collect();
    PathBuf::from(format!("bench-{host}-{time}Z.csv"))
}

/// `a/r.csv` with `study.toml`: `a/r.study.toml`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = if path.extension().is_some_and(|extension| extension == "csv") {
        path.with_extension("").into_os_string()
    } else {
        path.as_os_str().to_owned()
    };
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

fn same(a: &Path, b: &Path) -> bool {
    a == b || a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Bytes that a whole run needs at most: every measurement made twice, and what stands beside.
fn estimate(plan: &Plan, repetitions: u32, provenance: &Provenance) -> u64 {
    // Numbers, codes of doubts and the text of a problem, generously.
    const ROW: u64 = 800;
    let rows = plan.scenarios.iter().flat_map(|scenario| {
        let name = scenario.name.len() as u64;
        scenario.apps.iter().map(move |app| {
            let each = ROW + name + app.name.len() as u64 + 24 * app.threads.len() as u64;
            app.nodes().len() as u64 * each
        })
    });
    rows.sum::<u64>() * u64::from(repetitions) * 2 + 2 * provenance.to_json().len() as u64 + (64 << 10)
}

/// What is told about results that cannot be kept.
pub(super) fn told(error: &FileError) -> Failure {
    let failure = match error {
        FileError::Exists(_) | FileError::Missing(_) | FileError::Busy(_) => {
            Failure::input(error.to_string())
        }
        FileError::Unreadable { .. } | FileError::OtherRun { .. } => Failure::input(error.to_string()),
        FileError::NotWritable { .. } | FileError::NoRoom { .. } | FileError::Lost { .. } => {
            Failure::output(error.to_string())
        }
    };
    let failure = match std::error::Error::source(error) {
        Some(source) => failure.caused_by(source),
        None => failure,
    };
    match error {
        FileError::Exists(_) => failure
            .hint("--resume continues it if it is from the same run; results are never overwritten")
            .hint("or give -o the name of another file"),
        FileError::Missing(_) => failure.hint("leave --resume out to start a run"),
        FileError::Busy(_) => failure.hint("wait for it, or give -o the name of another file"),
        FileError::Unreadable { .. } | FileError::OtherRun { .. } => {
            failure.hint("give -o the name of another file")
        }
        FileError::NotWritable { .. } => {
            failure.hint("name a file in a folder that you may write to with -o")
        }
        FileError::NoRoom { .. } => failure.hint("free some space, or name a file on another disk with -o"),
        FileError::Lost { .. } => {
            failure.hint("the same command with --resume continues once there is space")
        }
    }
}
