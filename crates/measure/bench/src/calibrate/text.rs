//! How figures are written in a machine file.

use super::Figure;

/// `31.90 to 32.05 in 5 rounds`.
pub(super) fn range(figure: Figure) -> String {
    let rounds = if figure.samples == 1 { "round" } else { "rounds" };
    format!("{} to {} in {} {rounds}", short(figure.min), short(figure.max), figure.samples)
}

/// Four significant digits, and always a decimal point, so that TOML reads a float.
pub(super) fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return format!("{value:.1}");
    }
    #[allow(clippy::cast_possible_truncation, reason = "the logarithm of a finite positive number is small")]
    let before = value.log10().floor() as i32 + 1;
    let decimals = usize::try_from(4 - before).unwrap_or(0).max(1);
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_significant_digits() {
        assert_eq!([0.291_23, 20.126, 131.02, 1234.56].map(short), ["0.2912", "20.13", "131.0", "1234.6"]);
    }
}
