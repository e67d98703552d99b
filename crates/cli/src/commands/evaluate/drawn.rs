//! The draws behind the intervals of scenarios, and whether they can be had in time.

use numasim_ask::intervals;
use numasim_model::evaluation::{EvaluateError, Options};
use numasim_model::{Data, Placement, Scenario, Study};
use numasim_sim::intervals::{Draws, Prediction};

use super::amount::figures_of;
use crate::shell::Shell;

/// The draws for evaluations of so many figures together. `None` where nothing of the machine is uncertain; where it would
/// take too long, it warns of that.
pub(in crate::commands) fn draws(study: &Study, figures: u64, shell: &Shell) -> Option<Draws> {
    intervals::draws(study, figures).unwrap_or_else(|warning| {
        shell.warn(warning);
        None
    })
}

/// The draws for these scenarios.
pub(in crate::commands) fn of_scenarios(
    study: &Study,
    scenarios: &[&Scenario],
    shell: &Shell,
) -> Option<Draws> {
    let of_one = |scenario: &&Scenario| figures_of(study, scenario.data.iter().filter_map(Data::placement));
    draws(study, scenarios.iter().map(of_one).sum(), shell)
}

/// The intervals of one scenario.
pub(in crate::commands) fn of_scenario(
    study: &Study,
    scenario: &Scenario,
    placements: &[Placement],
    draws: &Draws,
) -> Result<Option<Prediction>, EvaluateError> {
    let options = Options { static_work: scenario.static_work, ..Options::default() };
    draws.predict(&study.apps, placements, &scenario.allocation, options)
}
