//! Jobs by number and rank, and which of them are tasks.
//!
//! Each process of a program counts its own jobs. StarPU writes the rank before the number of a task and of what it depends on
//! (`1_7`), and leaves it out of records `Control: WontUse`, which have only `MPIRank`.

use std::collections::HashMap;

use numasim_study::{Problem, ProblemKind};

use super::record::Record;
use crate::problems::{Problems, at, shown};

/// The number of the task of each job; `None` for jobs that are no tasks.
pub(super) struct Jobs<'t>(HashMap<(Option<&'t str>, &'t str), Option<u32>>);

/// `7` of `1_7`, if the rank is 1.
pub(super) fn without_rank<'t>(job: &'t str, rank: &str) -> Option<&'t str> {
    job.strip_prefix(rank)?.strip_prefix('_')
}

/// What a job is known by: its rank, and its number there.
fn key<'t>(job: &'t str, rank: Option<&'t str>) -> (Option<&'t str>, &'t str) {
    (rank, rank.and_then(|rank| without_rank(job, rank)).unwrap_or(job))
}

impl<'t> Jobs<'t> {
    /// Those of all records; tasks are numbered as they come.
    pub(super) fn of(all: &[Record<'t>], problems: &mut Problems) -> Self {
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

    /// The tasks that a record depends on; a job that could not be read is there all the same.
    pub(super) fn parents(
        &self,
        record: &Record<'t>,
        are_complete: bool,
        problems: &mut Problems,
    ) -> Vec<u32> {
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

    /// A job of the own rank, or of the one that its number begins with.
    fn find(&self, job: &'t str, rank: Option<&'t str>) -> Option<&Option<u32>> {
        let other = || job.split_once('_').map(|(rank, _)| key(job, Some(rank)));
        self.0.get(&key(job, rank)).or_else(|| self.0.get(&other()?))
    }
}
