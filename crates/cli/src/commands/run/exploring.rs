//! `--explore`: the placement is chosen before anything is started.

use std::fmt::Write as _;

use numasim_model::{AppId, Placement, Study};
use numasim_sim::search::{Settings, explore};
use numasim_sim::{Candidate, Objective, Problem, Restrictions};
use numasim_study::writing::quoted;

use crate::failure::Failure;
use crate::shell::Shell;
use crate::watch::Watch;
use numasim_ask::Clock;
use numasim_ask::explore::{refused, without_answer};
use numasim_ask::located::Located;

/// The name of the scenario that it writes.
pub(super) const NAME: &str = "explored";

/// The best allocation for the total GFLOPS.
///
/// # Errors
/// Those of `explore`.
pub(super) fn best(study: &Study, located: &Located, shell: &Shell) -> Result<Candidate, Failure> {
    crate::threads::start(None)?;
    let problem = Problem::new(&study.machine, &study.apps, Objective::TotalGflops, Restrictions::default())
        .map_err(|error| located.refused(study, &error).unwrap_or_else(|| refused(error)))?;
    let watch = Watch::start(None, Objective::TotalGflops, shell);
    let outcome = explore(&problem, &Settings::default(), &watch);
    watch.finish();
    let best = outcome.map_err(|error| without_answer(error, &problem))?.best;
    for (app, course) in study.dynamics.courses.iter().enumerate() {
        for (node, &threads) in course.threads.iter().enumerate() {
            let chosen = best.allocation.get(AppId(app), numasim_model::NodeId(node));
            if chosen > threads {
                let name = study.apps.get(app).map_or("", |app| app.name.as_str());
                return Err(Failure::input(format!(
                    "the best placement has {chosen} threads of '{name}' on node {node}, which has {threads} there"
                ))
                .hint("raise its `threads`, or bound it with `max_threads`"));
            }
        }
    }
    Ok(best)
}

/// The placement as a scenario that every command reads with the same files.
pub(super) fn scenario(study: &Study, best: &Candidate) -> String {
    let mut text = format!(
        "# Chosen by `numasim run --explore`: the largest total GFLOPS under {}.\n[[scenario]]\nname = \"{NAME}\"\n[scenario.threads]\n",
        study.machine.sharing().in_words()
    );
    let nodes = study.machine.node_count();
    // Writing to a String cannot fail.
    for (number, app) in study.apps.iter().enumerate() {
        let threads: Vec<String> = (0..nodes)
            .map(|node| best.allocation.get(AppId(number), numasim_model::NodeId(node)).to_string())
            .collect();
        let _ = writeln!(text, "{} = [{}]", quoted(&app.name), threads.join(", "));
    }
    let homes = study.apps.iter().zip(&best.placements).filter(|(app, _)| app.data.is_open());
    let homes: Vec<String> = homes
        .filter_map(|(app, placement)| Some(format!("{} = {}\n", quoted(&app.name), home(placement)?)))
        .collect();
    if !homes.is_empty() {
        let _ = write!(text, "[scenario.data]\n{}", homes.concat());
    }
    text
}

fn home(placement: &Placement) -> Option<String> {
    match placement {
        Placement::Home(home) => Some(format!("{{ home = {} }}", home.0)),
        Placement::PartHome { home, share } => Some(format!("{{ home = {}, share = {share} }}", home.0)),
        _ => None,
    }
}
