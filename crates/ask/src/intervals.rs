//! The source of the intervals in a document, and whether they can be computed in time.

use numasim_course::Study;
use numasim_draw::Style;
use numasim_draw::grid::wrap;
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_model::{Data, Placement, Scenario};
use numasim_sim::intervals::{Draws, Interval};

/// Each key once, with its percentage.
pub fn figures(draws: &Draws) -> Vec<(&'static str, f64)> {
    let mut figures: Vec<(&'static str, f64)> =
        draws.uncertain().iter().map(|one| (one.key, one.percent)).collect();
    figures.dedup();
    figures
}

/// Maximum number of values in all evaluations of one run: some seconds.
const MOST_FIGURES_DRAWN: u64 = 40_000_000;
/// The fixed seed yields the same intervals for the same files.
const SEED: u64 = 0;

/// The draws for evaluations with this total number of values. `None` if no value of the machine is uncertain.
///
/// # Errors
/// The evaluations would take too long: a warning in words.
pub fn draws(study: &Study, figures: u64) -> Result<Option<Draws>, String> {
    let Some(draws) = Draws::of(&study.machine, SEED) else { return Ok(None) };
    if figures.saturating_mul(Draws::COUNT as u64) > MOST_FIGURES_DRAWN {
        return Err(format!(
            "no intervals: {figures} values (threads on each node, links) would be evaluated {} times; use fewer scenarios",
            Draws::COUNT
        ));
    }
    Ok(Some(draws))
}

/// The draws for scenarios; if they would take too long, a warning instead.
pub fn of_scenarios(study: &Study, scenarios: &[&Scenario], warnings: &mut Vec<String>) -> Option<Draws> {
    draws(study, figures_of_all(study, scenarios)).unwrap_or_else(|warning| {
        warnings.push(warning);
        None
    })
}

/// Number of values in all scenarios together.
pub fn figures_of_all(study: &Study, scenarios: &[&Scenario]) -> u64 {
    let of_one = |scenario: &&Scenario| figures_of(study, scenario.data.iter().filter_map(Data::placement));
    scenarios.iter().map(of_one).sum()
}

/// Number of values in one scenario with such data: threads on each node, and links.
pub fn figures_of<'a>(study: &Study, placements: impl IntoIterator<Item = &'a Placement>) -> u64 {
    let (apps, nodes) = (study.apps.len() as u64, study.machine.node_count() as u64);
    // For a large machine only the links with traffic are shown.
    let all_links = study.machine.node_count() <= MOST_NODES_WITH_ALL_LINKS;
    let links = if all_links || placements.into_iter().any(Placement::is_spread) { nodes * nodes } else { 0 };
    apps * nodes + links
}

/// `±0.41`: the distance to the farther end of the interval, with two significant digits.
pub fn plus_minus(interval: Interval, figure: f64, style: &Style) -> String {
    let reach = interval.reach(figure);
    if !reach.is_finite() {
        return "-".to_owned();
    }
    // Rounding differences from another order of summation are no uncertainty.
    let digits = if reach <= 1e-9 * figure.abs() { "0".to_owned() } else { two_digits(reach) };
    format!("{}{digits}", sign(style))
}

/// The text before the farther end of an interval.
pub fn sign(style: &Style) -> &'static str {
    if style.unicode { "\u{b1}" } else { "+-" }
}

/// `0.041`, `0.41`, `4.1`, `41`, `410`.
fn two_digits(value: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let magnitude = value.log10().floor() as i32;
    format!("{value:.*}", usize::try_from((1 - magnitude).clamp(0, 12)).unwrap_or(0))
}

/// An explanation of what the intervals cover and what they do not.
pub fn note(draws: &Draws, style: &Style) -> String {
    let figures: Vec<String> =
        figures(draws).into_iter().map(|(key, percent)| format!("{key} to {percent} %")).collect();
    let text = format!(
        "{}: the farther end of the 95 % interval, from {} independent draws of the uncertain machine values ({}). The error of the \
         model itself is not included.",
        sign(style),
        Draws::COUNT,
        figures.join(", ")
    );
    wrap(&text, style.columns()).iter().map(|line| style.faint(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_farther_end_has_two_digits() {
        let style = Style { unicode: false, ..Style::default() };
        let shown = |low: f64, high: f64| plus_minus(Interval { low, high }, 10.0, &style);
        assert_eq!(shown(9.0, 10.414), "+-1.0");
        assert_eq!(shown(9.99, 10.0414), "+-0.041");
        assert_eq!(shown(10.0, 421.0), "+-411");
        assert_eq!(shown(10.0 - 1e-12, 10.0), "+-0");
        assert_eq!(shown(f64::NEG_INFINITY, 10.0), "-");
    }
}
