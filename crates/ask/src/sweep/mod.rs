//! What if: evaluates, explores or simulates at every point of a grid of changed inputs, and returns the rows as data, batch by batch.

mod points;
mod rows;

use std::time::Duration;

use numasim_course::Study;
use numasim_model::AppId;
use numasim_policy::PolicyName;
use numasim_sim::objective::{Goal, GoalError};
use numasim_sim::sweep::{Axis, SettingError, Task};
use numasim_sim::{Objective, ProblemError, Restrictions};

use crate::evaluate::wanted;
use crate::located::{HomeNeeded, Located};
use crate::refusal::Refusal;
use crate::table::Column;
use crate::wording::common_unit;
use crate::{over_time, room, suggest};
pub use points::Batch;
pub use rows::Document;

/// A study and the axes along which it changes.
pub type Grid = numasim_sim::sweep::Sweep<Study>;

/// The key for the number of items that producers may be ahead.
const LEAD: &str = "policy.lead";

/// The work at every point.
#[derive(Clone, Debug)]
pub enum Work {
    /// Evaluates the scenarios with these numbers: one row for each.
    Evaluate(Vec<usize>),
    /// Searches for the best allocation: one row.
    Explore(Exploring),
    /// Simulates over time: one row for each policy.
    Simulate(Simulating),
}

/// The question of the searches.
#[derive(Clone, Debug)]
pub struct Exploring {
    /// The objective.
    pub objective: Objective,
    /// Constraints on every answer.
    pub restrictions: Restrictions,
    /// Seed of the random restarts.
    pub seed: u64,
    /// Time limit for each point.
    pub time_limit: Option<Duration>,
}

/// The question of the simulations.
#[derive(Clone, Debug)]
pub struct Simulating {
    /// Policies, in sequence; if empty, the policy in the files.
    pub policies: Vec<PolicyName>,
    /// Seed of the work of tasks.
    pub seed: u64,
    /// End of each simulation, in seconds of simulated time.
    pub until_s: Option<f64>,
}

/// A sweep that can be computed.
#[derive(Debug)]
pub struct Sweep {
    /// The points.
    grid: Grid,
    work: Work,
    columns: Vec<Column>,
    /// For each column after those of the axes: the number of its declaration, and of its application or channel.
    declared: Vec<(usize, usize)>,
}

/// Reads the `settings`, `KEY=VALUES`, of a sweep over a study, and rejects mistakes that no point can correct.
///
/// # Errors
/// A key that does not exist or has no effect, a value that is never valid, missing homes or work, or data without enough memory; with
/// locations if the cause is in the files.
pub fn sweep(study: Study, located: &Located, settings: &[String], work: Work) -> Result<Sweep, Refusal> {
    let task = work.task();
    let read = |setting: &String| Axis::read(&study, setting, task).map_err(|error| refused(setting, error));
    let axes: Vec<Axis<Study>> = settings.iter().map(read).collect::<Result<_, _>>()?;
    match &work {
        Work::Explore(_) if study.apps.is_empty() => {
            return Err(Refusal::said("there is no [[app]] in the files: nothing to place")
                .hint("add a file with applications, for example one of configs/workloads"));
        }
        Work::Evaluate(_) | Work::Explore(_) => {}
        Work::Simulate(asked) => {
            let has_lead = asked.policies.iter().any(|policy| matches!(policy, PolicyName::Lead(_)));
            if axes.iter().any(|axis| axis.key() == LEAD) && !has_lead && !asked.policies.is_empty() {
                return Err(Refusal::said(format!("{LEAD} has no influence on these policies"))
                    .hint("add --policy lead, or leave out the key"));
            }
        }
    }
    let grid = Grid::new(study, axes).map_err(|error| refused("", error))?;
    match &work {
        Work::Evaluate(scenarios) => {
            homes_are_known(&grid, scenarios, located)?;
            data_fits(&grid, scenarios)?;
        }
        Work::Explore(asked) => goal_is_possible(&grid, asked.objective, located)?,
        Work::Simulate(asked) => can_be_simulated(&grid, asked, located)?,
    }
    let (columns, declared) = rows::columns(&grid, &work);
    Ok(Sweep { grid, work, columns, declared })
}

impl Work {
    /// Work that evaluates the scenarios with these names, or all.
    ///
    /// # Errors
    /// There is no such scenario, or there are no scenarios.
    pub fn evaluate(study: &Study, names: &[String]) -> Result<Self, Refusal> {
        let wanted = wanted(study, names)?.into_iter();
        let number = |name: &str| study.scenarios.iter().position(|scenario| scenario.name == name);
        Ok(Self::Evaluate(wanted.filter_map(|scenario| number(&scenario.name)).collect()))
    }

    const fn task(&self) -> Task {
        match self {
            Self::Evaluate(_) => Task::Evaluate,
            Self::Explore(_) => Task::Explore,
            Self::Simulate(_) => Task::Simulate,
        }
    }
}

impl Sweep {
    /// The points.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The work at each point.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The columns of all batches.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column that rates a row, and whether lower is better.
    pub fn judged_by(&self) -> (&'static str, bool) {
        match &self.work {
            Work::Evaluate(_) => match common_unit(&self.grid.study().apps) {
                None | Some("GFLOPS") => ("total_gflops", false),
                Some(_) => ("rate", false),
            },
            Work::Explore(asked) => ("value", asked.objective == Objective::Makespan),
            Work::Simulate(_) => ("makespan_s", true),
        }
    }

    /// Rows at each point.
    pub fn rows_per_point(&self) -> usize {
        match &self.work {
            Work::Evaluate(scenarios) => scenarios.len(),
            Work::Explore(_) => 1,
            Work::Simulate(asked) => asked.policies.len().max(1),
        }
    }

    /// Whether an axis is the lead of `lead:K`; the axis overrides the K of the policy.
    pub fn sweeps_lead(&self) -> bool {
        self.grid.axes().iter().any(|axis| axis.key() == LEAD)
    }

    /// Parts of the files that simulations ignore, in words.
    pub fn warnings(&self, located: &Located) -> Vec<String> {
        let Work::Simulate(asked) = &self.work else { return Vec::new() };
        let study = self.grid.study();
        let of_files = asked.policies.is_empty().then(|| over_time::policy_of_files(study, located).ok());
        let policies: Vec<_> = asked.policies.iter().cloned().chain(of_files.flatten()).collect();
        over_time::ignored(study, located, &policies)
    }
}

fn refused(setting: &str, error: SettingError) -> Refusal {
    let prefix = if setting.is_empty() { String::new() } else { format!("--set '{setting}': ") };
    let refusal = Refusal::said(format!("{prefix}{error}"));
    match error {
        SettingError::Wrong { hint, .. } => refusal.hint(hint),
        SettingError::Unknown { word, known, .. } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let refusal = match suggest::nearest(&word, &known) {
                Some(near) => refusal.hint(format!("did you mean '{near}'?")),
                None => refusal,
            };
            refusal.hint(format!("there is: {}", suggest::list(&known)))
        }
    }
}

/// Rejects in advance, instead of at every point, open data that no axis decides.
fn homes_are_known(grid: &Grid, scenarios: &[usize], located: &Located) -> Result<(), Refusal> {
    let study = grid.study();
    let open = scenarios.iter().flat_map(|&s| {
        let scenario = &study.scenarios[s];
        let apps = (0..study.apps.len()).map(AppId);
        let open = apps.filter(move |&app| !grid.moves_data(s, app.0));
        open.filter_map(move |app| Some((Some(scenario), app, scenario.reads_open_data(app)?)))
    });
    let hint = |app: &str, _| {
        format!(
            "sweep over it with `--set app.{app}.data=home:0,home:1`, or let numasim choose at every point with --explore"
        )
    };
    let needed = HomeNeeded {
        message: "sweep chooses only with --explore",
        in_scenario: "evaluated in this scenario",
        hint: &hint,
    };
    located.homes_are_needed(study, open, &needed)
}

/// Rejects in advance data that does not fit, if no axis moves data or threads; otherwise each point reports it.
fn data_fits(grid: &Grid, scenarios: &[usize]) -> Result<(), Refusal> {
    let moves = |key: &str| key.contains(".data") || key.contains(".threads");
    if grid.axes().iter().any(|axis| moves(axis.key())) {
        return Ok(());
    }
    let study = grid.study();
    let mut chosen = scenarios.iter().filter_map(|&s| study.scenarios.get(s));
    chosen.try_for_each(|scenario| match scenario.placements() {
        Ok(placements) => room::check(study, scenario, &placements),
        Err(_) => Ok(()),
    })
}

/// Work that is missing in the files, and that no axis defines, is missing at every point.
fn goal_is_possible(grid: &Grid, objective: Objective, located: &Located) -> Result<(), Refusal> {
    let Ok((machine, apps)) = grid.at(0) else { return Ok(()) };
    match Goal::new(objective, &machine, &apps) {
        Err(error @ GoalError::MissingWork(_)) => {
            let message = error.to_string();
            Err(located.refused(grid.study(), &ProblemError::Goal(error)).unwrap_or_else(|| {
                Refusal::said(message).hint("add it to their [[app]] tables, or choose another --objective")
            }))
        }
        Err(error @ GoalError::NoFlop(..)) => Err(crate::explore::refused(ProblemError::Goal(error))),
        _ => Ok(()),
    }
}

/// Rejects in advance what no axis can correct: missing applications or work, a policy that does not exist, open homes.
fn can_be_simulated(grid: &Grid, asked: &Simulating, located: &Located) -> Result<(), Refusal> {
    let Ok(study) = grid.study_at(0) else { return Ok(()) };
    let named = asked.policies.clone();
    let policies = if named.is_empty() { vec![over_time::policy_of_files(&study, located)?] } else { named };
    over_time::can_be_simulated(&study, located, &policies)
}
