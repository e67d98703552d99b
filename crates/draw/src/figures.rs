//! Formats numbers for people.

/// Shares from this value on are full: they print as 100 %.
pub const FULL: f64 = 0.9995;

/// `values` of one column with the same number of decimals: four significant digits for the largest, one digit more if that shows all of
/// them exactly (138.75, 18.125).
pub fn column(values: &[f64]) -> Vec<String> {
    let largest = values.iter().filter(|value| value.is_finite()).fold(0.0, |most: f64, v| most.max(v.abs()));
    // A value that rounds up to one more digit counts with it: 9.9996 is 10.00.
    let decimals = decimals_for(largest * 1.00005);
    let exact = |decimals: i32| {
        let scale = 10_f64.powi(decimals);
        values.iter().all(|v| ((v * scale).round() - v * scale).abs() <= 1e-9 * (v * scale).abs().max(1.0))
    };
    let decimals = if !exact(decimals) && exact(decimals + 1) { decimals + 1 } else { decimals };
    let decimals = usize::try_from(decimals).unwrap_or(0);
    values.iter().map(|&value| fixed(value, decimals)).collect()
}

/// One number, formatted as a separate column.
pub fn single(value: f64) -> String {
    column(&[value]).concat()
}

/// Decimals that give a number of this size four significant digits, but at least one decimal below 10 000.
fn decimals_for(largest: f64) -> i32 {
    match largest {
        x if x >= 10_000.0 => 0,
        x if x >= 100.0 => 1,
        x if x >= 10.0 => 2,
        x if x >= 1.0 => 3,
        x if x >= 0.1 => 4,
        0.0 => 1,
        // 0.00123 has its first digit at the third decimal.
        #[allow(clippy::cast_possible_truncation, reason = "logarithms of doubles are small")]
        x => (3.0 - x.log10().floor()).min(12.0) as i32,
    }
}

fn fixed(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let text = format!("{value:.decimals$}");
    // A remainder that rounds to 0 has no sign: never "-0.0".
    if text.bytes().all(|b| matches!(b, b'-' | b'0' | b'.')) { text.replace('-', "") } else { text }
}

/// A number inside a formula: up to six significant digits, no trailing zeros (`63.5`, `0.03125`, `6.66667`).
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { "-".to_owned() };
    }
    #[allow(clippy::cast_possible_truncation, reason = "logarithms of doubles are small")]
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = usize::try_from((5 - magnitude).clamp(0, 15)).unwrap_or(0);
    let text = fixed(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The same with up to four significant digits, for quick reading.
pub fn rounded(value: f64) -> String {
    let scale = 10_f64.powf(3.0 - value.abs().max(1e-12).log10().floor());
    short((value * scale).round() / scale)
}

/// An arithmetic intensity: `1/32` is clearer than `0.03125`.
pub fn intensity(value: f64) -> String {
    let inverse = 1.0 / value;
    if inverse > 1.5 && (inverse - inverse.round()).abs() < 1e-4 * inverse {
        return format!("1/{}", inverse.round());
    }
    rounded(value)
}

/// A share as a whole percentage; 0 and 100 only if exact.
pub fn percent(share: f64) -> String {
    match share {
        s if !s.is_finite() => "-".to_owned(),
        s if s <= 0.0 => "0 %".to_owned(),
        s if s < 0.01 => "<1 %".to_owned(),
        s if s >= FULL => format!("{:.0} %", s * 100.0),
        s => format!("{:.0} %", (s * 100.0).min(99.0)),
    }
}

/// A list with more runs is shortened.
const MOST_RUNS: usize = 6;

/// The mark in a shortened list.
pub const LEFT_OUT: &str = " ... ";

/// Ascending numbers with runs drawn together: `0-3, 5`; many runs are shortened to `0, 3, 6 ... 63 (22)`.
pub fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let run = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    let shown: Vec<String> = runs.iter().map(run).collect();
    match (shown.as_slice(), numbers) {
        ([first, second, third, .., last], all) if shown.len() > MOST_RUNS => {
            format!("{first}, {second}, {third}{LEFT_OUT}{last} ({})", all.len())
        }
        _ => shown.join(", "),
    }
}

/// `node 3` or `nodes 0-3`.
pub fn nodes(numbers: &[usize]) -> String {
    format!("node{} {}", if numbers.len() == 1 { "" } else { "s" }, ranges(numbers))
}

/// `1 core`, `8 cores`.
pub fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The number with this decimal logarithm: `6.0e10`, or `165` if that is short.
pub fn power_of_ten(log10: f64) -> String {
    if log10 < 5.5 {
        return format!("{:.0}", 10_f64.powf(log10));
    }
    let exponent = log10.floor();
    format!("{:.1}e{exponent:.0}", 10_f64.powf(log10 - exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_of_allocations_are_powers_of_ten() {
        assert_eq!(power_of_ten(495_f64.powi(4).log10()), "6.0e10");
        assert_eq!(power_of_ten(495_f64.log10()), "495");
    }

    #[test]
    fn rounding_up_to_another_digit_removes_a_decimal() {
        assert_eq!(single(9.999_999_999_999_998), "10.00");
        assert_eq!(single(9.99941), "9.999");
        assert_eq!(single(99.996), "100.0");
    }

    #[test]
    fn totals_of_the_paper_keep_their_digits() {
        let printed = [254.0, 138.75, 23.2, 18.125, 15.175, 0.29].map(single);
        assert_eq!(printed, ["254.0", "138.75", "23.20", "18.125", "15.175", "0.2900"]);
    }

    #[test]
    fn a_column_shares_its_decimals() {
        assert_eq!(column(&[18.75, 40.0, 0.0]), ["18.75", "40.00", "0.00"]);
        assert_eq!(column(&[1234.56, 1.0 / 3.0]), ["1234.6", "0.3"]);
    }

    #[test]
    fn rounding_never_leaves_a_negative_zero() {
        assert_eq!(column(&[-1e-17, 100.0]), ["0.0", "100.0"]);
        assert_eq!(single(-0.0), "0.0");
    }

    #[test]
    fn formulas_use_no_more_digits_than_needed() {
        assert_eq!(
            [63.5, 254.0, 0.03125, 20.0 / 3.0, 1e6].map(short),
            ["63.5", "254", "0.03125", "6.66667", "1000000"]
        );
    }

    #[test]
    fn intensities_are_fractions_if_shorter() {
        assert_eq!(
            [0.03125, 0.083_333_3, 0.5, 0.0294, 16.0].map(intensity),
            ["1/32", "1/12", "1/2", "0.0294", "16"]
        );
    }

    #[test]
    fn only_a_full_resource_is_at_100_percent() {
        assert_eq!([1.0, 0.998, 0.25, 0.0001, 0.0].map(percent), ["100 %", "99 %", "25 %", "<1 %", "0 %"]);
    }

    #[test]
    fn runs_of_nodes_are_merged() {
        assert_eq!(ranges(&[0, 1, 2, 3, 5, 7, 8]), "0-3, 5, 7, 8");
        assert_eq!(nodes(&[2]), "node 2");
        assert_eq!(ranges(&[0, 3, 6, 9, 12, 15, 18, 19, 20]), "0, 3, 6 ... 18-20 (9)");
    }
}
