//! Measurement warnings of a run: collected before and after it, and each printed once.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Instant, SystemTime};

use numasim_bench::doubt::{self, Doubt, Repeated, Watched};
use numasim_bench::plan::Plan;
use numasim_bench::provenance::{Provenance, utc};
use numasim_bench::runner::{RunError, Settings};
use numasim_bench::session::{Ended, Outcome, SessionError};
use numasim_course::Study;
use numasim_draw::figures;
use numasim_host::memory::{MemoryError, last_level_bytes};
use numasim_host::system::{CpuTimes, Facts, SAMPLE, System, Throttled};
use numasim_model::AppId;
use numasim_model::cpus::CpuList;

use crate::commands::bench::files;
use crate::commands::measuring::tell;
use crate::failure::Failure;
use crate::shell::Shell;

/// Reasons to distrust a run.
pub(super) struct Doubting {
    pub(super) facts: Facts,
    /// Warnings from before the measurements.
    pub(super) before: Vec<Doubt>,
    /// Warnings from the measurements.
    pub(super) shown: Vec<Doubt>,
    system: System,
    times: CpuTimes,
    throttled: Option<Throttled>,
    began: Instant,
}

impl Doubting {
    /// Observes the host for half a second, before any thread of the benchmark runs.
    pub(super) fn new(study: &Study, plan: &Plan, settings: &Settings, used: &CpuList) -> Self {
        let system = System::host();
        let facts = system.facts(used, SAMPLE);
        let mut before = doubt::before(&facts, used);
        before.extend(fewer_cores(study, plan));
        before.extend(doubt::planned(
            plan,
            settings.bytes_per_thread,
            facts.cpu_model.as_deref(),
            last_level_bytes,
        ));
        for scenario in plan.scenarios.iter().filter(|scenario| scenario.fitted) {
            let change = plan.changes_of(&scenario.name);
            before.push(Doubt::FittedToHost { scenario: scenario.name.clone(), change });
        }
        let (times, throttled) = (system.cpu_times(), system.throttled());
        Self { facts, before, shown: Vec::new(), system, times, throttled, began: Instant::now() }
    }

    /// Evaluates the measurements and the activity of the system in the meantime.
    pub(super) fn after(&mut self, repeated: &[Repeated], used: &CpuList) {
        let now = self.system.throttled();
        let throttled = now.zip(self.throttled).map(|(now, before)| now.since(before));
        // Shares over a few ticks are meaningless.
        let long_enough = self.began.elapsed() >= SAMPLE;
        let shares =
            if long_enough { self.system.cpu_times().since(&self.times) } else { BTreeMap::default() };
        let found = doubt::after(repeated, &Watched { throttled, shares }, used);
        self.shown = found.into_iter().filter(|doubt| !self.before.contains(doubt)).collect();
    }

    /// Prints the warnings from before the measurements on standard error, with advice. Changes due to scaling are reported elsewhere.
    /// Data that fits in a cache is not reported if the user requested it; the result contains this warning in any case.
    pub(super) fn tell_before(&self, in_cache: bool, shell: &Shell) {
        let told = |doubt: &&Doubt| match doubt {
            Doubt::FittedToHost { .. } => false,
            Doubt::FitsCache { .. } => !in_cache,
            _ => true,
        };
        tell(self.before.iter().filter(told), shell);
    }

    /// Prints the warnings from the measurements on standard error.
    pub(super) fn tell_shown(&self, shell: &Shell) {
        tell(self.shown.iter(), shell);
    }
}

/// All logical CPUs of a plan.
pub(super) fn used(plan: &Plan) -> Result<CpuList, Failure> {
    let threads = plan.scenarios.iter().flat_map(|scenario| &scenario.apps).flat_map(|app| &app.threads);
    let mut cpus: Vec<u32> = threads.flat_map(|thread| thread.cpus.as_slice().iter().copied()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    CpuList::new(cpus).map_err(|error| Failure::fault("a plan without a processor").caused_by(&error))
}

/// The warning about the scenario that lost most threads through scaling.
fn fewer_cores(study: &Study, plan: &Plan) -> Option<Doubt> {
    let lost = plan.scenarios.iter().filter(|scenario| scenario.fitted).filter_map(|scenario| {
        let of_file = study.scenarios.iter().find(|other| other.name == scenario.name)?;
        let wanted: u64 = (0..study.apps.len()).map(|app| of_file.allocation.total(AppId(app))).sum();
        let used = scenario.apps.iter().map(|app| app.threads.len() as u64).sum::<u64>();
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        (used < wanted).then_some(Doubt::FewerCores { wanted: number(wanted), used: number(used) })
    });
    lost.max_by_key(|doubt| match doubt {
        Doubt::FewerCores { wanted, used } => wanted - used,
        _ => 0,
    })
}

// The end of a run: its final provenance, and whether the command failed.

/// Adds the values that are known only at the end to the provenance.
pub(super) fn complete(provenance: &mut Provenance, outcome: &Outcome, doubting: &Doubting) {
    if matches!(outcome.ended, Ended::Complete) {
        provenance.ended_utc = Some(utc(SystemTime::now()));
    }
    provenance.observe(&outcome.repeated);
    provenance.doubt(&doubting.shown);
}

/// Maximum number of misplaced measurements that are listed individually.
const MOST: usize = 20;

/// Whether every thread and page was in its place in all measurements.
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
