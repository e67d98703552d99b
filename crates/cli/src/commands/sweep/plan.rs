//! From the command line to what is computed at which points.

use std::ops::Range;
use std::time::Duration;

use numasim_model::{AppId, Study};
use numasim_policy::PolicyName;
use numasim_sim::objective::{Goal, GoalError};
use numasim_sim::search::Settings;
use numasim_sim::sweep::{Axis, SettingError, Sweep, Task};
use numasim_sim::{Objective, ProblemError, Restrictions};
use serde_json::{Value, json};

use crate::args::{Shard, SweepArgs};
use crate::commands::explore;
use crate::failure::Failure;
use crate::suggest;
use numasim_ask::evaluate;
use numasim_ask::located::{HomeNeeded, Located};
use numasim_ask::{over_time, room};

/// The key of the items that producers may be ahead.
const LEAD: &str = "policy.lead";
/// As of `numasim simulate`.
const SEED_OF_TASKS: u64 = 1;

/// Everything that decides the rows.
pub(super) struct Plan {
    pub(super) sweep: Sweep,
    pub(super) work: Work,
    /// The points of this shard.
    pub(super) points: Range<u64>,
    /// Whether the rows begin with the header.
    pub(super) header: bool,
    /// Whether it is a part of a sweep, which leaves a receipt beside its rows.
    pub(super) is_part: bool,
    /// What tells this sweep from others, for the partial file.
    pub(super) identity: Value,
}

/// What is done at every point.
pub(super) enum Work {
    /// These scenarios are evaluated: a row for each.
    Evaluate(Vec<usize>),
    /// The best allocation is searched for: one row.
    Explore(Question),
    /// What happens over time is simulated: a row for each policy.
    Simulate(Simulating),
}

/// What simulations are asked.
pub(super) struct Simulating {
    /// One after the other; none: that of the files.
    pub(super) policies: Vec<PolicyName>,
    pub(super) seed: u64,
    pub(super) until_s: Option<f64>,
    /// Whether an axis is the lead of `lead:K`: it wins over the K of the policy.
    pub(super) sweeps_lead: bool,
}

/// What explore is asked.
pub(super) struct Question {
    pub(super) objective: Objective,
    pub(super) restrictions: Restrictions,
    pub(super) settings: Settings,
    pub(super) time_limit: Option<Duration>,
}

impl Plan {
    /// Checks the command line against the study.
    pub(super) fn new(args: &SweepArgs, study: Study, located: &Located) -> Result<Self, Failure> {
        let task = match args {
            SweepArgs { explore: true, .. } => Task::Explore,
            SweepArgs { simulate: true, .. } => Task::Simulate,
            _ => Task::Evaluate,
        };
        let read =
            |setting: &String| Axis::read(&study, setting, task).map_err(|error| to_failure(setting, error));
        let axes: Vec<Axis> = args.set.iter().map(read).collect::<Result<_, _>>()?;
        let work = match task {
            Task::Evaluate => Work::Evaluate(scenarios(&study, &args.scenario)?),
            Task::Explore => Work::Explore(question(args, &study)?),
            Task::Simulate => Work::Simulate(simulating(args, &axes)?),
        };
        let shard = args.shard.unwrap_or(Shard::WHOLE);
        let identity = identity(args, &study, shard);
        let sweep = Sweep::new(study, axes).map_err(|error| to_failure("", error))?;
        match &work {
            Work::Evaluate(scenarios) => {
                homes_are_known(&sweep, scenarios, located)?;
                data_fits(&sweep, scenarios)?;
            }
            Work::Explore(question) => goal_is_possible(&sweep, question, located)?,
            Work::Simulate(simulating) => can_be_simulated(&sweep, simulating, located)?,
        }
        Ok(Self {
            points: shard.of(sweep.points()),
            header: shard.is_first(),
            is_part: args.shard.is_some(),
            sweep,
            work,
            identity,
        })
    }

    /// Rows at each point.
    pub(super) fn rows_per_point(&self) -> usize {
        match &self.work {
            Work::Evaluate(scenarios) => scenarios.len(),
            Work::Explore(_) => 1,
            Work::Simulate(simulating) => simulating.policies.len().max(1),
        }
    }
}

fn to_failure(setting: &str, error: SettingError) -> Failure {
    let prefix = if setting.is_empty() { String::new() } else { format!("--set '{setting}': ") };
    let failure = Failure::input(format!("{prefix}{error}"));
    match error {
        SettingError::Wrong { hint, .. } => failure.hint(hint),
        SettingError::Unknown { word, known, .. } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let failure = match suggest::nearest(&word, &known) {
                Some(near) => failure.hint(format!("did you mean '{near}'?")),
                None => failure,
            };
            failure.hint(format!("there is: {}", suggest::list(&known)))
        }
    }
}

fn scenarios(study: &Study, names: &[String]) -> Result<Vec<usize>, Failure> {
    let wanted = evaluate::wanted(study, names)?;
    let number = |name: &str| study.scenarios.iter().position(|scenario| scenario.name == name);
    Ok(wanted.into_iter().filter_map(|scenario| number(&scenario.name)).collect())
}

/// An open home that no axis decides is refused at once, not at every point.
fn homes_are_known(sweep: &Sweep, scenarios: &[usize], located: &Located) -> Result<(), Failure> {
    let study = sweep.study();
    let open = scenarios.iter().flat_map(|&s| {
        let scenario = &study.scenarios[s];
        let apps = (0..study.apps.len()).map(AppId);
        let open = apps.filter(move |&app| scenario.reads_open_home(app) && !sweep.moves_data(s, app.0));
        open.map(move |app| (Some(scenario), app))
    });
    let hint = |app: &str| {
        format!(
            "sweep over it with `--set app.{app}.data=home:0,home:1`, or let numasim choose at every point with --explore"
        )
    };
    let needed = HomeNeeded {
        message: "sweep chooses only with --explore",
        in_scenario: "evaluated in this scenario",
        hint: &hint,
    };
    Ok(located.homes_are_needed(study, open, &needed)?)
}

/// Data that does not fit is refused at once where no axis moves data or threads; else each point says it.
fn data_fits(sweep: &Sweep, scenarios: &[usize]) -> Result<(), Failure> {
    let moves = |key: &str| key.contains(".data") || key.contains(".threads");
    if sweep.axes().iter().any(|axis| moves(axis.key())) {
        return Ok(());
    }
    let study = sweep.study();
    let mut chosen = scenarios.iter().filter_map(|&s| study.scenarios.get(s));
    chosen.try_for_each(|scenario| match scenario.placements() {
        Ok(placements) => Ok(room::check(study, scenario, &placements)?),
        Err(_) => Ok(()),
    })
}

/// Work that is missing in the files, and that no axis gives, is missing at every point.
fn goal_is_possible(sweep: &Sweep, question: &Question, located: &Located) -> Result<(), Failure> {
    let Ok((machine, apps)) = sweep.at(0) else { return Ok(()) };
    match Goal::new(question.objective, &machine, &apps) {
        Err(error @ GoalError::MissingWork(_)) => {
            let error = ProblemError::Goal(error);
            Err(located.refused(sweep.study(), &error).map_or_else(|| explore::refused(error), Failure::from))
        }
        _ => Ok(()),
    }
}

fn simulating(args: &SweepArgs, axes: &[Axis]) -> Result<Simulating, Failure> {
    let sweeps_lead = axes.iter().any(|axis| axis.key() == LEAD);
    let has_lead = args.policy.iter().any(|policy| matches!(policy, PolicyName::Lead(_)));
    if sweeps_lead && !has_lead && !args.policy.is_empty() {
        return Err(Failure::input(format!("{LEAD} has no influence on these policies"))
            .hint("add --policy lead, or leave out the key"));
    }
    Ok(Simulating {
        policies: args.policy.clone(),
        seed: args.seed.unwrap_or(SEED_OF_TASKS),
        until_s: args.until,
        sweeps_lead,
    })
}

/// What no axis can mend is refused at once: applications or work missing, a policy that does not exist, open homes.
fn can_be_simulated(sweep: &Sweep, simulating: &Simulating, located: &Located) -> Result<(), Failure> {
    let Ok(study) = sweep.study_at(0) else { return Ok(()) };
    let named = simulating.policies.clone();
    let policies = if named.is_empty() { vec![over_time::policy_of_files(&study, located)?] } else { named };
    Ok(over_time::can_be_simulated(&study, located, &policies)?)
}

fn question(args: &SweepArgs, study: &Study) -> Result<Question, Failure> {
    let objective = explore::objective(args.objective.unwrap_or(crate::args::ObjectiveName::TotalGflops));
    if study.apps.is_empty() {
        return Err(explore::refused(ProblemError::NoApps));
    }
    Ok(Question {
        objective,
        restrictions: Restrictions {
            same_on_every_node: args.same_on_every_node,
            whole_nodes: args.whole_nodes,
            min_threads_per_node: args.min_threads_per_node.unwrap_or(0),
            no_idle_cores: args.no_idle_cores,
        },
        settings: Settings { top: 0, seed: args.seed.unwrap_or(0), ..Settings::default() },
        time_limit: args.time_limit,
    })
}

/// Everything that has an influence on the rows, by names that people know.
fn identity(args: &SweepArgs, study: &Study, shard: Shard) -> Value {
    json!({
        "schema": 1,
        "command": "sweep",
        "numasim": env!("CARGO_PKG_VERSION"),
        "model": study.machine.sharing().name(),
        "files": format!("{:016x}", fnv1a(format!("{study:?}").as_bytes())),
        "--set": args.set,
        "--scenario": args.scenario,
        "--explore": args.explore,
        "--objective": args.objective.map(|name| explore::objective(name).name()),
        "--same-on-every-node": args.same_on_every_node,
        "--whole-nodes": args.whole_nodes,
        "--min-threads-per-node": args.min_threads_per_node,
        "--no-idle-cores": args.no_idle_cores,
        "--time-limit": args.time_limit.map(|limit| limit.as_secs_f64()),
        "--simulate": args.simulate,
        "--policy": args.policy.iter().map(PolicyName::to_string).collect::<Vec<_>>(),
        "--until": args.until,
        "--seed": args.seed,
        "--shard": shard.to_string(),
    })
}

/// The 64-bit FNV-1a hash: the same on every platform and in every version of Rust.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
