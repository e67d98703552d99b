//! `tasks.rec` of StarPU: records of lines `Field: value` between empty lines (GNU recutils), one for each task.
//!
//! The fields are those that StarPU writes (`task_dump` in `src/debug/traces/starpu_fxt.c`): `Name`, `Model`, `JobId`, `SubmitOrder`,
//! `DependsOn`, `Priority`, `GFlop`, `StartTime` and `EndTime` (ms), `Handles`, `Modes`, `Sizes` (B), `MPIRank`. Handles are blocks.
//! Tasks are dumped as they end; the meaning of their accesses depends on the order in which they were submitted (sequential data
//! consistency), so that is the order here.
//!
//! Jobs and handles belong to a process (module `jobs`): equal handles of two ranks are two blocks.

use std::collections::HashMap;
use std::ops::Range;

use numasim_study::{Place, Problem, ProblemKind};

use crate::import::{Draft, DraftTask, Imported, Line, Noted, assemble, lines};
use crate::problems::{Problems, amount, at, computable_priority, shown};
use crate::values::AccessMode;

/// Omissions and assumptions.
#[derive(Default)]
struct Notes {
    without_order: Noted,
    timed: Noted,
    without_work: Noted,
    reductions: Noted,
    other_ranks: Noted,
}

/// Reads a `tasks.rec`. Tasks without `GFlop` took `EndTime - StartTime` at `reference_gflops`, the GFLOPS of a core that they ran on.
///
/// # Errors
/// Problems with their places: no records, tasks without `GFlop` if `reference_gflops` is unknown, fields that are no numbers or of
/// different lengths, jobs that occur twice or are missing, a cycle of jobs that depend on each other.
pub fn read(
    text: &str,
    name: &str,
    reference_gflops: impl Into<Option<f64>>,
) -> Result<Imported, Vec<Problem>> {
    let reference_gflops = reference_gflops.into();
    super::check_room(text, [text.matches("JobId:").count(), 700], 6)?;
    let mut problems = Problems::default();
    let mut notes = Notes::default();
    let mut all = records(text, &mut problems);
    let are_complete = problems.is_empty();
    if all.is_empty() && problems.is_empty() {
        let message = "there are no tasks: a record of `tasks.rec` has a line `JobId: NUMBER`";
        problems.add(Problem::new(ProblemKind::EmptyFile, message).at(Place::whole(0), ""));
    }
    if all.iter().all(|record| record.submit_order.is_some()) {
        all.sort_by_key(|record| record.submit_order);
    } else {
        for record in all.iter().filter(|record| record.submit_order.is_none()) {
            notes.without_order.at(record.job, &record.place);
        }
    }
    let first_rank = all.iter().find_map(|record| record.rank);
    let has_ranks = all.iter().any(|record| record.rank.is_some_and(|rank| Some(rank) != first_rank));
    for record in all.iter_mut().filter(|record| record.rank.is_none()) {
        record.rank = first_rank;
        if has_ranks {
            let message = "this record has no `MPIRank`, but the file has records of several ranks";
            let problem = Problem::new(ProblemKind::MissingKey, message);
            problems.add(problem.at(record.place.clone(), "of which rank?"));
        }
    }
    let jobs = Jobs::of(&all, &mut problems);
    let mut draft = Draft::default();
    let mut handles: HashMap<(Option<&str>, &str), u32> = HashMap::new();
    for record in all.iter().filter(|record| !record.is_no_task) {
        if problems.is_full() {
            break;
        }
        if record.rank != first_rank {
            notes.other_ranks.at(record.job, &record.place);
        }
        let mut task = DraftTask {
            name: named(record.job, record.rank, has_ranks),
            kind: record.kind.unwrap_or("task").to_owned(),
            gflop: work(record, reference_gflops, &mut notes, &mut problems),
            priority: record.priority,
            accesses: Vec::new(),
            parents: jobs.parents(record, are_complete, &mut problems),
            place: record.place.clone(),
        };
        for (handle, mode, bytes) in &record.accesses {
            let mode = match *mode {
                "R" => AccessMode::In,
                "W" => AccessMode::Out,
                "RW" => AccessMode::Inout,
                // Scratch memory belongs to the worker; no other task sees it.
                scratch if scratch.contains('S') => continue,
                // X reduces, RWC commutes: in any order, which is not modelled.
                _ => {
                    notes.reductions.at(record.job, &record.place);
                    AccessMode::Inout
                }
            };
            let known = handles.get(&(record.rank, *handle)).copied();
            let block = known.or_else(|| draft.block(named(handle, record.rank, has_ranks), 0.0));
            let Some(block) = block else {
                let message = "there are more handles than a graph may have blocks";
                problems.add(Problem::new(ProblemKind::Limit, message).at(record.place.clone(), "here"));
                break;
            };
            handles.insert((record.rank, *handle), block);
            if let Some((_, size)) = draft.blocks.get_mut(block as usize) {
                *size = size.max(*bytes);
            }
            task.accesses.push((block, mode, *bytes));
        }
        if let Err(problem) = draft.task(task) {
            problems.add(*problem);
            break;
        }
    }
    problems.none(())?;
    let graph = assemble(draft, name)?;
    Ok(Imported { graph, warnings: notes.warnings() })
}

impl Notes {
    fn warnings(self) -> Vec<super::Warning> {
        let jobs = ["the job", "jobs"];
        [
            self.without_order.warning(
                jobs,
                "without `SubmitOrder`: the order of the file is taken for that of submission",
            ),
            self.timed.warning(jobs, "without `GFlop`: work is time x reference GFLOPS"),
            self.without_work.warning(jobs, "without `GFlop`, `StartTime` and `EndTime`: no work"),
            self.reductions
                .warning(jobs, "with reductions or commuting accesses: they are in the order of submission"),
            self.other_ranks.warning(
                jobs,
                "of another `MPIRank`: handles are addresses of a process, so that its blocks are others, and what ranks send to each other is not in the file",
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// A job or handle: with the rank as a prefix if there are several, unless StarPU has written it there.
fn named(name: &str, rank: Option<&str>, has_ranks: bool) -> String {
    match rank.filter(|_| has_ranks) {
        Some(rank) if without_rank(name, rank).is_none() => format!("{rank}_{name}"),
        _ => name.to_owned(),
    }
}

/// Work of a job, 10^9 FLOP.
fn work(
    record: &Record<'_>,
    reference_gflops: Option<f64>,
    notes: &mut Notes,
    problems: &mut Problems,
) -> f64 {
    match (record.gflop, record.start_ms, record.end_ms) {
        (Some(gflop), _, _) => gflop,
        (None, Some(start), Some(end)) => {
            let Some(reference_gflops) = reference_gflops else {
                let message = format!("the job {} has no `GFlop`, but a time", shown(record.job));
                let hint =
                    "give --reference-gflops, the GFLOPS of a core that it ran on: work is time x GFLOPS";
                let problem = Problem::new(ProblemKind::MissingKey, message).hint(hint);
                problems.add(problem.at(record.place.clone(), "here"));
                return 0.0;
            };
            notes.timed.at(record.job, &record.place);
            if end < start {
                let message =
                    format!("the job {} ended at {end} ms, before it began at {start} ms", shown(record.job));
                problems.add(Problem::new(ProblemKind::BadValue, message).at(record.place.clone(), "here"));
            }
            (end - start) / 1e3 * reference_gflops
        }
        _ => {
            notes.without_work.at(record.job, &record.place);
            0.0
        }
    }
}

// Records of a `tasks.rec`, field by field.

/// A record with a job.
#[derive(Clone, Debug)]
struct Record<'t> {
    job: &'t str,
    /// The process that ran it, for a program on several.
    rank: Option<&'t str>,
    /// `Model`, else `Name`.
    kind: Option<&'t str>,
    submit_order: Option<u64>,
    /// Jobs, and the places of their names.
    depends_on: Vec<(&'t str, Range<usize>)>,
    priority: f64,
    gflop: Option<f64>,
    start_ms: Option<f64>,
    end_ms: Option<f64>,
    /// Handle, mode, bytes.
    accesses: Vec<(&'t str, &'t str, f64)>,
    /// The record states that a handle is not used any more, and runs nothing.
    is_no_task: bool,
    /// Its line `JobId`.
    place: Place,
}

/// The fields of a record during reading.
#[derive(Default)]
struct Fields<'t> {
    any: Option<Line<'t>>,
    job: Option<(&'t str, Range<usize>)>,
    rank: Option<&'t str>,
    name: Option<&'t str>,
    model: Option<&'t str>,
    submit_order: Option<u64>,
    depends_on: Vec<(&'t str, Range<usize>)>,
    priority: f64,
    gflop: Option<f64>,
    start_ms: Option<f64>,
    end_ms: Option<f64>,
    handles: Vec<(&'t str, Range<usize>)>,
    modes: Vec<(&'t str, Range<usize>)>,
    sizes: Vec<(&'t str, Range<usize>)>,
    is_no_task: bool,
}

/// All records that have a job.
fn records<'t>(text: &'t str, problems: &mut Problems) -> Vec<Record<'t>> {
    let mut all = Vec::new();
    let mut fields = Fields::default();
    for line in lines(text) {
        if problems.is_full() {
            break;
        }
        // Comments, continued values and descriptions of records (`%rec: Task`) contain nothing about a task.
        if line.text.starts_with(['#', '+', '%']) {
            continue;
        }
        if line.text.trim().is_empty() {
            all.extend(std::mem::take(&mut fields).record(problems));
            continue;
        }
        let Some((key, _)) = line.text.split_once(':') else {
            let message = "this is no line of a record: write `Field: value`";
            problems.add(at(ProblemKind::Syntax, 0, line.span(), message));
            continue;
        };
        fields.read(key, line, problems);
        // StarPU ends this field with the line that should be the empty one after the record.
        if key == "EndDependencies" {
            all.extend(std::mem::take(&mut fields).record(problems));
        }
    }
    all.extend(fields.record(problems));
    all
}

impl<'t> Fields<'t> {
    fn read(&mut self, key: &str, line: Line<'t>, problems: &mut Problems) {
        self.any.get_or_insert(line);
        let from = key.len() + 1;
        let value = line.text.get(from..).unwrap_or_default().trim();
        let words = || line.words(from).collect::<Vec<_>>();
        let mut number = |into: &mut Option<f64>, negative: bool| {
            let read = value.parse::<f64>().ok().filter(|read| negative && read.is_finite());
            match read.map_or_else(|| amount(value), Ok) {
                Ok(read) => *into = Some(read),
                Err(why) => {
                    let message = format!("`{}` is {why}", shown(key));
                    problems.add(at(ProblemKind::BadValue, 0, line.span(), message));
                }
            }
        };
        match key {
            "MPIRank" => self.rank = Some(value),
            "Name" => self.name = Some(value),
            "Model" => self.model = Some(value),
            "Control" => self.is_no_task = value == "WontUse",
            "Priority" => match computable_priority(value) {
                Ok(priority) => self.priority = priority,
                Err(why) => {
                    let message = format!("`Priority` is {why}");
                    problems.add(at(ProblemKind::BadValue, 0, line.span(), message));
                }
            },
            "GFlop" => number(&mut self.gflop, false),
            "StartTime" => number(&mut self.start_ms, true),
            "EndTime" => number(&mut self.end_ms, true),
            "DependsOn" => self.depends_on = words(),
            "Handles" => self.handles = words(),
            "Modes" => self.modes = words(),
            "Sizes" => self.sizes = words(),
            "JobId" => match line.words(from).next() {
                Some(job) if self.job.is_none() => self.job = Some(job),
                Some(_) => {
                    let message = "this record has a second `JobId`: an empty line ends a record";
                    problems.add(at(ProblemKind::DuplicateKey, 0, line.span(), message));
                }
                None => problems.add(at(ProblemKind::BadValue, 0, line.span(), "`JobId` is empty")),
            },
            "SubmitOrder" => {
                self.submit_order = value.parse().ok();
                if self.submit_order.is_none() {
                    let message = format!("`SubmitOrder` is '{}', not a whole number", shown(value));
                    problems.add(at(ProblemKind::BadValue, 0, line.span(), message));
                }
            }
            _ => {}
        }
    }

    /// The record, unless it is empty or invalid.
    fn record(self, problems: &mut Problems) -> Option<Record<'t>> {
        let first = self.any?;
        let Some((job, place)) = self.job.clone() else {
            let message = "the record that begins here has no `JobId`";
            problems.add(at(ProblemKind::MissingKey, 0, first.span(), message));
            return None;
        };
        let accesses = if self.is_no_task { Some(Vec::new()) } else { problems.take(self.accesses()) };
        Some(Record {
            job,
            rank: self.rank,
            kind: self.model.or(self.name),
            submit_order: self.submit_order,
            depends_on: self.depends_on,
            priority: self.priority,
            gflop: self.gflop,
            start_ms: self.start_ms,
            end_ms: self.end_ms,
            accesses: accesses?,
            is_no_task: self.is_no_task,
            place: Place::at(0, place),
        })
    }

    #[allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]
    fn accesses(&self) -> Result<Vec<(&'t str, &'t str, f64)>, Problem> {
        let counts = [self.handles.len(), self.modes.len(), self.sizes.len()];
        if counts.iter().any(|count| *count != self.handles.len()) {
            let [handles, modes, sizes] = counts;
            let message = format!(
                "this job has {handles} `Handles`, {modes} `Modes` and {sizes} `Sizes`, of which it needs equally many"
            );
            let place = self.job.as_ref().map_or(0..0, |job| job.1.clone());
            return Err(at(ProblemKind::WrongLength, 0, place, message));
        }
        let mut accesses = Vec::with_capacity(self.handles.len());
        for (((handle, _), (mode, at_mode)), (size, at_size)) in
            self.handles.iter().zip(&self.modes).zip(&self.sizes)
        {
            let known = mode.contains(['R', 'W', 'S', 'X']) && mode.chars().all(|c| "RWSXC-mpi".contains(c));
            if !known {
                let message = format!("`Modes` has '{}', which is none of R, W, RW, S, X", shown(mode));
                return Err(at(ProblemKind::BadValue, 0, at_mode.clone(), message));
            }
            let bytes = amount(size);
            let bytes = bytes
                .map_err(|why| at(ProblemKind::BadValue, 0, at_size.clone(), format!("a size is {why}")))?;
            accesses.push((*handle, *mode, bytes));
        }
        Ok(accesses)
    }
}

// Jobs by number and rank, and whether they are tasks.
//
// Each process of a program counts its jobs separately. StarPU writes the rank before the number of a task and of its dependences
// (`1_7`), and leaves it out of records `Control: WontUse`, which have only `MPIRank`.

/// The number of the task of each job; `None` for jobs that are no tasks.
struct Jobs<'t>(HashMap<(Option<&'t str>, &'t str), Option<u32>>);

/// `7` of `1_7`, if the rank is 1.
fn without_rank<'t>(job: &'t str, rank: &str) -> Option<&'t str> {
    job.strip_prefix(rank)?.strip_prefix('_')
}

/// The key of a job: its rank, and its number there.
fn key<'t>(job: &'t str, rank: Option<&'t str>) -> (Option<&'t str>, &'t str) {
    (rank, rank.and_then(|rank| without_rank(job, rank)).unwrap_or(job))
}

impl<'t> Jobs<'t> {
    /// Jobs of all records; tasks are numbered in the order of the records.
    fn of(all: &[Record<'t>], problems: &mut Problems) -> Self {
        let mut jobs = HashMap::new();
        let mut next = 0;
        for record in all {
            let number = (!record.is_no_task).then_some(next);
            if jobs.insert(key(record.job, record.rank), number).is_some() {
                let message = format!("the job {} is there twice", shown(record.job));
                let problem = Problem::new(ProblemKind::DuplicateName, message);
                problems.add(problem.at(record.place.clone(), "again"));
            }
            next += u32::from(number.is_some());
        }
        Self(jobs)
    }

    /// The tasks on which a record depends; a job that could not be read exists all the same.
    fn parents(&self, record: &Record<'t>, are_complete: bool, problems: &mut Problems) -> Vec<u32> {
        let mut parents = Vec::new();
        for &(job, ref place) in &record.depends_on {
            if let Some(number) = self.find(job, record.rank) {
                parents.extend(number);
            } else if are_complete {
                let message =
                    format!("there is no job {}, on which {} depends", shown(job), shown(record.job));
                problems.add(at(ProblemKind::UnknownName, 0, place.clone(), message));
            }
        }
        parents
    }

    /// A job of the same rank, or of the rank in its number.
    fn find(&self, job: &'t str, rank: Option<&'t str>) -> Option<&Option<u32>> {
        let other = || job.split_once('_').map(|(rank, _)| key(job, Some(rank)));
        self.0.get(&key(job, rank)).or_else(|| self.0.get(&other()?))
    }
}
