//! The best placement, searched for.

use std::time::Duration;

use numasim_ask::explored::Rated;
use numasim_ask::{Explore, Explored, limits};
use numasim_sim::sweep::Task;
use numasim_sim::{Objective, Restrictions};
use serde::Serialize;
use serde_json::Value;

use crate::outside::{Outside, Watch, placed};
use crate::question::{Question, Search};
use crate::study::{asked, in_words};

/// What the page shows of a search.
#[derive(Serialize)]
struct Answer<'a> {
    /// What `numasim explore --format json` writes.
    document: &'a Explored,
    /// Threads and homes of best, alternatives and baselines, in their order in the document, each with its name.
    placed: Vec<Value>,
    warnings: Vec<String>,
}

/// For the page: to be shown.
fn shown(rated: &Rated) -> Value {
    let mut placed = placed(&rated.candidate);
    placed["name"] = rated.scenario.name.as_str().into();
    placed["static_work"] = rated.scenario.evaluation.static_work.into();
    placed
}

/// Searches for the best placement.
///
/// # Errors
/// What is wrong, as the command line says it.
pub fn explore(question: &str, outside: &dyn Outside) -> Result<String, String> {
    let question = Question::from_json(question)?;
    let asked = asked(&question, Task::Explore)?;
    let wanted = &question.search;
    let watch = Watch::start(outside, time_limit(wanted)?);
    let question = Explore {
        objective: objective(wanted)?,
        restrictions: restrictions(wanted),
        top: limits::alternatives(wanted.top).map_err(|why| format!("error: {why}\n"))?,
        seed: wanted.seed,
        ..Explore::new(&asked.input)
    };
    let document = numasim_ask::explore(&question, &watch).map_err(in_words)?;
    let warnings = asked.warnings.iter().chain(&document.warnings).cloned().collect();
    let placed = std::iter::once(&document.best).chain(document.others()).map(shown).collect();
    serde_json::to_string(&Answer { document: &document, placed, warnings })
        .map_err(|error| format!("fault of numasim: {error}\n"))
}

fn time_limit(wanted: &Search) -> Result<Option<Duration>, String> {
    match wanted.time_limit_s {
        Some(seconds) if !(seconds.is_finite() && seconds >= 0.0) => {
            Err(format!("error: the time limit is a number of seconds, 0 or more, not {seconds}\n"))
        }
        // 30 years; a greater one means the same.
        limit => Ok(limit.map(|seconds| Duration::from_secs_f64(seconds.min(1e9)))),
    }
}

fn objective(wanted: &Search) -> Result<Objective, String> {
    let found = Objective::ALL.into_iter().find(|one| one.name() == wanted.objective);
    found.ok_or_else(|| {
        let known = Objective::ALL.map(Objective::name).join(", ");
        format!("error: there is no objective '{}'; there is: {known}\n", wanted.objective)
    })
}

fn restrictions(wanted: &Search) -> Restrictions {
    Restrictions {
        same_on_every_node: wanted.same_on_every_node,
        whole_nodes: wanted.whole_nodes,
        min_threads_per_node: wanted.min_threads_per_node,
        no_idle_cores: wanted.no_idle_cores,
    }
}
