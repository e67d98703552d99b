//! `numasim explore --simple`: the simplest allocation that is nearly as good as the best.

use std::time::Duration;

use numasim_sim::Candidate;
use numasim_sim::search::{PART_OF_SIMPLEST, Settings, simplest_beside};

use super::{in_pool, rating};
use crate::args::ExploreArgs;
use crate::failure::Failure;
use crate::shell::Shell;
use crate::view::answer::{Answer, Simple};
use crate::watch::Watch;
use numasim_ask::Refusal;

/// The part of the time limit that is kept for it.
pub(super) fn time(args: &ExploreArgs) -> Duration {
    let limit = args.time_limit.filter(|_| args.simple);
    limit.map_or(Duration::ZERO, |limit| limit / PART_OF_SIMPLEST)
}

/// The simplest allocation within `--within` of the best.
pub(super) fn simple(
    args: &ExploreArgs,
    answer: &Answer<'_>,
    settings: &Settings,
    shell: &Shell,
) -> Result<Simple, Failure> {
    let problem = answer.problem;
    let limit = args.time_limit.map(|limit| limit / PART_OF_SIMPLEST);
    let watch = Watch::start(limit, problem.goal().objective(), shell);
    let baselines = answer.baselines.iter().filter(|(_, breaks)| breaks.is_none()).map(|(rated, _)| rated);
    let known: Vec<Candidate> =
        answer.alternatives.iter().chain(baselines).map(|rated| rated.candidate.clone()).collect();
    let best = &answer.best.candidate;
    let found = in_pool(args.placing.workers(), || {
        simplest_beside(problem, best, &known, args.within, settings, limit.is_some(), &watch)
    });
    watch.finish();
    let found = found?.map_err(|forbidden| Refusal::from(&forbidden))?;
    let rated = rating::found(problem, "simple", found.candidate.clone())?;
    let is_best = rated.candidate.allocation == best.allocation;
    Ok(Simple { rated, found, within: args.within, is_best })
}
