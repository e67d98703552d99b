//! Simulations of the codes in their scenarios, several in parallel, and times of whole runs.

use numasim_graph::values::{Contender, RuntimeSettings, SchedulerSettings, TaskScenario};
use numasim_model::Machine;
use numasim_model::units::Seconds;
use numasim_tasks::{Question, Run, Silent, Traffic, simulate};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::codes::{Code, OnMachine};
use crate::common::Failure;
use crate::common::statistics::{Estimate, of_ratios};

/// The co-runner that competes for the threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contention {
    Nobody,
    /// Another program, for the whole run of the code.
    Permanent,
    /// Another program, for 4 ms of every 8 ms, so that threads come and go.
    Phases,
}

/// Work of a task of the co-runner, 10^9 FLOP, assumed: about 0.1 ms, so that a run contains a few thousand of them.
const CONTENDER_GFLOP: f64 = 0.001;
/// A phase of the co-runner, and the time until the next one.
const PHASE_S: f64 = 0.004;
/// More than any run here contains.
const PHASES: u32 = 5000;

impl Contention {
    fn contender(self) -> Option<Contender> {
        let phase = |number: u32| {
            let from = 2.0 * PHASE_S * f64::from(number);
            (Seconds::new(from), Seconds::new(from + PHASE_S))
        };
        let phases = match self {
            Self::Nobody => return None,
            Self::Permanent => None,
            Self::Phases => Some((0..PHASES).map(phase).collect()),
        };
        Some(Contender { gflop: CONTENDER_GFLOP, count: 1, phases })
    }
}

/// Runs of a code in a scenario, one for each seed.
#[derive(Clone, Debug)]
struct Case {
    code: Code,
    scenario: TaskScenario,
    runs: Vec<Run>,
}

/// Runs of codes on a machine.
#[derive(Clone, Debug)]
pub(crate) struct Runs(Vec<Case>);

fn one(
    machine: &Machine,
    on: &OnMachine,
    scenario: TaskScenario,
    contender: Option<&Contender>,
    seed: u64,
) -> Result<Run, Failure> {
    let scheduler = scenario.scheduler(&SchedulerSettings::default());
    let runtime = RuntimeSettings { seed, throttle: on.throttle, ..RuntimeSettings::default() };
    let question = Question {
        placement: scenario.placement(),
        contender,
        ..Question::new(machine, &on.graph, &scheduler, &runtime)
    };
    Ok(simulate(&question, &mut Silent)?)
}

/// Simulates all scenarios of the codes with the seeds 1 to `seeds`.
pub(crate) fn all(
    machine: &Machine,
    codes: &[OnMachine],
    contention: Contention,
    seeds: u64,
) -> Result<Runs, Failure> {
    let contender = contention.contender();
    let mut jobs = Vec::new();
    for on in codes {
        for scenario in on.code.scenarios() {
            jobs.extend((1..=seeds).map(|seed| (on, scenario, seed)));
        }
    }
    let run = |&(on, scenario, seed): &(&OnMachine, TaskScenario, u64)| {
        one(machine, on, scenario, contender.as_ref(), seed)
    };
    let done: Vec<Result<Run, Failure>> = jobs.par_iter().map(run).collect();
    let mut cases: Vec<Case> = Vec::new();
    for (&(on, scenario, _), run) in jobs.iter().zip(done) {
        let run = run?;
        match cases.iter_mut().find(|case| case.scenario == scenario && case.code.name() == on.code.name()) {
            Some(case) => case.runs.push(run),
            None => cases.push(Case { code: on.code.clone(), scenario, runs: vec![run] }),
        }
    }
    Ok(Runs(cases))
}

impl Runs {
    fn case(&self, code: &str, scenario: TaskScenario) -> Option<&Case> {
        self.0.iter().find(|case| case.code.name() == code && case.scenario == scenario)
    }

    /// Scenarios of a code.
    pub(crate) fn scenarios(&self, code: &str) -> Vec<TaskScenario> {
        TaskScenario::ALL.into_iter().filter(|&scenario| self.case(code, scenario).is_some()).collect()
    }

    /// Seconds of whole runs, by seed, with or without the time for moving pages. The simulation covers a part of the code: its time
    /// without moving pages is multiplied by the number of its repetitions.
    fn times(&self, code: &str, scenario: TaskScenario, moving: bool) -> Vec<f64> {
        let time = |times: f64, run: &Run| {
            let computing = (run.makespan.value() - run.migration.value()) * times;
            computing + if moving { run.migration.value() } else { 0.0 }
        };
        self.case(code, scenario)
            .map_or(Vec::new(), |case| case.runs.iter().map(|run| time(case.code.times, run)).collect())
    }

    /// Ratio of the times in two scenarios, by pairs of equal seeds; `moving`: including the time for moving pages.
    pub(crate) fn over(&self, code: &str, of: TaskScenario, other: TaskScenario, moving: bool) -> Estimate {
        let (of, other) = (self.times(code, of, moving), self.times(code, other, moving));
        of_ratios(&of.iter().zip(&other).map(|(of, other)| of / other).collect::<Vec<_>>())
    }

    /// Time of the whole run relative to (noap, FT), as the paper shows it.
    pub(crate) fn relative(&self, code: &str, scenario: TaskScenario) -> Estimate {
        self.over(code, scenario, TaskScenario::NoapFt, true)
    }

    /// The fastest scenario of standard TBB.
    pub(crate) fn best_standard(&self, code: &str) -> TaskScenario {
        let standard = [TaskScenario::NoapFt, TaskScenario::NoapIntl, TaskScenario::ApIntl];
        let there = standard.into_iter().filter(|&scenario| self.case(code, scenario).is_some());
        let time = |scenario: &TaskScenario| self.relative(code, *scenario).mean;
        there.min_by(|a, b| time(a).total_cmp(&time(b))).unwrap_or(TaskScenario::NoapFt)
    }

    /// Speedup of (NACS, NADD) over the fastest scenario of standard TBB.
    pub(crate) fn gain(&self, code: &str) -> Estimate {
        self.over(code, self.best_standard(code), TaskScenario::NacsNadd, true)
    }

    /// The mean of a value of the runs over the seeds.
    pub(crate) fn mean_of(&self, code: &str, scenario: TaskScenario, value: impl Fn(&Run) -> f64) -> f64 {
        let Some(case) = self.case(code, scenario) else { return f64::NAN };
        case.runs.iter().map(value).sum::<f64>() / case.runs.len() as f64
    }

    /// Fractions of all bytes in the order local cache, local memory, remote cache, remote memory.
    pub(crate) fn shares(&self, code: &str, scenario: TaskScenario) -> [f64; 4] {
        let parts: [fn(&Traffic) -> f64; 4] =
            [|t| t.llc_local, |t| t.dram_local, |t| t.llc_remote, |t| t.dram_remote];
        parts.map(|part| self.mean_of(code, scenario, |run| part(&run.traffic) / run.traffic.total()))
    }

    /// Fraction of all bytes from remote nodes.
    pub(crate) fn remote(&self, code: &str, scenario: TaskScenario) -> f64 {
        self.mean_of(code, scenario, |run| run.traffic.remote_share())
    }
}
