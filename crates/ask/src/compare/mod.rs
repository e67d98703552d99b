//! Compare: predictions compared with measurements.

mod document;
mod tables;
mod words;

use std::sync::Arc;

use numasim_course::Study;
use numasim_evidence::compare::{
    self as evidence, Comparison, Measurements, PredictedIntervals, Unmatched, read_measured,
};
use numasim_model::Scenario;
use numasim_model::evaluation::Options;
use numasim_sim::intervals::Interval;
use numasim_study::SourceFile;

use crate::evaluate::{of_scenario, wanted};
use crate::refusal::{Refusal, failed};
use crate::table::{self, Cell};
use crate::{Input, intervals, located, suggest};

use document::figures_of;
pub use tables::{Holding, Known, holdings, known_errors, of_coverage, of_errors, of_null_models};
pub use words::{
    PROMISED, SMALL, WAYS, advantage, grade, judged, percent, place, reason, scale, sentences,
    sharing_sentence, signed, spread, standing,
};

/// Measurements, and their name in messages.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The name of the file.
    pub name: String,
    /// Its contents.
    pub measurements: Measurements,
}

impl Measured {
    /// Reads a CSV of measurements.
    ///
    /// # Errors
    /// All mistakes in the file, with their locations.
    pub fn read(source: SourceFile) -> Result<Self, Refusal> {
        match read_measured(&source.text) {
            Ok(measurements) => Ok(Self { name: source.name, measurements }),
            Err(problems) => Err(Refusal::Located { problems, sources: vec![source] }),
        }
    }
}

/// A question to [`compare`].
#[derive(Clone, Copy, Debug)]
pub struct Compare<'a> {
    /// The files.
    pub input: &'a Input,
    /// Names of scenarios; all if it is empty.
    pub scenarios: &'a [String],
    /// The measurements.
    pub measured: &'a Measured,
}

/// Predictions compared with measurements.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The files.
    pub study: Arc<Study>,
    /// Name of the measured file.
    pub measured: String,
    /// The comparison of each scenario, and the verdict on the model.
    pub comparison: Comparison,
    /// Measurements that are left out, and the reason if there are no intervals although values of the machine are uncertain.
    pub warnings: Vec<String>,
}

/// Predictions compared with measurements, scenario by scenario.
///
/// ```
/// use numasim_ask::compare::{Compare, Measured, compare};
/// use numasim_study::SourceFile;
///
/// let input = numasim_ask::Input::read(&[("two.toml", numasim_ask::EXAMPLE)])?;
/// let text = "scenario,app,gflops\napart,stream,15.5\napart,solver,19.6\n".to_owned();
/// let measured = Measured::read(SourceFile { name: "measured.csv".to_owned(), text })?;
/// let compared = compare(&Compare { input: &input, scenarios: &[], measured: &measured })?;
/// let errors = compared.comparison.totals.expect("all of a scenario was measured");
/// assert!(errors.worst < 0.05);
/// # Ok::<(), numasim_ask::Refusal>(())
/// ```
///
/// # Errors
/// Unknown names, scenarios that cannot be evaluated, or no measurement of any of them.
pub fn compare(question: &Compare<'_>) -> Result<Compared, Refusal> {
    let (study, measured) = (&question.input.study, question.measured);
    let asked = wanted(study, question.scenarios)?;
    let comparison = predicted(question.input, &asked, measured)?;
    if comparison.scenarios.is_empty() {
        let message = format!("{} has no measurement of any of these scenarios", measured.name);
        return Err(nothing_measured(message, &comparison, &asked, &measured.name));
    }
    let mut warnings = warnings(&comparison, &measured.name);
    let comparison = with_intervals(study, &asked, comparison, &mut warnings)?;
    Ok(Compared { warnings, ..Compared::new(Arc::clone(study), measured.name.clone(), comparison) })
}

/// These scenarios compared with measurements, without intervals.
pub(crate) fn predicted(
    input: &Input,
    asked: &[&Scenario],
    measured: &Measured,
) -> Result<Comparison, Refusal> {
    let study = &input.study;
    evidence::compare(study, asked, &measured.measurements, |scenario| {
        input.located.can_be_evaluated(study, &[scenario])?;
        let options = Options { static_work: scenario.static_work, ..Options::default() };
        Ok(of_scenario(study, scenario, options)?.1)
    })
}

/// The refusal if there is nothing to compare.
pub(crate) fn nothing_measured(
    message: String,
    comparison: &Comparison,
    asked: &[&Scenario],
    measured: &str,
) -> Refusal {
    let names: Vec<&str> = asked.iter().map(|scenario| scenario.name.as_str()).collect();
    let reasons = reasons(&comparison.unmatched, measured);
    let refusal = reasons.into_iter().fold(Refusal::said(message), Refusal::hint);
    refusal.hint(format!("the scenarios are: {}", suggest::list(&names)))
}

/// A comparison with the intervals of the predictions.
fn with_intervals(
    study: &Study,
    scenarios: &[&Scenario],
    comparison: Comparison,
    warnings: &mut Vec<String>,
) -> Result<Comparison, Refusal> {
    let is_compared =
        |scenario: &&&Scenario| comparison.scenarios.iter().any(|one| one.name == scenario.name);
    let compared: Vec<&Scenario> = scenarios.iter().filter(is_compared).copied().collect();
    let Some(draws) = intervals::of_scenarios(study, &compared, warnings) else { return Ok(comparison) };
    let mut found = Vec::new();
    for scenario in compared {
        let placements = located::placements(study, scenario)?;
        let options = Options { static_work: scenario.static_work, ..Options::default() };
        let prediction = draws.predict(&study.apps, &placements, &scenario.allocation, options);
        let prediction =
            prediction.map_err(|error| failed(&format!("scenario '{}'", scenario.name), &error))?;
        found.extend(prediction.map(|prediction| (scenario.name.as_str(), prediction)));
    }
    let ends = |interval: &Interval| (interval.low, interval.high);
    Ok(comparison.with_intervals(|name| {
        let (_, prediction) = found.iter().find(|(known, _)| *known == name)?;
        let apps = study.apps.iter().zip(&prediction.gflops);
        Some(PredictedIntervals {
            total: ends(&prediction.total_gflops),
            apps: apps.map(|(app, interval)| (app.name.clone(), ends(interval))).collect(),
        })
    }))
}

/// Warnings about the measurements that a comparison leaves out.
pub(crate) fn warnings(comparison: &Comparison, measured: &str) -> Vec<String> {
    let missing = not_measured(comparison).into_iter().map(|names| format!("not measured: {names}"));
    let mut warnings: Vec<String> = missing.chain(reasons(&comparison.unmatched, measured)).collect();
    if let Some(left) = comparison.left_out.first() {
        let others = comparison.left_out.len() - 1;
        let more = if others == 0 { String::new() } else { format!(" (and {others} more such repetitions)") };
        warnings.push(discarded(left, measured) + &more);
    }
    warnings
}

/// Scenarios without any measurement, and single applications without one, each as a list.
pub fn not_measured(comparison: &Comparison) -> Vec<String> {
    let whole = comparison.missing.iter().filter(|one| one.app.is_none()).map(|one| one.scenario.clone());
    let apps = comparison.missing.iter();
    let apps = apps.filter_map(|one| Some(format!("{} in {}", one.app.as_deref()?, one.scenario)));
    let lists = [whole.collect::<Vec<_>>(), apps.collect()];
    let lists = lists.iter().filter(|names| !names.is_empty());
    lists.map(|names| suggest::list(&names.iter().map(String::as_str).collect::<Vec<_>>())).collect()
}

/// Reasons why measurements cannot be compared, one line each; only the first ones of a long list.
fn reasons(unmatched: &[Unmatched], measured: &str) -> Vec<String> {
    const MOST: usize = 10;
    let mut lines: Vec<String> =
        unmatched.iter().take(MOST).map(|one| located_reason(one, measured)).collect();
    if unmatched.len() > MOST {
        lines.push(format!("and {} more measurements that cannot be compared", unmatched.len() - MOST));
    }
    lines
}

/// Why a measurement cannot be compared, with its line.
pub fn located_reason(one: &Unmatched, measured: &str) -> String {
    format!("{measured}:{}: {}", one.line, reason(one))
}

/// Why a repetition does not count, with its line.
pub fn discarded(left: &evidence::LeftOut, measured: &str) -> String {
    format!(
        "{measured}:{}: repetition {} of '{}' in '{}' is discarded: {}",
        left.line, left.repetition, left.app, left.scenario, left.why
    )
}

impl Compared {
    /// A comparison with its inputs.
    pub fn new(study: Arc<Study>, measured: String, comparison: Comparison) -> Self {
        Self { study, measured, comparison, warnings: Vec::new() }
    }

    /// Name of the model.
    pub fn model(&self) -> &'static str {
        self.study.machine.sharing().name()
    }

    /// Whether any prediction has an interval.
    pub fn has_intervals(&self) -> bool {
        let of_predictions =
            |of: &evidence::Coverage| of.totals.predicted.model.of + of.apps.predicted.model.of;
        self.comparison.coverage.as_ref().is_some_and(|coverage| of_predictions(coverage) > 0)
    }

    /// For each scenario one row for the whole scenario (empty `app`) and one for each measured application: the values of the document
    /// by their keys, in full precision. Columns for the interval of a prediction exist if any prediction has one.
    pub fn csv(&self) -> String {
        const INTERVAL: [&str; 2] = ["predicted_gflops_ci95_low", "predicted_gflops_ci95_high"];
        let none = figures_of(None);
        let intervals = if self.has_intervals() { &INTERVAL[..] } else { &[] };
        let keys: Vec<&str> = none.keys().map(String::as_str).chain(intervals.iter().copied()).collect();
        let mut text = String::new();
        table::line(&mut text, ["scenario", "app"].iter().chain(&keys).map(|key| Cell::from(*key)));
        for scenario in &self.comparison.scenarios {
            let apps = scenario.apps.iter().map(|app| (app.name.as_str(), app.compared.as_ref()));
            for (app, compared) in std::iter::once(("", scenario.total.as_ref())).chain(apps) {
                let Some(compared) = compared else { continue };
                let figures = figures_of(Some(compared));
                let cell = |key: &&str| match figures.get(*key) {
                    Some(figure) => figure.as_u64().map_or_else(|| figure.as_f64().into(), Cell::from),
                    None => Cell::None,
                };
                let names = [Cell::from(scenario.name.as_str()), app.into()];
                table::line(&mut text, names.into_iter().chain(keys.iter().map(cell)));
            }
        }
        text
    }
}
