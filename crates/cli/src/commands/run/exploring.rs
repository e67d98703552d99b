//! `--explore`: the placement is chosen before anything is started.

use numasim_model::{AppId, Study};
use numasim_sim::search::{Settings, explore};
use numasim_sim::{Candidate, Objective, Problem, Restrictions};
use numasim_study::writing::scenario::Written;

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
    let (apps, allocation, placements) = (&study.apps, &best.allocation, &best.placements);
    let written = Written { name: NAME, apps, allocation, placements, static_work: false };
    let model = study.machine.sharing().in_words();
    format!(
        "# Chosen by `numasim run --explore`: the largest total GFLOPS under {model}.\n{}",
        written.toml()
    )
}
