//! What becomes of scenarios.

use numasim_ask::{ScenarioView, caution, evaluated, held_back, intervals, thread_map, warning};
use numasim_draw::{Style, themed};
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::memory::fits;
use numasim_model::{Data, Evaluation, Placement, Scenario, Study, evaluate_with};
use numasim_sim::intervals::{Draws, Prediction};
use numasim_sim::sweep::Task;
use serde::Serialize;
use serde_json::Value;

use crate::question::Question;
use crate::study::{Asked, asked};

/// What the page shows of scenarios.
#[derive(Serialize)]
struct Answer {
    /// What `numasim evaluate --format json` writes.
    document: Value,
    /// The thread map of each scenario: SVG in the colours of the page.
    maps: Vec<String>,
    /// What holds each application back in each scenario, in words.
    held_back: Vec<Vec<String>>,
    warnings: Vec<String>,
    /// The shown placement as text of a file.
    placed: String,
}

/// An evaluated scenario.
struct Evaluated {
    scenario: Scenario,
    placements: Vec<Placement>,
    evaluation: Evaluation,
    intervals: Option<Prediction>,
}

impl Evaluated {
    fn new(study: &Study, scenario: Scenario) -> Result<Self, String> {
        let placements = scenario.placements().map_err(|open| {
            let (scenario, app) = (&scenario.name, &study.apps[open.app.0].name);
            format!("error: scenario '{scenario}': the home of the data of '{app}' is open: choose a node\n")
        })?;
        fits(&study.machine, &study.apps, &placements, &scenario.allocation)
            .map_err(|full| format!("error: scenario '{}': {full}\n", scenario.name))?;
        let (options, allocation) = (options(&scenario), &scenario.allocation);
        let evaluation = evaluate_with(&study.machine, &study.apps, &placements, allocation, options)
            .map_err(|error| failed(&scenario.name, &error))?;
        Ok(Self { scenario, placements, evaluation, intervals: None })
    }

    fn predict(&mut self, study: &Study, draws: &Draws) -> Result<(), String> {
        let (scenario, placements) = (&self.scenario, &self.placements);
        let found = draws.predict(&study.apps, placements, &scenario.allocation, options(scenario));
        self.intervals = found.map_err(|error| failed(&scenario.name, &error))?;
        Ok(())
    }

    fn view<'a>(&'a self, study: &'a Study) -> ScenarioView<'a> {
        ScenarioView {
            name: &self.scenario.name,
            machine: &study.machine,
            apps: &study.apps,
            allocation: &self.scenario.allocation,
            placements: &self.placements,
            evaluation: &self.evaluation,
            intervals: self.intervals.as_ref(),
        }
    }
}

fn options(scenario: &Scenario) -> Options {
    Options { static_work: scenario.static_work, ..Options::default() }
}

/// Why something cannot be evaluated; a result that contradicts its model is a fault of the program.
pub(crate) fn failed(what: &str, error: &EvaluateError) -> String {
    let fault = if matches!(error, EvaluateError::Unsound(_)) { "fault of numasim" } else { "error" };
    format!("{fault}: '{what}': {error}\n")
}

/// The shown placement, or all scenarios of the files, evaluated.
///
/// # Errors
/// What is wrong, as the command line says it.
pub fn evaluate(question: &str) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let Asked { mut study, mut warnings, placed } = asked(&question, Task::Evaluate)?;
    let mut scenarios = std::mem::take(&mut study.scenarios);
    if let Some(shown) = &question.placed {
        scenarios.retain(|scenario| scenario.name == shown.name);
    }
    if scenarios.is_empty() {
        return Err("error: there is no [[scenario]]: nothing to evaluate\n".to_owned());
    }
    let mut all: Vec<Evaluated> =
        scenarios.into_iter().map(|scenario| Evaluated::new(&study, scenario)).collect::<Result<_, _>>()?;
    let figures = all
        .iter()
        .map(|one| intervals::figures_of(&study, one.scenario.data.iter().filter_map(Data::placement)));
    let draws = intervals::draws(&study, figures.sum()).unwrap_or_else(|warning| {
        warnings.push(warning);
        None
    });
    if let Some(draws) = &draws {
        all.iter_mut().try_for_each(|one| one.predict(&study, draws))?;
    }
    let mut document = evaluated::head(&study, draws.as_ref());
    let views = || all.iter().map(|one| one.view(&study));
    document["scenarios"] = views().map(|view| numasim_ask::json::json(&view)).collect::<Vec<_>>().into();
    for view in views() {
        warnings.extend(warning::facts(&view.evaluation.warnings));
        warnings.extend(caution::beside_warnings(&view));
    }
    let words = |view: ScenarioView<'_>| {
        let style = Style { unicode: true, ..Style::default() };
        view.app_ids().map(|app| held_back::in_words(&view, app, &style)).collect()
    };
    let answer = Answer {
        document,
        maps: views().map(|view| themed(&thread_map::thread_map(&view).svg())).collect(),
        held_back: views().map(words).collect(),
        warnings,
        placed,
    };
    serde_json::to_string(&answer).map_err(|error| format!("fault of numasim: {error}\n"))
}
