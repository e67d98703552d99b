//! A simulation under a policy that people name, with what its makespan is compared with.

use numasim_course::Study;
use numasim_engine::SimTime;
use numasim_policy::{MakeError, PolicyName};

use crate::bound::{LowerBound, lower_bound};
use crate::cluster::{ClusterRun, Makespans, cluster};
use crate::result::SimulateError;
use crate::result::{Controller, Question};
use crate::result::{Ending, Run};
use crate::result::{Observer, Silent};
use crate::simulation::simulate;

/// One simulation.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Machine and applications.
    pub study: &'a Study,
    /// Who decides about threads.
    pub policy: &'a PolicyName,
    /// Of the random draws.
    pub seed: u64,
    /// When it ends at the latest, in seconds of simulated time.
    pub until_s: Option<f64>,
}

/// Why a simulation has no result.
#[derive(Debug)]
pub enum JobError {
    /// The policy cannot be made for the study.
    Unmade(MakeError),
    /// The simulation cannot go on.
    Failed(SimulateError),
}

/// A run with what it is compared with.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What came out.
    pub run: Run,
    /// No policy can have a shorter makespan; `None` where none is known.
    pub bound: Option<LowerBound>,
    /// The cluster of which the machine is one node, where the study has one.
    pub cluster: Option<ClusterRun>,
}

impl Job<'_> {
    /// Simulates; `stop` is asked before every instant.
    ///
    /// # Errors
    /// The policy cannot be made, or the simulation cannot go on.
    pub fn run(&self, observer: &mut dyn Observer, stop: &dyn Fn() -> bool) -> Result<Run, JobError> {
        let mut policy = self.policy.make(self.study).map_err(JobError::Unmade)?;
        let scenario = self.policy.scenario(self.study).map_err(JobError::Unmade)?;
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
        simulate(question, observer, stop).map_err(JobError::Failed)
    }

    /// Its run, with what it is compared with. `stop`: as for [`Job::run`]; nothing is known of a bound or a cluster then.
    pub fn with(&self, run: Run, stop: &dyn Fn() -> bool) -> Outcome {
        // Of what was stopped nobody waits for a makespan, and drawing the work of all tasks may take long.
        let bound = if run.ending == Ending::Stopped { None } else { self.lower_bound(stop) };
        Outcome { bound, cluster: self.cluster(&run, stop), run }
    }

    /// What no policy can beat, with the data of the scenario where it is one.
    fn lower_bound(&self, stop: &dyn Fn() -> bool) -> Option<LowerBound> {
        let scenario = self.policy.scenario(self.study).ok()?;
        let data = scenario.map(|scenario| scenario.data.as_slice());
        lower_bound(self.study, data, self.seed, stop).ok().flatten()
    }

    /// The cluster of the study: the other nodes are `static-even`. `None` where one of the two does not end.
    fn cluster(&self, run: &Run, stop: &dyn Fn() -> bool) -> Option<ClusterRun> {
        let of = self.study.dynamics.cluster?;
        let even = if *self.policy == PolicyName::StaticEven {
            run.makespan?
        } else {
            let even = Self { policy: &PolicyName::StaticEven, ..*self };
            even.run(&mut Silent, stop).ok()?.makespan?
        };
        let iterations = self.study.dynamics.courses.iter().map(|course| course.iterations).max()?;
        cluster(&of, Makespans { even, policy: run.makespan? }, iterations, self.seed, stop)
    }
}
