//! The intervals of comparisons and answers, where figures of the machine are uncertain.

use numasim_evidence::compare::{Comparison, PredictedIntervals};
use numasim_model::evaluation::Options;
use numasim_model::{Scenario, Study};
use numasim_sim::intervals::Interval;

use numasim_ask::located::placements;

use crate::failure::Failure;
use crate::shell::Shell;
use numasim_ask::intervals::{self, figures_of};
use numasim_ask::refusal::failed;
use numasim_model::{Data, Placement};
use numasim_sim::intervals::{Draws, Prediction};

/// The draws for evaluations of so many figures together. `None` where nothing of the machine is uncertain; where it would
/// take too long, it warns of that.
fn draws(study: &Study, figures: u64, shell: &Shell) -> Option<Draws> {
    intervals::draws(study, figures).unwrap_or_else(|warning| {
        shell.warn(warning);
        None
    })
}

/// The draws for these scenarios.
fn of_scenarios(study: &Study, scenarios: &[&Scenario], shell: &Shell) -> Option<Draws> {
    let of_one = |scenario: &&Scenario| figures_of(study, scenario.data.iter().filter_map(Data::placement));
    draws(study, scenarios.iter().map(of_one).sum(), shell)
}

/// The intervals of one scenario.
fn of_scenario(
    study: &Study,
    scenario: &Scenario,
    placements: &[Placement],
    draws: &Draws,
) -> Result<Option<Prediction>, numasim_model::evaluation::EvaluateError> {
    let options = Options { static_work: scenario.static_work, ..Options::default() };
    draws.predict(&study.apps, placements, &scenario.allocation, options)
}

/// A comparison with the intervals of what was predicted.
pub(super) fn of_comparison(
    study: &Study,
    scenarios: &[&Scenario],
    comparison: Comparison,
    shell: &Shell,
) -> Result<Comparison, Failure> {
    let compared: Vec<&Scenario> = scenarios
        .iter()
        .copied()
        .filter(|scenario| comparison.scenarios.iter().any(|one| one.name == scenario.name))
        .collect();
    let Some(draws) = of_scenarios(study, &compared, shell) else { return Ok(comparison) };
    let mut found = Vec::new();
    for scenario in compared {
        let prediction = of_scenario(study, scenario, &placements(study, scenario)?, &draws)
            .map_err(|error| failed(&format!("scenario '{}'", scenario.name), &error))?;
        if let Some(prediction) = prediction {
            found.push((scenario.name.as_str(), prediction));
        }
    }
    let ends = |interval: &Interval| (interval.low, interval.high);
    Ok(comparison.with_intervals(|name| {
        let (_, prediction) = found.iter().find(|(known, _)| *known == name)?;
        let apps = study.apps.iter().zip(&prediction.gflops);
        Some(PredictedIntervals {
            total: ends(&prediction.total_gflops),
            apps: apps.map(|(app, interval)| (app.name.clone(), ends(interval))).collect(),
        })
    }))
}
