//! Intervals of predictions for people and programs.

use numasim_ask::intervals::figures;
use numasim_draw::grid::wrap;
use numasim_sim::intervals::{Draws, Interval};

use super::Style;

/// `±0.41`: the farther end of the interval, with two significant digits.
pub(crate) fn plus_minus(interval: Interval, figure: f64, style: &Style) -> String {
    let reach = interval.reach(figure);
    if !reach.is_finite() {
        return "-".to_owned();
    }
    // Sums in another order are no uncertainty.
    let digits = if reach <= 1e-9 * figure.abs() { "0".to_owned() } else { two_digits(reach) };
    format!("{}{digits}", sign(style))
}

/// What stands before the farther end of an interval.
pub(crate) fn sign(style: &Style) -> &'static str {
    if style.unicode { "\u{b1}" } else { "+-" }
}

/// `0.041`, `0.41`, `4.1`, `41`, `410`.
fn two_digits(value: f64) -> String {
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let magnitude = value.log10().floor() as i32;
    format!("{value:.*}", usize::try_from((1 - magnitude).clamp(0, 12)).unwrap_or(0))
}

/// What the intervals are, and what they are not.
pub(crate) fn note(draws: &Draws, style: &Style) -> String {
    let figures: Vec<String> =
        figures(draws).into_iter().map(|(key, percent)| format!("{key} to {percent} %")).collect();
    let text = format!(
        "{}: the farther end of the 95 % interval, from {} draws of the uncertain figures of the machine ({}), independent of \
         each other. The error of the model itself is not in it.",
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
