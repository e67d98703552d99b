//! Evaluation of scenarios for the page.

use numasim_ask::{
    Evaluate, Evaluated, EvaluatedUnderAll, ScenarioView, caution, document, evaluate_under_all, held_back,
    thread_map, warning,
};
use numasim_draw::Style;
use numasim_sim::search::Unattended;
use numasim_sim::sweep::Task;
use serde::Serialize;

use crate::question::{Asked, Question, asked, in_words};

/// Evaluated scenarios as the page shows them.
#[derive(Serialize)]
struct Answer<'a> {
    /// The document that `numasim evaluate --format json` writes.
    document: &'a Evaluated,
    /// The thread map of each scenario: SVG without heading and legend.
    maps: Vec<String>,
    /// The value of each scenario, with its unit.
    worth: Vec<(f64, &'a str)>,
    /// The bottleneck of each application in each scenario, in words.
    held_back: Vec<Vec<String>>,
    warnings: Vec<String>,
    /// The shown placement as text of a file.
    placed: String,
}

/// Evaluates the shown placement, or all scenarios of the files.
///
/// # Errors
/// The message of the command line.
pub fn evaluate(question: &str) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let Asked { input, mut warnings, placed } = asked(&question, Task::Evaluate)?;
    let shown: Vec<String> = question.placed.iter().map(|shown| shown.name.clone()).collect();
    let asked = Evaluate { scenarios: &shown, ..Evaluate::new(&input) };
    let found = numasim_ask::evaluate(&asked, &Unattended).map_err(in_words)?;
    warnings.extend(found.warnings.iter().cloned());
    warnings.extend(caution::beside_machine(&input.study.machine, &input.study.apps));
    let views = || found.views().into_iter();
    for view in views() {
        warnings.extend(warning::facts(&view.evaluation.warnings));
        warnings.extend(caution::beside_warnings(&view));
    }
    let words = |view: ScenarioView<'_>| {
        let style = Style { unicode: true, ..Style::default() };
        view.app_ids().map(|app| held_back::in_words(&view, app, &style)).collect()
    };
    let answer = Answer {
        document: &found,
        maps: views().map(|view| thread_map::thread_map(&view).compact_svg()).collect(),
        worth: views().map(|view| view.worth()).collect(),
        held_back: views().map(words).collect(),
        warnings,
        placed,
    };
    Ok(document::text(&answer))
}

/// The shown placement under every sharing model.
#[derive(Serialize)]
struct UnderModels<'a> {
    /// The document that `numasim evaluate --model all --format json` writes.
    document: &'a EvaluatedUnderAll,
    /// The value of the first scenario under each model, with its unit.
    worth: Vec<(f64, &'a str)>,
    /// Models that do not support the machine.
    warnings: &'a [String],
}

/// Evaluates the shown placement, or the scenarios of the files, under every sharing model that supports the machine.
///
/// # Errors
/// The message of the command line.
pub fn under_models(question: &str) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let Asked { input, .. } = asked(&question, Task::Evaluate)?;
    let shown: Vec<String> = question.placed.iter().map(|shown| shown.name.clone()).collect();
    let asked = Evaluate { scenarios: &shown, ..Evaluate::new(&input) };
    let found = evaluate_under_all(&asked, &Unattended).map_err(in_words)?;
    let first = found.models.iter().filter_map(|under| under.scenarios.first());
    let worth = first.map(|one| one.view().worth()).collect();
    Ok(document::text(&UnderModels { document: &found, worth, warnings: &found.warnings }))
}
