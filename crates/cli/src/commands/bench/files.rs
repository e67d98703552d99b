//! The files of a run: `RESULT.csv`, with `RESULT.provenance.json` and `RESULT.study.toml` next to it.
//!
//! Files of an older run next to it are replaced only when the first measurement of this run is safe. Until then those of this run have
//! names that end in `.partial`. Whenever a run is killed, its rows and its provenance are both present.

use std::path::{Path, PathBuf};
use std::{fs, io};

use numasim_bench::plan::Plan;
use numasim_bench::provenance::{self, Provenance};
use numasim_bench::result_file::{FileError, ResultFile};
use numasim_bench::session::{Outcome, Sink};
use numasim_evidence::measured::Row;
use numasim_study::writing::study;

use crate::commands::bench::{Kept, take_over};
use crate::failure::Failure;
use crate::output::{NotCreated, Place};

/// Open files of a run.
pub(super) struct Files {
    result: ResultFile,
    place: Place,
    provenance: Beside,
    study: Beside,
    /// Rows of an earlier part of the run.
    pub(super) earlier: Vec<Row>,
    /// Whether this process created the file of measurements.
    new: bool,
}

/// A file next to the measurements.
struct Beside {
    place: Place,
    /// Its path until the first measurement is safe.
    waiting: Place,
}

impl Files {
    /// Creates the files of a new run, or continues those of `--resume`; `provenance` gets the id of that run.
    pub(super) fn open(
        kept: &Kept,
        repetitions: u32,
        plan: &Plan,
        provenance: &mut Provenance,
    ) -> Result<Self, Failure> {
        let path = match &kept.path {
            Some(path) if path == Path::new("-") => {
                return Err(Failure::input("the measurements need a separate file, not standard output")
                    .hint("name it with -o RESULT.csv; --format csv prints the summary"));
            }
            Some(path) => path.clone(),
            None => default_path(provenance),
        };
        let place = Place::open(&path)?;
        let files = (place, Beside::of(&path, "provenance.json")?, Beside::of(&path, "study.toml")?);
        let bytes = estimate(plan, repetitions, provenance);
        let opened = if kept.resume && files.0.exists() {
            Self::resume(files, bytes, plan, provenance)?
        } else {
            Self::create(files, bytes)?
        };
        let written = opened.write_beside(plan, provenance);
        if written.is_err() {
            opened.remove_if_empty();
        }
        written.map(|()| opened)
    }

    fn create((place, provenance, study): (Place, Beside, Beside), bytes: u64) -> Result<Self, Failure> {
        let begin = |file: &fs::File| {
            let file = file.try_clone().map_err(|error| place.refused(&error))?;
            ResultFile::begin(place.path(), file, bytes).map_err(|error| to_failure(&error))
        };
        let (_, result) = place.create(begin).map_err(|why| match why {
            NotCreated::Exists => Failure::input(format!("{} already exists", place.path().display()))
                .hint("--resume continues it if it is from the same run; results are never overwritten")
                .hint("or give -o the name of another file"),
            NotCreated::Busy => place.busy(),
            NotCreated::System(error) => not_writable(&place, &error),
        })??;
        Ok(Self { result, place, provenance, study, earlier: Vec::new(), new: true })
    }

    fn resume(
        (place, provenance, study): (Place, Beside, Beside),
        bytes: u64,
        plan: &Plan,
        ours: &mut Provenance,
    ) -> Result<Self, Failure> {
        let file = place.resume().map_err(|error| not_writable(&place, &error))?;
        let run = ResultFile::run_of(place.path(), &file).map_err(|error| to_failure(&error))?;
        let Some(run) = run else {
            // The run was killed before its first measurement: there is no data to continue or to lose.
            let result = ResultFile::begin(place.path(), file, bytes).map_err(|error| to_failure(&error))?;
            return Ok(Self { result, place, provenance, study, earlier: Vec::new(), new: false });
        };
        let earlier = same_run(place.path(), &run, &provenance.paths(), ours)?;
        let (result, rows) = ResultFile::resume(place.path(), file, &run, &plan.scenarios, bytes)
            .map_err(|error| to_failure(&error))?;
        take_over(ours, earlier);
        Ok(Self { result, place, provenance, study, earlier: rows, new: false })
    }

    /// Path of the measurements.
    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Path of the study that ran.
    pub(super) fn study(&self) -> &Path {
        self.study.place.path()
    }

    /// Path of the provenance.
    pub(super) fn provenance(&self) -> &Path {
        self.provenance.place.path()
    }

    /// Writes the files next to the measurements; they wait for the first measurement.
    fn write_beside(&self, plan: &Plan, provenance: &Provenance) -> Result<(), Failure> {
        let study = study::study(&plan.study);
        let head = "# What `numasim bench` ran; the measurements are next to it.\n";
        let measured = self.result.measurements() > 0;
        self.study.write(&format!("{head}{study}"), measured)?;
        self.provenance.write(&provenance.to_json(), measured)
    }

    /// Closes the files. Returns whether they contain measurements; a new run without a measurement leaves no files.
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
        self.result.finish().map_err(|error| to_failure(&error))?;
        Ok(true)
    }

    fn remove_if_empty(&self) {
        if self.result.measurements() > 0 {
            return;
        }
        // The next run that needs the name reports files that cannot be removed.
        let _ = self.study.waiting.remove();
        let _ = self.provenance.waiting.remove();
        if self.new {
            let _ = self.place.remove();
        }
    }
}

impl Sink for Files {
    fn append(&mut self, rows: &[Row]) -> Result<(), FileError> {
        self.result.append(rows)?;
        self.study.measured()?;
        self.provenance.measured()
    }
}

impl Beside {
    fn of(result: &Path, ending: &str) -> Result<Self, Failure> {
        let place = Place::open(&with_ending(result, ending))?;
        let waiting = place.beside(".partial")?;
        Ok(Self { place, waiting })
    }

    /// Its possible paths. A run that was killed just after its first measurement has left the file under the second name.
    fn paths(&self) -> [&Path; 2] {
        [self.place.path(), self.waiting.path()]
    }

    fn write(&self, text: &str, measured: bool) -> Result<(), Failure> {
        let place = if measured { &self.place } else { &self.waiting };
        place.replace(text.as_bytes()).map_err(|error| not_writable(place, &error))?;
        if measured { self.waiting.remove().map_err(|error| self.waiting.refused(&error)) } else { Ok(()) }
    }

    /// A measurement is safe: the waiting files replace those of an older run.
    fn measured(&self) -> Result<(), FileError> {
        match self.waiting.rename(&self.place) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(FileError::NotWritable { path: self.place.path().to_owned(), source })
            }
            _ => Ok(()),
        }
    }
}

fn not_writable(place: &Place, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::ResourceBusy => place.busy(),
        _ => place.refused(error).hint("name a file in a folder that you may write to with -o"),
    }
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

/// Maximum size of a whole run in bytes: every measurement made twice, and the files next to it.
fn estimate(plan: &Plan, repetitions: u32, provenance: &Provenance) -> u64 {
    // Numbers, codes of measurement warnings and the text of a problem, generously rounded up.
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

/// The message about results that cannot be stored.
pub(super) fn to_failure(error: &FileError) -> Failure {
    use FileError::{Lost, NoRoom, NotWritable, OtherRun, Unreadable};
    let (failure, hint): (fn(String) -> Failure, _) = match error {
        Unreadable { .. } | OtherRun { .. } => (Failure::input, "give -o the name of another file"),
        NotWritable { .. } => (Failure::output, "name a file in a folder that you may write to with -o"),
        NoRoom { .. } => (Failure::output, "free some space, or name a file on another disk with -o"),
        Lost { .. } => (Failure::output, "the same command with --resume goes on once there is room"),
    };
    let failure = failure(error.to_string());
    let failure = match std::error::Error::source(error) {
        Some(source) => failure.caused_by(source),
        None => failure,
    };
    failure.hint(hint)
}

// Whether existing rows belong to the run that is to be continued.

/// Reads the provenance of the run `run` in `path` from the first file of `beside` that describes it. A different question is rejected,
/// and the message names the difference.
pub(super) fn same_run(
    path: &Path,
    run: &str,
    beside: &[&Path; 2],
    ours: &Provenance,
) -> Result<Provenance, Failure> {
    let refuse = |message: String| {
        Failure::input(message)
            .hint("give -o the name of another file for a new run; two runs never share a file")
    };
    let unknown = || refuse(format!("cannot tell which run {} belongs to", path.display()));
    let read = |place: &Path| -> Result<Provenance, Failure> {
        let text = fs::read_to_string(place).map_err(|error| unknown().caused_by(&error))?;
        let theirs = provenance::read(&text).map_err(|error| unknown().caused_by(&error))?;
        if theirs.run == run {
            return Ok(theirs);
        }
        let what = format!("{} is about run {}, the rows are of run {run}", place.display(), theirs.run);
        Err(unknown().caused_by(&io::Error::other(what)))
    };
    let [first, second] = beside;
    let theirs = read(first).or_else(|failure| read(second).map_err(|_| failure))?;
    match difference(&theirs, ours) {
        None => Ok(theirs),
        Some(difference) => Err(refuse(format!("{} belongs to another run: {difference}", path.display()))),
    }
}

/// The first difference between two runs that makes their rows incomparable. The number of repetitions may differ.
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
