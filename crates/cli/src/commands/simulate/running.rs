//! One simulation after the other, or several at a time.

use numasim_dynamic::{Controller, Observer, Question, Run, Silent, SimulateError, simulate};
use numasim_engine::SimTime;
use numasim_model::Study;
use numasim_policy::{MakeError, PolicyName};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::watch;

/// One simulation.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) study: &'a Study,
    pub(crate) policy: &'a PolicyName,
    pub(crate) seed: u64,
    pub(crate) until_s: Option<f64>,
}

/// Why a simulation has no result.
pub(crate) enum Ended {
    /// The policy cannot be made for the study.
    Unmade(MakeError),
    /// The simulation cannot go on.
    Failed(SimulateError),
}

impl Job<'_> {
    /// Simulates; `stop` is asked now and then.
    pub(crate) fn run(&self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Run, Ended> {
        let mut policy = self.policy.make(self.study).map_err(Ended::Unmade)?;
        let scenario = self.policy.scenario(self.study).map_err(Ended::Unmade)?;
        let controller = match (&mut policy, self.policy) {
            (Some(policy), _) => Controller::Policy(policy.as_mut()),
            (None, PolicyName::Script) => Controller::Script,
            (None, _) => Controller::Nobody,
        };
        let question = Question {
            study: self.study,
            controller,
            data: scenario.map(|scenario| scenario.data.as_slice()),
            seed: self.seed,
            until: self.until_s.map(|seconds| SimTime::START.after(seconds)),
        };
        simulate(question, observer, stop).map_err(Ended::Failed)
    }
}

/// All simulations, in their order; of those that Ctrl-C came before there is none.
pub(super) fn all(jobs: &[Job]) -> Vec<Option<Result<Run, Ended>>> {
    let run = |job: &Job| (!watch::interrupted()).then(|| job.run(&mut Silent, &watch::interrupted));
    jobs.par_iter().map(run).collect()
}
