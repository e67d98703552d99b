//! What becomes of scenarios.

use numasim_ask::{Evaluate, Evaluated, ScenarioView, caution, document, held_back, thread_map, warning};
use numasim_draw::{Style, themed};
use numasim_sim::search::Unattended;
use numasim_sim::sweep::Task;
use serde::Serialize;

use crate::question::{Asked, Question, asked, in_words};

/// What the page shows of scenarios.
#[derive(Serialize)]
struct Answer<'a> {
    /// What `numasim evaluate --format json` writes.
    document: &'a Evaluated,
    /// The thread map of each scenario: SVG in the colours of the page.
    maps: Vec<String>,
    /// What each scenario is worth, with its unit.
    worth: Vec<(f64, &'a str)>,
    /// What holds each application back in each scenario, in words.
    held_back: Vec<Vec<String>>,
    warnings: Vec<String>,
    /// The shown placement as text of a file.
    placed: String,
}

/// The shown placement, or all scenarios of the files, evaluated.
///
/// # Errors
/// What is wrong, as the command line says it.
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
