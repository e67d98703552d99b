//! The best placement, searched for.

use numasim_ask::explored::Rated;
use numasim_ask::{Explore, Explored, document, limits};
use numasim_sim::sweep::Task;
use numasim_sim::{Objective, Restrictions};
use serde::Serialize;

use crate::outside::{Outside, Watch};
use crate::question::{Placed, Question, Search};
use crate::study::{asked, in_words, wrong};

/// What the page shows of a search.
#[derive(Serialize)]
struct Answer<'a> {
    /// What `numasim explore --format json` writes.
    document: &'a Explored,
    /// Threads and homes of best, alternatives and baselines, in their order in the document, each with its name.
    placed: Vec<Placed>,
    warnings: Vec<String>,
    /// How good the best is, and how sure that is.
    words: Vec<String>,
}

/// For the page: to be shown.
fn shown(rated: &Rated) -> Placed {
    Placed::of(&rated.scenario.name, &rated.candidate, rated.scenario.evaluation.static_work)
}

/// Searches for the best placement.
///
/// # Errors
/// What is wrong, as the command line says it.
pub fn explore(question: &str, outside: &dyn Outside) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let asked = asked(&question, Task::Explore)?;
    let wanted = &question.search;
    let watch = Watch::start(outside, limits::time_limit(wanted.time_limit_s).map_err(wrong)?);
    let question = Explore {
        objective: limits::named("objective", &wanted.objective, &Objective::ALL, Objective::name)
            .map_err(wrong)?,
        restrictions: restrictions(wanted),
        top: limits::alternatives(wanted.top).map_err(wrong)?,
        seed: wanted.seed,
        ..Explore::new(&asked.input)
    };
    let found = numasim_ask::explore(&question, &watch).map_err(in_words)?;
    let warnings = asked.warnings.iter().chain(&found.warnings).cloned().collect();
    let placed = std::iter::once(&found.best).chain(found.others()).map(shown).collect();
    Ok(document::text(&Answer { document: &found, placed, warnings, words: found.in_words() }))
}

fn restrictions(wanted: &Search) -> Restrictions {
    Restrictions {
        same_on_every_node: wanted.same_on_every_node,
        whole_nodes: wanted.whole_nodes,
        min_threads_per_node: wanted.min_threads_per_node,
        no_idle_cores: wanted.no_idle_cores,
    }
}
