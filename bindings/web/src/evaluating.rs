//! Evaluation of scenarios for the page.

use numasim_ask::{Evaluate, Evaluated, ScenarioView, caution, document, held_back, thread_map, warning};
use numasim_draw::{Style, themed};
use numasim_sim::search::Unattended;
use numasim_sim::sweep::Task;
use serde::Serialize;

use crate::question::{Asked, Question, asked, in_words};

/// Evaluated scenarios as the page shows them.
#[derive(Serialize)]
struct Answer<'a> {
    /// The document that `numasim evaluate --format json` writes.
    document: &'a Evaluated,
    /// The thread map of each scenario: SVG in the colours of the page.
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
        maps: views().map(|view| themed(&thread_map::thread_map(&view).svg())).collect(),
        worth: views().map(|view| view.worth()).collect(),
        held_back: views().map(words).collect(),
        warnings,
        placed,
    };
    Ok(document::text(&answer))
}
