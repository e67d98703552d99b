//! The same applications on several machines: another server, or the same server divided into nodes differently (NPS1 or NPS4, SNC on or
//! off).
//!
//! # Comparison
//! The p of `fair` and `geomean` is relative to each machine itself, so a slow machine may have the higher value. Machines are therefore
//! compared by the performance of the applications: the weighted geometric mean of GFLOPS relative to the first machine
//! ([`Machines::speed`]). For `total-gflops` and `makespan`, whose values have the same meaning on every machine, it is the ratio of
//! these values.

use numasim_model::AppId;
use numasim_sim::Objective;
use serde::Serialize;

use crate::Explored;
use crate::document::{ByName, StudyHead, plain, written_as};
use crate::explore::{Clock, Explore, explore};
use crate::explored::{ObjectiveWord, ProofObject};
use crate::refusal::Refusal;
use crate::scenario::ScenarioObject;
use crate::table::Of;
use crate::wording::{gap, value_scale, value_title, weighted};

/// The best placement on each of several machines.
#[derive(Clone, Debug)]
pub struct Machines {
    /// In the order of the questions; never empty. All have the same applications.
    pub found: Vec<Explored>,
}

/// Asks the same question of several machines, in sequence; each gets an equal share of the time limit.
///
/// ```
/// use numasim_ask::{Explore, Input, machines};
/// use numasim_sim::search::Unattended;
///
/// let wide = numasim_ask::EXAMPLE.replace("bandwidth_gbs = 32.0", "bandwidth_gbs = 64.0");
/// let inputs = [Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?, Input::read(&[("wide.toml", &wide)])?];
/// let answer = machines(&inputs.each_ref().map(Explore::new), &Unattended)?;
/// assert_eq!(answer.speed(0), Some(1.0));
/// assert!(answer.speed(1).is_some_and(|speed| speed > 1.0));
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// The errors of [`explore()`] on any of the machines, with its name; there is no question, or the applications differ.
pub fn machines(questions: &[Explore<'_>], clock: &dyn Clock) -> Result<Machines, Refusal> {
    let names = |question: &Explore<'_>| -> Vec<String> {
        question.input.study.apps.iter().map(|app| app.name.clone()).collect()
    };
    if questions.is_empty() || questions.iter().any(|question| names(question) != names(&questions[0])) {
        return Err(Refusal::said("machines are compared by what they do for the same applications"));
    }
    let parts = u32::try_from(questions.len()).unwrap_or(u32::MAX);
    let each = clock.limit().map(|limit| limit / parts);
    let one = |question: &Explore<'_>| {
        let found = explore(question, &*clock.another(each));
        found.map_err(|refusal| {
            refusal.because(format!("it is asked of the machine '{}'", question.input.study.machine.name()))
        })
    };
    let found = questions.iter().map(one).collect::<Result<_, _>>();
    clock.finish();
    Ok(Machines { found: found? })
}

/// One of the machines, by its number.
#[derive(Clone, Copy, Debug)]
pub struct Row<'v> {
    number: usize,
    found: &'v Explored,
}

impl Row<'_> {
    /// The number of the machine, from 0.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// GFLOPS of an application.
    fn gflops(&self, app: usize) -> f64 {
        self.found.best.scenario.evaluation.apps[app].gflops.value()
    }

    /// The fraction of its stand-alone GFLOPS that each application reaches.
    fn p(&self) -> Vec<f64> {
        let apps = 0..self.found.study.apps.len();
        self.found.problem.goal().p(&apps.map(|app| self.gflops(app)).collect::<Vec<_>>())
    }
}

/// A p for people.
fn percent(p: f64) -> String {
    format!("{:.0} %", 100.0 * p)
}

/// The smallest change in the GFLOPS of an application that is mentioned.
const NAMED: f64 = 0.01;

impl Machines {
    /// All machines.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.found.iter().enumerate().map(|(number, found)| Row { number, found })
    }

    fn row(&self, number: usize) -> Row<'_> {
        Row { number, found: &self.found[number] }
    }

    /// The objective.
    pub fn objective(&self) -> Objective {
        self.found[0].problem.goal().objective()
    }

    /// Speed of the applications on this machine relative to the first machine; `None` if an application gets nothing on one of them.
    pub fn speed(&self, number: usize) -> Option<f64> {
        let (here, first) = (self.row(number), self.row(0));
        let goal = self.found[0].problem.goal();
        if matches!(self.objective(), Objective::TotalGflops | Objective::Makespan) {
            return goal.factor(here.found.best.value, first.found.best.value);
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (a, app) in self.found[0].study.apps.iter().enumerate() {
            sum += app.weight * (here.gflops(a) / first.gflops(a)).ln();
            weights += app.weight;
        }
        let mean = (sum / weights).exp();
        (mean.is_finite() && mean > 0.0).then_some(mean)
    }

    /// The number of the machine on which the applications are fastest.
    pub fn fastest(&self) -> usize {
        let speeds = (0..self.found.len()).map(|number| self.speed(number).unwrap_or(0.0));
        // The first of several equal ones.
        speeds
            .enumerate()
            .fold((0, 0.0), |best, next| if next.1 > best.1 * (1.0 + 1e-9) { next } else { best })
            .0
    }

    /// Relative change in the GFLOPS of an application compared with the first machine; `None` if it is small or undefined.
    pub fn change(&self, number: usize, app: AppId) -> Option<f64> {
        let change = self.row(number).gflops(app.0) / self.row(0).gflops(app.0) - 1.0;
        (change.is_finite() && change.abs() >= NAMED).then_some(change)
    }

    /// The columns shared by the tables for people and for programs.
    pub fn columns(&self) -> Vec<Of<'_, Row<'_>>> {
        let apps = &self.found[0].study.apps;
        let title = value_title(self.objective(), weighted(apps));
        let mut columns = vec![
            Of::text("machine", |row: &Row| row.found.study.machine.name().to_owned()),
            Of::number("value", |row: &Row| row.found.best.value)
                .titled(title)
                .scaled(value_scale(self.objective()))
                .rounded(),
            Of::number("gap", |row: &Row| row.found.gap).written(gap),
            Of::number("speed", |row: &Row| self.speed(row.number)).titled("speed vs.\nthe first").rounded(),
        ];
        columns.extend(apps.iter().enumerate().map(|(a, app)| {
            Of::number("p", move |row: &Row| row.p()[a]).each(&app.name).titled(&app.name).written(percent)
        }));
        columns
    }

    /// One value for each machine: status, value, bound, gap, speed, p and GFLOPS of each application.
    pub fn values(&self) -> Vec<Of<'_, Row<'_>>> {
        let apps = &self.found[0].study.apps;
        let mut columns = self.columns();
        columns.insert(1, Of::text("status", |row: &Row| row.found.status()));
        columns.insert(3, Of::number("bound", |row: &Row| row.found.bound));
        columns.extend(apps.iter().enumerate().map(|(a, app)| {
            let name = if app.rate_unit.is_some() { "rate" } else { "gflops" };
            Of::number(name, move |row: &Row| row.gflops(a)).each(&app.name)
        }));
        columns
    }

    /// The columns of its CSV: [`Self::values`], and the threads on each node, because the number of nodes differs between machines.
    pub fn csv_columns(&self) -> Vec<Of<'_, Row<'_>>> {
        let apps = &self.found[0].study.apps;
        let mut columns = self.values();
        columns.extend(apps.iter().enumerate().map(|(a, app)| {
            let threads = move |row: &Row| row.found.best.scenario.view().threads(AppId(a));
            Of::per_node("threads", threads).each(&app.name)
        }));
        columns
    }
}

written_as!(Machines => MachinesObject);

/// The best placement on each of several machines.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MachinesObject<'a> {
    #[serde(flatten)]
    head: StudyHead,
    /// The objective.
    objective: ObjectiveWord,
    /// Name of the machine on which the applications are fastest.
    fastest: &'a str,
    /// In the order of the command line.
    machines: Vec<OnMachine<'a>>,
}

/// One of the machines.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct OnMachine<'a> {
    /// Its name.
    machine: &'a str,
    /// The sharing model.
    model: &'static str,
    #[serde(flatten)]
    proof: ProofObject,
    /// Speed of the applications relative to the first machine; null if an application gets nothing.
    speed: Option<f64>,
    /// GFLOPS / GFLOPS alone on this machine; 0 if the latter is 0.
    p: ByName<f64>,
    /// The best allocation.
    best: ScenarioObject<'a>,
}

impl<'a> From<&'a Machines> for MachinesObject<'a> {
    fn from(machines: &'a Machines) -> Self {
        let first = &machines.found[0];
        let name = |number: usize| machines.found[number].study.machine.name();
        let of = |row: Row<'a>| {
            let found = row.found;
            let apps = found.study.apps.iter();
            OnMachine {
                machine: name(row.number),
                model: found.study.machine.sharing().name(),
                proof: found.into(),
                speed: machines.speed(row.number).map(plain),
                p: ByName(apps.zip(row.p()).map(|(app, p)| (app.name.clone(), plain(p))).collect()),
                best: (&found.best.scenario.view()).into(),
            }
        };
        Self {
            head: StudyHead::of("explore", &first.study.machine),
            objective: ObjectiveWord(machines.objective().as_str()),
            fastest: name(machines.fastest()),
            machines: machines.rows().map(of).collect(),
        }
    }
}
