//! Records of a `tasks.rec`, field by field.

use std::ops::Range;

use numasim_study::{Place, Problem, ProblemKind};

use super::super::lines::{Line, lines};
use crate::problems::{Problems, amount, at, shown};

/// A record with a job.
#[derive(Clone, Debug)]
pub(super) struct Record<'t> {
    pub(super) job: &'t str,
    /// The process that ran it, of a program on several.
    pub(super) rank: Option<&'t str>,
    /// `Model`, else `Name`.
    pub(super) kind: Option<&'t str>,
    pub(super) submit_order: Option<u64>,
    /// Jobs, and where they are named.
    pub(super) depends_on: Vec<(&'t str, Range<usize>)>,
    pub(super) gflop: Option<f64>,
    pub(super) start_ms: Option<f64>,
    pub(super) end_ms: Option<f64>,
    /// Handle, mode, bytes.
    pub(super) accesses: Vec<(&'t str, &'t str, f64)>,
    /// It says that a handle is not used any more, and runs nothing.
    pub(super) is_no_task: bool,
    /// Its line `JobId`.
    pub(super) place: Place,
}

/// The fields of a record while it is read.
#[derive(Default)]
struct Fields<'t> {
    any: Option<Line<'t>>,
    job: Option<(&'t str, Range<usize>)>,
    rank: Option<&'t str>,
    name: Option<&'t str>,
    model: Option<&'t str>,
    submit_order: Option<u64>,
    depends_on: Vec<(&'t str, Range<usize>)>,
    gflop: Option<f64>,
    start_ms: Option<f64>,
    end_ms: Option<f64>,
    handles: Vec<(&'t str, Range<usize>)>,
    modes: Vec<(&'t str, Range<usize>)>,
    sizes: Vec<(&'t str, Range<usize>)>,
    is_no_task: bool,
}

/// All records that have a job.
pub(super) fn records<'t>(text: &'t str, problems: &mut Problems) -> Vec<Record<'t>> {
    let mut all = Vec::new();
    let mut fields = Fields::default();
    for line in lines(text) {
        if problems.is_full() {
            break;
        }
        // Comments, continued values and descriptions of records (`%rec: Task`) say nothing of a task.
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
        // StarPU ends this field with the line that is meant to be the empty one behind the record.
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

    /// The record, unless there is nothing or something is wrong.
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
