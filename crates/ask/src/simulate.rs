//! Simulate: applications over time under policies.

use std::sync::Arc;

use numasim_course::{Channel, Study};
use numasim_draw::figures;
use numasim_dynamic::{
    AppRun, Bottleneck, ChannelRun, ClusterRun, Ending, Job, JobError, Observer, Outcome, Run, Silent,
};
use numasim_model::units::{Gflop, Seconds};
use numasim_model::{App, AppId};
use numasim_policy::PolicyName;
use numasim_sim::search::Monitor;
use serde::Serialize;

use crate::document::{Head, StudyHead, plain, written_as};
use crate::input::Input;
use crate::over_time;
use crate::refusal::Refusal;
use crate::wording::common_unit;

/// A question to [`simulate`].
#[derive(Clone, Copy, Debug)]
pub struct Simulate<'a> {
    /// The files.
    pub input: &'a Input,
    /// Policies that control threads, simulated in sequence; if empty, the policy in the files.
    pub policies: &'a [PolicyName],
    /// Maximum end of a simulation, in seconds of simulated time.
    pub until_s: Option<f64>,
    /// First seed of the work of tasks.
    pub seed: u64,
    /// Number of seeds.
    pub runs: u32,
}

impl<'a> Simulate<'a> {
    /// The policy in the files, with seed 1, until all applications finish.
    pub fn new(input: &'a Input) -> Self {
        Self { input, policies: &[], until_s: None, seed: 1, runs: 1 }
    }
}

/// The simulations of a question that has passed all checks, for front ends that observe them or run several in parallel.
#[derive(Debug)]
pub struct Simulations<'a> {
    input: &'a Input,
    policies: Vec<PolicyName>,
    seeds: Vec<u64>,
    until_s: Option<f64>,
    /// Parts of the files that these simulations ignore, one sentence each.
    pub warnings: Vec<String>,
}

impl<'a> Simulations<'a> {
    /// Checks a question.
    ///
    /// # Errors
    /// An unknown policy, missing work, an undecided home node, too many threads, or seeds beyond the last one.
    pub fn of(question: &Simulate<'a>) -> Result<Self, Refusal> {
        let Simulate { input, policies, until_s, seed, runs } = *question;
        let (study, located) = (&input.study, &input.located);
        let policies = match policies {
            [] => vec![over_time::policy_of_files(study, located)?],
            named => named.to_vec(),
        };
        over_time::can_be_simulated(study, located, &policies)?;
        let seeds = over_time::seeds(seed, runs)?.collect();
        let warnings = over_time::ignored(study, located, &policies);
        Ok(Self { input, policies, seeds, until_s, warnings })
    }

    /// The policies, in the order of the simulations.
    pub fn policies(&self) -> &[PolicyName] {
        &self.policies
    }

    /// Every policy with every seed.
    pub fn jobs(&self) -> Vec<Job<'_>> {
        let study = &*self.input.study;
        let of =
            |policy| self.seeds.iter().map(move |&seed| Job { study, policy, seed, until_s: self.until_s });
        self.policies.iter().flat_map(of).collect()
    }

    /// The answer, from the results of [`Self::jobs`] in their order; `None` for jobs that never started. The answer contains the
    /// simulations before the first `None`.
    ///
    /// # Errors
    /// The first simulation has no result.
    pub fn answer(
        &self,
        results: impl IntoIterator<Item = Option<Result<Simulated, JobError>>>,
    ) -> Result<Simulation, Refusal> {
        let Input { study, located, .. } = self.input;
        let asked = self.policies.len() * self.seeds.len();
        let of_policies =
            self.policies.iter().flat_map(|policy| std::iter::repeat_n(policy, self.seeds.len()));
        let result = |(policy, result): (&PolicyName, Option<Result<Simulated, JobError>>)| {
            result.transpose().map_err(|error| over_time::failed(study, located, policy, &error))
        };
        let results: Vec<Option<Simulated>> =
            of_policies.zip(results).map(result).collect::<Result<_, _>>()?;
        let runs: Vec<Simulated> = results.into_iter().map_while(|one| one).collect();
        Ok(Simulation { asked, warnings: unfinished(&runs), ..Simulation::new(study, runs) })
    }
}

/// Applications over time: a simulation for each policy and seed, in sequence.
///
/// ```
/// use numasim_ask::{Input, Simulate, simulate};
/// use numasim_sim::search::Unattended;
///
/// let work = "[[app]]\nname = \"solver\"\narithmetic_intensity = 10.0\nwork_gflop = 80.0\n";
/// let machine = "[machine]\nname = \"one node\"\nnodes = 1\ncores_per_node = 4\ngflops_per_core = 10.0\nbandwidth_gbs = 32.0\n";
/// let input = Input::read(&[("one.toml", &format!("{machine}{work}"))])?;
/// // 80 GFLOP at 4 x 10 GFLOPS.
/// assert_eq!(simulate(&Simulate::new(&input), &Unattended)?.runs[0].makespan_s(), Some(2.0));
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// The errors of [`Simulations::of`] and [`Simulations::answer`].
pub fn simulate(question: &Simulate<'_>, monitor: &dyn Monitor) -> Result<Simulation, Refusal> {
    let simulations = Simulations::of(question)?;
    let stop = || monitor.stop();
    let one = |job: &Job<'_>| (!stop()).then(|| Simulated::run(job, &mut Silent, &stop));
    let mut answer = simulations.answer(simulations.jobs().iter().map(one))?;
    answer.warnings.splice(0..0, simulations.warnings);
    Ok(answer)
}

/// A warning for each simulation that has no makespan although the user did not interrupt it.
fn unfinished(simulated: &[Simulated]) -> Vec<String> {
    let several = |one: &Simulated| simulated.iter().any(|other| other.seed != one.seed);
    let words = |one: &Simulated| {
        let apps = one.run.apps.iter().filter(|app| app.finished.is_none()).count();
        format!(
            "policy '{}'{}: {} not finished at --until {} s, so that there is no makespan",
            one.policy,
            if several(one) { format!(", seed {}", one.seed) } else { String::new() },
            if apps == 1 { "1 application is".to_owned() } else { format!("{apps} applications are") },
            figures::short(one.run.time.value()),
        )
    };
    simulated.iter().filter(|one| one.run.makespan.is_none()).map(words).collect()
}

/// Simulations of one study.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The simulated study.
    pub study: Arc<Study>,
    /// In the order of the policies, then of the seeds.
    pub runs: Vec<Simulated>,
    /// Number of requested simulations, which exceeds the number of runs if the question was stopped.
    pub asked: usize,
    /// The only simulation compared with a run on a host.
    pub compare: Option<ComparedRun>,
    /// Warnings about simulations without a makespan, one sentence each.
    pub warnings: Vec<String>,
}

impl Simulation {
    /// These simulations.
    pub fn new(study: &Arc<Study>, runs: Vec<Simulated>) -> Self {
        Self { study: Arc::clone(study), asked: runs.len(), runs, compare: None, warnings: Vec::new() }
    }
}

/// One simulation with its inputs.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The policy, as `--policy` accepts it.
    pub policy: String,
    /// Seed of the work of tasks.
    pub seed: u64,
    /// The result.
    pub run: Run,
    /// Lower bound on the makespan under any policy, in seconds; `None` if no bound is known.
    pub lower_bound_s: Option<f64>,
    /// The limit behind the bound: the rest of a sentence.
    pub bound_by: Option<String>,
    /// The cluster, if the files define one.
    pub cluster: Option<ClusterRun>,
}

impl Simulated {
    /// Simulates; asks `stop` before every instant.
    ///
    /// # Errors
    /// The policy cannot be created, or the simulation cannot continue.
    pub fn run(
        job: &Job<'_>,
        observer: &mut dyn Observer,
        stop: &dyn Fn() -> bool,
    ) -> Result<Self, JobError> {
        let run = job.run(observer, stop)?;
        Ok(Self::of(job, job.with(run, stop)))
    }

    /// The result of a job.
    pub fn of(job: &Job<'_>, outcome: Outcome) -> Self {
        let Outcome { run, bound, cluster } = outcome;
        Self {
            policy: job.policy.to_string(),
            seed: job.seed,
            lower_bound_s: bound.map(|bound| bound.makespan.value()),
            bound_by: bound.map(|bound| in_words(job.study, bound.because_of)),
            cluster,
            run,
        }
    }

    /// Time at which the last application finished, in seconds.
    pub fn makespan_s(&self) -> Option<f64> {
        self.run.makespan.map(Seconds::value)
    }

    /// The outcome, for a picture.
    pub fn outcome(&self) -> String {
        let end = figures::rounded(self.run.time.value());
        match self.makespan_s() {
            Some(makespan) => format!("makespan {} s", figures::single(makespan)),
            None if self.is_partial() => format!("interrupted after {end} s"),
            None => format!("not finished after {end} s"),
        }
    }

    /// Whether it was stopped before its end.
    pub fn is_partial(&self) -> bool {
        self.run.ending == Ending::Stopped
    }

    /// Difference between makespan and lower bound, as a fraction of the bound.
    pub fn above_bound(&self) -> Option<f64> {
        let (makespan, bound) = self.makespan_s().zip(self.lower_bound_s)?;
        (bound > 0.0).then(|| makespan / bound - 1.0)
    }

    /// Maximum data in all channels, in MB: the sum of the maximum of each channel.
    pub fn most_stored_mb(&self, study: &Study) -> f64 {
        let channels = self.run.channels.iter().zip(&study.dynamics.channels);
        channels.map(|(run, channel)| mb(channel, run.max_items as f64)).sum()
    }
}

fn in_words(study: &Study, bottleneck: Bottleneck) -> String {
    match bottleneck {
        Bottleneck::Cores => "the cores have that much to compute".to_owned(),
        Bottleneck::Memories => "the memories have that much to deliver".to_owned(),
        Bottleneck::Memory(node) => format!("the memory of {node} has that much to deliver"),
        Bottleneck::Path(app) => {
            let name = study.apps.get(app.0).map_or("", |app| app.name.as_str());
            format!("{name}, with what it waits for, takes that long")
        }
    }
}

/// Items of a channel in MB.
pub fn mb(channel: &Channel, items: f64) -> f64 {
    channel.item.value() * items
}

/// Mean performance of all applications together over the whole time, with its unit. It is a rate if all applications count the same
/// unit. Otherwise it is the sum of the GFLOPS of the applications that count FLOP.
pub fn mean_of_all<'a>(study: &'a Study, run: &Run) -> (f64, &'a str) {
    let unit = common_unit(&study.apps).unwrap_or("GFLOPS");
    let counting = run.apps.iter().zip(&study.apps).filter(|(_, app)| app.unit() == unit);
    let (work, seconds): (Gflop, f64) = (counting.map(|(run, _)| run.work).sum(), run.time.value());
    (if seconds > 0.0 { work.value() / seconds } else { 0.0 }, unit)
}

/// Mean GFLOPS, or mean rate, from its arrival to its end; 0 if it did not arrive.
pub fn mean_gflops(app: &AppRun, run: &Run) -> f64 {
    let end = app.finished.unwrap_or(run.time);
    let Some(arrived) = app.arrived else { return 0.0 };
    let seconds = end.value() - arrived.value();
    if seconds > 0.0 { app.work.value() / seconds } else { 0.0 }
}

/// One simulation compared with a run on a host.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRun {
    /// Name of the machine of the run.
    pub machine: String,
    /// The policy of the run.
    pub policy: String,
    /// The reason why the run ended.
    pub ended: String,
    /// Applications and channels, in the order of the files.
    pub figures: Vec<ComparedFigure>,
}

/// One value, simulated and measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedFigure {
    /// The application, or both ends of the channel.
    pub of: String,
    /// Its key in the documents of `simulate` and `run`.
    pub figure: &'static str,
    /// The simulated value; null if it is unknown.
    pub simulated: Option<f64>,
    /// The measured value; null if it is unknown.
    pub measured: Option<f64>,
    /// Simulated / measured - 1.
    pub error: Option<f64>,
}

/// The document of `--replay`.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Replayed {
    #[serde(flatten)]
    head: Head,
    /// The replayed decisions.
    replay: Replay,
}

/// The replayed decisions.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Replay {
    /// Number of decisions of the policy.
    decisions: u64,
    /// The commands that it sent.
    actions: u64,
}

impl Replayed {
    /// A policy with this number of decisions and commands.
    pub const fn new(decisions: u64, actions: u64) -> Self {
        Self { head: Head::of("simulate"), replay: Replay { decisions, actions } }
    }
}

/// Applications over time.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(clippy::struct_field_names, reason = "fields have the names of the document")]
struct Runs<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// A simulation for each policy and seed.
    runs: Vec<RunObject<'a>>,
    /// With `--compare`: comparison with a run on a host.
    #[serde(skip_serializing_if = "Option::is_none")]
    compare: Option<&'a ComparedRun>,
}

written_as!(Simulation => Runs);

impl<'a> From<&'a Simulation> for Runs<'a> {
    fn from(answer: &'a Simulation) -> Self {
        let study = &*answer.study;
        Self {
            head: StudyHead::of("simulate", &study.machine),
            runs: answer.runs.iter().map(|run| RunObject::of(study, run)).collect(),
            compare: answer.compare.as_ref(),
        }
    }
}

/// One simulation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct RunObject<'a> {
    /// The policy, as `--policy` accepts it.
    policy: &'a str,
    /// Seed of random work.
    seed: u64,
    /// Time at which the last application finished, in seconds; null if one did not finish.
    makespan_s: Option<f64>,
    /// Events of the simulation.
    events: u64,
    /// The applications.
    apps: Vec<AppObject<'a>>,
    /// The channels.
    channels: Vec<ChannelObject>,
    /// Number of commands sent.
    commands: u64,
    /// Threads that commands unblocked.
    core_moves: u64,
    /// Time from a command until the last thread blocks.
    reaction_s: Reaction,
    /// The cluster with this machine as one node.
    #[serde(skip_serializing_if = "Option::is_none")]
    cluster: Option<Cluster>,
    /// End of the simulation, in seconds.
    time_s: f64,
    /// Lower bound on the makespan of any policy, in seconds; null if it is unknown.
    lower_bound_s: Option<f64>,
    /// Interrupted with Ctrl-C.
    partial: bool,
}

impl<'a> RunObject<'a> {
    fn of(study: &'a Study, simulated: &'a Simulated) -> Self {
        let run = &simulated.run;
        let channels = run.channels.iter().zip(&study.dynamics.channels);
        let channel = |(run, channel): (&ChannelRun, _)| {
            ChannelObject::of(study, channel, run.max_items, run.mean_items)
        };
        Self {
            policy: &simulated.policy,
            seed: simulated.seed,
            makespan_s: seconds(run.makespan),
            events: run.events,
            apps: run.apps.iter().zip(&study.apps).map(|(app, of)| AppObject::of(app, of, run)).collect(),
            channels: channels.map(channel).collect(),
            commands: run.commands,
            core_moves: run.core_moves,
            reaction_s: Reaction {
                mean: plain(run.reaction.mean.value()),
                max: plain(run.reaction.max.value()),
                count: run.reaction.count,
            },
            cluster: simulated.cluster.map(|cluster| Cluster {
                makespan_s: plain(cluster.makespan.value()),
                speedup: plain(cluster.speedup),
            }),
            time_s: plain(run.time.value()),
            lower_bound_s: simulated.lower_bound_s.map(plain),
            partial: simulated.is_partial(),
        }
    }
}

/// One application.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct AppObject<'a> {
    /// Its name.
    name: &'a str,
    /// Time of its arrival, in seconds.
    arrived_s: Option<f64>,
    /// Time at which it finished, in seconds.
    finished_s: Option<f64>,
    /// Number of iterations that it finished.
    iterations: u64,
    /// Its computed work, in GFLOP; null if it counts something else.
    gflop: Option<f64>,
    /// Its work in the unit of its rate, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<f64>,
    /// Mean number of running threads.
    mean_threads: f64,
    /// Time of waiting for input from other applications, in seconds.
    wait_input_s: f64,
    /// Time of waiting for space for its output, in seconds.
    wait_output_s: f64,
    /// Time of waiting for calls, in seconds.
    wait_call_s: f64,
    /// Mean GFLOPS from its arrival to its end.
    mean_gflops: Option<f64>,
    /// Mean rate in `rate_unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_rate: Option<f64>,
    /// The unit of its rate, e.g. queries/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate_unit: Option<&'a str>,
    /// Thread-seconds without work.
    idle_s: f64,
    /// Thread-seconds that commands prevented from running.
    blocked_s: f64,
    /// Thread-seconds of threads that shared their cores.
    shared_s: f64,
}

impl<'a> AppObject<'a> {
    fn of(app: &AppRun, of: &'a App, run: &Run) -> Self {
        let (work, mean) = (plain(app.work.value()), plain(mean_gflops(app, run)));
        let is_rate = of.rate_unit.is_some();
        Self {
            name: &of.name,
            arrived_s: seconds(app.arrived),
            finished_s: seconds(app.finished),
            iterations: app.iterations,
            gflop: (!is_rate).then_some(work),
            work: is_rate.then_some(work),
            mean_threads: plain(app.mean_threads),
            wait_input_s: plain(app.waited_input.value()),
            wait_output_s: plain(app.waited_output.value()),
            wait_call_s: plain(app.waited_call.value()),
            mean_gflops: (!is_rate).then_some(mean),
            mean_rate: is_rate.then_some(mean),
            rate_unit: of.rate_unit.as_deref(),
            idle_s: plain(app.idle.value()),
            blocked_s: plain(app.blocked.value()),
            shared_s: plain(app.shared.value()),
        }
    }
}

/// One channel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct ChannelObject {
    /// The producer.
    from: String,
    /// The consumer.
    to: String,
    /// Maximum number of items in it.
    max_items: u64,
    /// Mean number of items in it.
    mean_items: f64,
    /// Maximum data in it, in MB (10^6 bytes).
    max_mb: f64,
    /// Mean data in it, in MB.
    mean_mb: f64,
}

impl ChannelObject {
    pub(crate) fn of(study: &Study, channel: &Channel, max_items: u64, mean_items: f64) -> Self {
        let name = |app: AppId| study.apps.get(app.0).map_or_else(String::new, |app| app.name.clone());
        Self {
            from: name(channel.from),
            to: name(channel.to),
            max_items,
            mean_items: plain(mean_items),
            max_mb: plain(mb(channel, max_items as f64)),
            mean_mb: plain(mb(channel, mean_items)),
        }
    }
}

/// Time from a command until the last thread blocks.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Reaction {
    /// Mean, in seconds.
    mean: f64,
    /// Maximum, in seconds.
    max: f64,
    /// Number of counted commands.
    count: u64,
}

/// The cluster.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Cluster {
    /// Time at which its last node finishes, in seconds.
    makespan_s: f64,
    /// Speedup over `static-even` on all nodes.
    speedup: f64,
}

fn seconds(time: Option<Seconds>) -> Option<f64> {
    time.map(|time| plain(time.value()))
}
