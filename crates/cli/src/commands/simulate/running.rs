//! One simulation after the other, or several at a time.

use numasim_dynamic::{
    Bottleneck, ClusterRun, Controller, Ending, LowerBound, Observer, Question, Run, Silent, SimulateError,
    cluster, lower_bound, simulate,
};
use numasim_engine::SimTime;
use numasim_model::Study;
use numasim_policy::{MakeError, PolicyName};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::progress::Progress;
use crate::view::simulated::Simulated;
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
    /// Simulates; `stop` is asked before every instant.
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

    /// Its run, with what it is compared with.
    pub(super) fn with(&self, run: Run) -> Simulated {
        // Of what was stopped nobody waits for a makespan, and drawing the work of all tasks may take long.
        let bound = if run.ending == Ending::Stopped { None } else { self.lower_bound() };
        Simulated {
            policy: self.policy.to_string(),
            seed: self.seed,
            lower_bound_s: bound.map(|bound| bound.makespan.value()),
            bound_by: bound.map(|bound| self.words(bound.because_of)),
            cluster: self.cluster(&run),
            run,
        }
    }

    /// What no policy can beat, with the data of the scenario where it is one.
    fn lower_bound(&self) -> Option<LowerBound> {
        let scenario = self.policy.scenario(self.study).ok()?;
        lower_bound(self.study, scenario.map(|scenario| scenario.data.as_slice()), self.seed).ok()
    }

    fn words(&self, bottleneck: Bottleneck) -> String {
        match bottleneck {
            Bottleneck::Cores => "the cores have that much to compute".to_owned(),
            Bottleneck::Memories => "the memories have that much to deliver".to_owned(),
            Bottleneck::Memory(node) => format!("the memory of {node} has that much to deliver"),
            Bottleneck::Path(app) => {
                let name = self.study.apps.get(app.0).map_or("", |app| app.name.as_str());
                format!("{name}, with what it waits for, takes that long")
            }
        }
    }

    /// The cluster of the files: the other nodes are `static-even`. `None` where one of the two does not end.
    fn cluster(&self, run: &Run) -> Option<ClusterRun> {
        let of = self.study.dynamics.cluster?;
        let even = if *self.policy == PolicyName::StaticEven {
            run.makespan?
        } else {
            let even = Self { policy: &PolicyName::StaticEven, ..*self };
            even.run(&mut Silent, &watch::interrupted).ok()?.makespan?
        };
        Some(cluster(&of, even, run.makespan?))
    }
}

/// All simulations, in their order; of those that Ctrl-C came before there is none.
pub(super) fn all(jobs: &[Job], progress: &Progress) -> Vec<Option<Result<Run, Ended>>> {
    let run = |(number, job): (usize, &Job)| {
        (!watch::interrupted()).then(|| job.run(&mut progress.of(number), &watch::interrupted))
    };
    jobs.par_iter().enumerate().map(run).collect()
}
