//! `--explore`: the placement is chosen before anything is started.

use numasim_ask::{Explore, Input, explore};
use numasim_model::{AppId, NodeId, Study};
use numasim_sim::Candidate;
use numasim_study::writing::study::Written;

use crate::failure::Failure;
use crate::shell::Shell;
use crate::watch::Watch;

/// The name of the scenario that it writes.
pub(super) const NAME: &str = "explored";

/// The best allocation for the total GFLOPS.
///
/// # Errors
/// Those of `explore`.
pub(super) fn best(input: &Input, shell: &Shell) -> Result<Candidate, Failure> {
    crate::threads::start(None)?;
    let question = Explore { top: 0, intervals: false, ..Explore::new(input) };
    let watch = Watch::start(None, question.objective, shell);
    let best = explore(&question, &watch)?.best.candidate;
    let study = &input.study;
    for (app, course) in study.dynamics.courses.iter().enumerate() {
        for (node, &threads) in course.threads.iter().enumerate() {
            let chosen = best.allocation.get(AppId(app), NodeId(node));
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
    let Candidate { allocation, placements, .. } = best;
    let written = Written { name: NAME, apps: &study.apps, allocation, placements, static_work: false };
    let model = study.machine.sharing().in_words();
    format!(
        "# Chosen by `numasim run --explore`: the largest total GFLOPS under {model}.\n{}",
        written.toml()
    )
}
