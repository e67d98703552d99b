//! The end of a run: what is written about it, and whether the command failed.

use std::path::Path;
use std::time::SystemTime;

use numasim_bench::provenance::{Provenance, utc};
use numasim_bench::runner::RunError;
use numasim_bench::session::{Ended, Outcome, SessionError};
use numasim_draw::figures;
use numasim_host::memory::MemoryError;

use super::doubts::Doubting;
use super::files;
use crate::failure::Failure;
use crate::shell::Shell;

/// Adds to the provenance what is known only now.
pub(super) fn complete(provenance: &mut Provenance, outcome: &Outcome, doubting: &Doubting) {
    if matches!(outcome.ended, Ended::Complete) {
        provenance.ended_utc = Some(utc(SystemTime::now()));
    }
    provenance.observe(&outcome.repeated);
    provenance.doubt(&doubting.shown);
}

/// Misplaced measurements that are told one by one.
const MOST: usize = 20;

/// Whether everything was measured with every thread and page in its place.
pub(super) fn verdict(outcome: &Outcome, path: &Path, shell: &Shell) -> Result<(), Failure> {
    let go_on = "the same command with -o and --resume continues";
    let safe = match outcome.rows.len() as u64 {
        0 => "nothing was measured yet".to_owned(),
        rows => format!("{} are safe in {}", figures::count(rows, "row"), path.display()),
    };
    for one in outcome.misplaced.iter().filter(|one| one.mended) {
        let what = one.problems.join("; ");
        shell.warn(format!(
            "scenario '{}', repetition {}: {what}. It was repeated with everything in place",
            one.scenario, one.repetition
        ));
    }
    match &outcome.ended {
        Ended::Interrupted => {
            let failure = Failure::interrupted(format!("interrupted; {safe}"));
            return Err(if outcome.rows.is_empty() { failure } else { failure.hint(go_on) });
        }
        Ended::Failed(error) => return Err(failed(error, &safe, go_on)),
        Ended::Complete => {}
    }
    let mut lost = outcome.lost().peekable();
    if lost.peek().is_none() {
        return Ok(());
    }
    let all: Vec<String> = lost
        .map(|one| {
            format!("scenario '{}', repetition {}: {}", one.scenario, one.repetition, one.problems.join("; "))
        })
        .collect();
    let mut failure = Failure::input(format!(
        "threads or data of {} were misplaced; these measurements are discarded",
        figures::count(all.len() as u64, "measurement")
    ));
    for one in all.iter().take(MOST) {
        failure = failure.caused_by(&std::io::Error::other(one.clone()));
    }
    Err(failure.hint(
        "free memory on these nodes, end what moves threads or pages (numad, NUMA balancing), then --resume",
    ))
}

fn failed(error: &SessionError, safe: &str, go_on: &str) -> Failure {
    match error {
        SessionError::Run { source, .. } => {
            let failure = Failure::input(format!("{error}; {safe}")).caused_by(source);
            match source {
                RunError::Memory(MemoryError::NotEnoughMemory { .. } | MemoryError::MemoryLimit { .. }) => {
                    failure.hint("free memory there, or give each thread less with --memory-per-thread")
                }
                RunError::NothingCounted { .. } => failure.hint("a longer --window, or fewer threads"),
                _ => failure.hint(go_on),
            }
        }
        SessionError::OtherThreads(_) => Failure::fault(error.to_string()),
        SessionError::Sink(error) => files::to_failure(error),
    }
}
