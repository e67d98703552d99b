//! Applications and no scenario: the search that answers first.

use numasim_model::pinning::node_without_cpus;
use numasim_model::{Scenario, Study};

use crate::args::{EmitKind, ObjectiveName, Page};
use crate::commands::explore::{self, objective};
use crate::emit;
use crate::failure::Failure;
use crate::report::Explored;
use crate::shell::Shell;
use crate::view::Style;
use crate::view::answer::Answer;
use crate::view::answer::sensitivity::SensitivityView;
use crate::watch::Watch;
use numasim_ask::evaluate::MOST_FIGURES;
use numasim_ask::sensitivity::gain_unit;
use numasim_ask::{Explore, Input};
use numasim_sim::search::WITHIN;
use numasim_sim::search::over_models::ModelList;

/// The name of the file with what was found, as `explore --save` writes it.
pub(super) const SAVED: &str = "best.toml";

/// Whether the page is about a placement that nobody has chosen yet.
pub(super) fn is_asked(page: &Page, study: &Study, over_time: bool) -> bool {
    !study.apps.is_empty() && study.scenarios.is_empty() && (!over_time || page.objective.is_some())
}

/// The answers, and the scenarios that they are.
pub(super) fn explored(
    page: &Page,
    input: &Input,
    shell: &Shell,
) -> Result<(Explored, Vec<Scenario>), Failure> {
    let name = page.objective.unwrap_or(ObjectiveName::TotalGflops);
    let question = Explore {
        objective: objective(name),
        models: Some(&ModelList::All),
        within: Some(WITHIN),
        sensitivity: true,
        top: 0,
        most_figures: Some(MOST_FIGURES),
        ..Explore::new(input)
    };
    let watch = Watch::start(Some(page.time_limit), question.objective, shell);
    let found = explore::searched(&question, None, &watch)?;
    shell.warn_all(&found.warnings);
    let answer = Answer::of(&found);
    let document = serde_json::to_value(&found)
        .map_err(|error| Failure::fault("cannot write JSON").caused_by(&error))?;
    let script = match node_without_cpus(&input.study.machine) {
        Some(_) => None,
        None => {
            Some(emit::script_with_warnings(EmitKind::Numactl, &answer.best_view(), &answer.facts(), shell)?)
        }
    };
    let sensitivity = SensitivityView::of(&answer);
    let explored = Explored {
        objective: objective(name).name(),
        words: answer.in_words(),
        prices: sensitivity.map_or_else(Vec::new, |view| view.prices(&Style::default())),
        gain_unit: gain_unit(&found.problem),
        script,
        saved: answer.saved(),
        document,
    };
    Ok((explored, answer.scenarios()))
}
