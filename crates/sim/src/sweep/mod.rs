//! Sweeps: a study with some of its values replaced, at every point of a grid.
//!
//! # Terminology
//! - **key**: the value that is replaced, named as in the input files (`machine.link_gbs`).
//! - **axis**: a key and its list of values. The name of an application or of a group addresses all its instances.
//! - **point**: one value of every axis. Points are numbered from 0; the last axis changes fastest.
//!
//! # Rules
//! 1. Values are computed from their index, never by adding up; a range includes its end.
//! 2. At a point the axes are applied in their order: if two set the same value, the later one wins.
//! 3. A key of the whole machine sets every node, or every link, to the same value.
//! 4. `app.NAME.data` moves the data in every scenario that does not override the application's placement.
//! 5. Simulations also have the keys of events over time, and `app.NAME.data` also moves the data of the phases.
//! 6. A value that can never be valid (a negative bandwidth, half a thread) is an error before anything is computed. An impossible point
//!    (more threads than cores) has a reason instead of a result; the others have their results.

mod at;
mod key;
mod values;

pub use at::{Contradiction, Evaluator};
pub use values::{MAX_POINTS, Value};

use numasim_model::bounds::{LARGEST, SMALLEST};
use numasim_model::{App, Machine, OpenData, Scenario, Study};
use numasim_study::figure::{Swept, ValueRange};

use crate::monitor::Unattended;
use crate::objective::Objective;
use crate::problem::{Problem, ProblemError};
use crate::restrictions::Restrictions;
use at::Changing;
use key::Target;
use values::Values;

/// The reason why an axis is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// A name that does not exist.
    #[error("{message}")]
    Unknown {
        /// The error.
        message: String,
        /// The name.
        word: String,
        /// Names that exist there.
        known: Vec<String>,
    },
    /// Anything else.
    #[error("{message}")]
    Wrong {
        /// The error.
        message: String,
        /// What to write instead.
        hint: String,
    },
}

impl SettingError {
    fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Wrong { message: message.into(), hint: hint.into() }
    }

    fn unknown<'a>(message: String, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        Self::Unknown {
            message,
            word: word.to_owned(),
            known: known.into_iter().map(str::to_owned).collect(),
        }
    }
}

/// The task at every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Scenarios are evaluated.
    Evaluate,
    /// The best allocation is searched for.
    Explore,
    /// A simulation over time, run by the caller of [`Sweep::study_at`].
    Simulate,
}

/// A key and its list of values.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis<S: Swept> {
    key: String,
    target: Target<S>,
    values: Values,
}

impl<S: Swept> Axis<S> {
    /// Reads `KEY=VALUES`.
    ///
    /// # Errors
    /// [`SettingError`] if `study` has no such key, if the task does not use it, or if a value can never be valid.
    pub fn read(study: &S, setting: &str, task: Task) -> Result<Self, SettingError> {
        let (parts, text) = key::split(setting)?;
        let (key, target) = (key::join(&parts), Target::find(study, &parts, task)?);
        if task == Task::Evaluate && target.only_for_explore() {
            return Err(SettingError::wrong(
                format!("{key} has no influence on the scenarios"),
                "only --explore uses it",
            ));
        }
        if task == Task::Explore && target.only_for_evaluate() {
            return Err(SettingError::wrong(
                format!("{key} has no influence on --explore, which chooses the threads itself"),
                "leave out --explore to evaluate the scenarios, or sweep keys of [machine] and [[app]]",
            ));
        }
        if task == Task::Simulate && target.is_cores() {
            return Err(SettingError::wrong(
                format!("{key}: the threads of the applications are those for the cores of the files"),
                "sweep app.NAME.threads, or write the other machine into a separate file",
            ));
        }
        let values = if target.takes_data() {
            Values::data(text, &study.at_rest().machine)?
        } else {
            Values::numbers(text)?
        };
        let axis = Self { key, target, values };
        axis.check(task)?;
        Ok(axis)
    }

    /// Rejects values that can never be valid.
    fn check(&self, task: Task) -> Result<(), SettingError> {
        // Ranges have their extremes at their ends. Whether all counts are whole depends also on the second value. The value nearest to 0
        // is next to 0 in the list.
        let last = self.len() - 1;
        let ends = [0, 1.min(last), last.saturating_sub(1), last];
        let all: Vec<u64> = match &self.values {
            Values::Steps { .. } | Values::Factors { .. } => ends.into(),
            Values::Numbers(_) | Values::Data(_) => (0..=last).collect(),
        };
        for value in all.into_iter().map(|i| self.value(i)) {
            let number = match value {
                Value::Number(number) => number,
                Value::Data(_, data) => match data.open().filter(|_| task != Task::Explore) {
                    None => continue,
                    Some(open) => {
                        let who = if task == Task::Simulate { "simulate" } else { "evaluate" };
                        let (what, instead) = match open {
                            OpenData::Home => ("a home", "name the node (home:0), or use --explore"),
                            OpenData::Fractions => {
                                ("fractions", "give interleave or home:0, or use --explore")
                            }
                        };
                        return Err(SettingError::wrong(
                            format!("{}: {who} does not choose {what}", self.key),
                            instead,
                        ));
                    }
                },
            };
            let Some(range) = self.target.range() else { continue };
            let Some(misfit) = range.misfit(number) else { continue };
            let hint = match range {
                ValueRange::Positive => format!("write numbers from {SMALLEST:e} to {LARGEST:e}"),
                ValueRange::NotNegative => format!("write 0, or numbers from {SMALLEST:e} to {LARGEST:e}"),
                ValueRange::Fraction => "write numbers from 0 to 1".to_owned(),
                ValueRange::Whole { .. } => "write whole numbers, in a range also as step".to_owned(),
                ValueRange::Parameter(_) => "`numasim models` explains it".to_owned(),
            };
            // As a person writes it: 1e-320, not 320 decimals.
            let number =
                if misfit.label.starts_with("too ") { format!("{number:?}") } else { number.to_string() };
            return Err(SettingError::wrong(
                format!("{} must be {}, not {number}", self.key, misfit.must),
                hint,
            ));
        }
        Ok(())
    }

    /// The key in TOML syntax.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The unit of its values; empty for plain numbers and for data.
    pub fn unit(&self) -> &'static str {
        self.target.unit()
    }

    /// Number of values, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> u64 {
        self.values.count()
    }

    /// The value with this index, from 0.
    pub fn value(&self, i: u64) -> Value<'_> {
        self.values.get(i)
    }

    /// Whether each value is the previous one times a constant: a logarithmic scale shows them evenly.
    pub fn is_geometric(&self) -> bool {
        match &self.values {
            Values::Factors { .. } => true,
            Values::Numbers(numbers) => {
                let ratios: Vec<f64> = numbers.windows(2).map(|pair| pair[1] / pair[0]).collect();
                let even = |ratio: &f64| (ratio / ratios[0] - 1.0).abs() < 1e-6 && *ratio > 0.0;
                ratios.len() > 1 && numbers[0] > 0.0 && ratios.iter().all(even) && ratios[0] != 1.0
            }
            Values::Steps { .. } | Values::Data(_) => false,
        }
    }
}

/// A study and the axes along which it changes.
#[derive(Clone, Debug)]
pub struct Sweep<S: Swept> {
    study: S,
    axes: Vec<Axis<S>>,
    points: u64,
}

impl<S: Swept> Sweep<S> {
    /// A sweep over all combinations of the values of `axes`.
    ///
    /// # Errors
    /// [`SettingError`] if a key occurs twice or if there are more than [`MAX_POINTS`] points.
    pub fn new(study: S, axes: Vec<Axis<S>>) -> Result<Self, SettingError> {
        for (i, axis) in axes.iter().enumerate() {
            if axes[..i].iter().any(|earlier| earlier.target == axis.target) {
                return Err(SettingError::wrong(
                    format!("{} is set twice", axis.key),
                    "give all its values in one --set",
                ));
            }
        }
        let product = axes.iter().try_fold(1_u64, |product, axis| product.checked_mul(axis.len()));
        let points = product.filter(|&points| points <= MAX_POINTS).ok_or_else(|| {
            SettingError::wrong(
                format!("the grid has more than {MAX_POINTS} points"),
                "use larger steps or fewer axes",
            )
        })?;
        Ok(Self { study, axes, points })
    }

    /// The study from the files.
    pub fn study(&self) -> &S {
        &self.study
    }

    /// The axes, in order.
    pub fn axes(&self) -> &[Axis<S>] {
        &self.axes
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// The index of the value on each axis at a point.
    pub fn indices(&self, point: u64) -> Vec<u64> {
        let mut rest = point;
        let mut indices: Vec<u64> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let index = rest % axis.len();
                rest /= axis.len();
                index
            })
            .collect();
        indices.reverse();
        indices
    }

    /// Machine and applications at a point.
    ///
    /// # Errors
    /// The reason why the machine is invalid, in words.
    pub fn at(&self, point: u64) -> Result<(Machine, Vec<App>), String> {
        let mut changing = Changing::new(self.study.at_rest());
        for (axis, index) in self.axes.iter().zip(self.indices(point)) {
            changing.set(self, &axis.target, axis.value(index));
        }
        Ok((changing.machine(self.study.at_rest())?, changing.figures.apps))
    }

    /// The whole study at a point, for a simulation.
    ///
    /// # Errors
    /// The reason why the machine is invalid, in words.
    pub fn study_at(&self, point: u64) -> Result<S, String> {
        let mut changing = Changing::new(self.study.at_rest());
        let values =
            || self.axes.iter().zip(self.indices(point)).map(|(axis, i)| (&axis.target, axis.value(i)));
        for (target, value) in values() {
            changing.set(self, target, value);
        }
        let mut study = self.study.clone();
        let at_rest = study.at_rest_mut();
        at_rest.machine = changing.machine(self.study.at_rest())?;
        (at_rest.apps, at_rest.scenarios) = changing.into_apps_and_scenarios();
        for (target, value) in values() {
            match (target, value) {
                (Target::OverTime(figure), Value::Number(number)) => study.set(figure, number),
                (Target::AppData(apps), Value::Data(_, data)) => {
                    apps.clone().for_each(|app| study.move_data(app, data));
                }
                _ => {}
            }
        }
        Ok(study)
    }

    /// The question for `explore` at a point.
    ///
    /// # Errors
    /// The reason why there is no answer, in words.
    pub fn problem(
        &self,
        point: u64,
        objective: Objective,
        restrictions: Restrictions,
    ) -> Result<Problem, String> {
        let study = self.study_at(point)?;
        let Study { machine, apps, scenarios } = study.at_rest();
        for app in apps {
            if let Some(max) = app.max_threads.filter(|&max| max < app.min_threads) {
                return Err(format!(
                    "min_threads {} of {} is above its max_threads {max}",
                    app.min_threads, app.name
                ));
            }
        }
        let problem = Problem::new(machine, apps, objective, restrictions)
            .map_err(|error: ProblemError| error.to_string())?;
        // At this point a scenario may have more threads than there are cores.
        let fit: Vec<Scenario> =
            scenarios.iter().filter(|one| one.allocation.fits(machine).is_ok()).cloned().collect();
        let known = problem.baselines(&fit, &Unattended).into_iter().map(|one| one.candidate);
        Ok(problem.starting_from(known.collect::<Vec<_>>()))
    }

    /// Whether `explore` may choose the home or the fractions of an application at some point: they are open in the files, or some value of
    /// an axis opens them. All parts of a sweep use this decision.
    pub fn may_choose(&self, open: OpenData, app: usize) -> bool {
        let of_app = self.study.at_rest().apps.get(app).and_then(|app| app.data.open());
        of_app == Some(open) || self.axes.iter().any(|axis| axis.values.open(open))
    }

    /// Whether an axis sets the data placement of an application in a scenario.
    pub fn moves_data(&self, scenario: usize, app: usize) -> bool {
        self.axes.iter().any(|axis| match &axis.target {
            Target::AppData(apps) => apps.contains(&app) && self.follows(scenario, app),
            Target::ScenarioData { scenario: at, apps } => *at == scenario && apps.contains(&app),
            _ => false,
        })
    }

    /// Whether a scenario uses the application's own data placement.
    fn follows(&self, scenario: usize, app: usize) -> bool {
        let own = self.study.at_rest().apps[app].data == self.study.at_rest().scenarios[scenario].data[app];
        own && !self.axes.iter().any(|axis| {
            matches!(&axis.target, Target::ScenarioData { scenario: at, apps } if *at == scenario && apps.contains(&app))
        })
    }
}

#[cfg(test)]
mod tests;
