//! `tasks.rec` of StarPU: records of lines `Field: value` between empty lines (GNU recutils), one for each task.
//!
//! The fields are those that StarPU writes (`task_dump` in `src/debug/traces/starpu_fxt.c`): `Name`, `Model`, `JobId`, `SubmitOrder`,
//! `DependsOn`, `GFlop`, `StartTime` and `EndTime` (ms), `Handles`, `Modes`, `Sizes` (B), `MPIRank`. Handles are blocks. Tasks are dumped as they
//! end; what their accesses mean goes by the order in which they were submitted (sequential data consistency), so that is the order here.
//!
//! Jobs and handles are those of a process (module `jobs`): equal handles of two ranks are two blocks.

mod jobs;
mod record;

use std::collections::HashMap;

use crate::values::AccessMode;
use numasim_study::{Place, Problem, ProblemKind};

use super::assemble::assemble;
use super::draft::{Draft, DraftTask};
use super::{Imported, Noted, room};
use crate::problems::{Problems, shown};
use jobs::Jobs;
use record::{Record, records};

/// What is left out or assumed.
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
/// Problems with their places: no records, tasks without `GFlop` where no `reference_gflops` are known, fields that are no numbers or of different lengths, jobs that are there twice or not at all, a
/// circle of jobs that depend on each other.
pub fn read(
    text: &str,
    name: &str,
    reference_gflops: impl Into<Option<f64>>,
) -> Result<Imported, Vec<Problem>> {
    let reference_gflops = reference_gflops.into();
    room::check(text, [text.matches("JobId:").count(), 700], 6)?;
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
            accesses: Vec::new(),
            parents: jobs.parents(record, are_complete, &mut problems),
            place: record.place.clone(),
        };
        for (handle, mode, bytes) in &record.accesses {
            let mode = match *mode {
                "R" => AccessMode::In,
                "W" => AccessMode::Out,
                "RW" => AccessMode::Inout,
                // Scratch memory is of the worker; nobody else sees it.
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

/// A job or handle: with the rank in front where there are several, unless StarPU has written it there.
fn named(name: &str, rank: Option<&str>, has_ranks: bool) -> String {
    match rank.filter(|_| has_ranks) {
        Some(rank) if jobs::without_rank(name, rank).is_none() => format!("{rank}_{name}"),
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
