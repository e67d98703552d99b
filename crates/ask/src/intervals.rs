//! Where the intervals of a document come from, and whether they can be had in time.

use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_model::{Data, Placement, Scenario, Study};
use numasim_sim::intervals::Draws;
use serde_json::{Map, Value, json};

use crate::json::number;

/// What the intervals of a document are: their level, how many machines were drawn, and which figures to how many percent.
pub fn json(draws: &Draws) -> Value {
    let figures: Map<String, Value> =
        figures(draws).into_iter().map(|(key, p)| (key.to_owned(), number(p))).collect();
    json!({ "level": 0.95, "draws": Draws::COUNT, "interval95_percent": figures })
}

/// Each key once, with its percentage.
pub fn figures(draws: &Draws) -> Vec<(&'static str, f64)> {
    let mut figures: Vec<(&'static str, f64)> =
        draws.uncertain().iter().map(|one| (one.key, one.percent)).collect();
    figures.dedup();
    figures
}

/// Figures of all evaluations of one run: some seconds.
const MOST_FIGURES_DRAWN: u64 = 40_000_000;
/// The same files have the same intervals.
const SEED: u64 = 0;

/// The draws for evaluations of so many figures together. `None` where nothing of the machine is uncertain.
///
/// # Errors
/// Where it would take too long: a warning in words.
pub fn draws(study: &Study, figures: u64) -> Result<Option<Draws>, String> {
    let Some(draws) = Draws::of(&study.machine, SEED) else { return Ok(None) };
    if figures.saturating_mul(Draws::COUNT as u64) > MOST_FIGURES_DRAWN {
        return Err(format!(
            "no intervals: {figures} figures (threads on each node, links) would be evaluated {} times; fewer scenarios have them",
            Draws::COUNT
        ));
    }
    Ok(Some(draws))
}

/// The same for scenarios; where it would take too long, with a warning.
pub fn of_scenarios(study: &Study, scenarios: &[&Scenario], warnings: &mut Vec<String>) -> Option<Draws> {
    draws(study, figures_of_all(study, scenarios)).unwrap_or_else(|warning| {
        warnings.push(warning);
        None
    })
}

/// Figures of scenarios together.
pub fn figures_of_all(study: &Study, scenarios: &[&Scenario]) -> u64 {
    let of_one = |scenario: &&Scenario| figures_of(study, scenario.data.iter().filter_map(Data::placement));
    scenarios.iter().map(of_one).sum()
}

/// Figures of one scenario with such data: threads on each node, and links.
pub fn figures_of<'a>(study: &Study, placements: impl IntoIterator<Item = &'a Placement>) -> u64 {
    let (apps, nodes) = (study.apps.len() as u64, study.machine.node_count() as u64);
    // Of a large machine only the links that are used are shown.
    let all_links = study.machine.node_count() <= MOST_NODES_WITH_ALL_LINKS;
    let links = if all_links || placements.into_iter().any(Placement::is_spread) { nodes * nodes } else { 0 };
    apps * nodes + links
}
