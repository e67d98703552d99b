//! The few statistics that a comparison needs. All of them take finite values.

use std::cmp::Ordering;

/// Figures that differ by less than this part of the larger one are equal: sums in another order, not another result.
const EQUAL: f64 = 1e-9;

/// The value below which the part `p` (0 to 1) of `values` lies.
///
/// Of n ascending values the one at place (n - 1) p, counted from 0; between two places in proportion (Hyndman and Fan,
/// "Sample Quantiles in Statistical Packages", type 7, the default of R and NumPy). `None` without values.
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    let sorted = ascending(values);
    let place = sorted.len().checked_sub(1)? as f64 * p.clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the number of values")]
    let lower = place.floor() as usize;
    let (low, high) = (*sorted.get(lower)?, *sorted.get(lower + 1).or(sorted.last())?);
    Some(low + (high - low) * (place - lower as f64))
}

/// The middle value, or the mean of the two in the middle. `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 0.5)
}

/// The arithmetic mean. `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// An interval that holds the median of what the values are drawn from in at least 95 % of all cases.
///
/// From order statistics, without an assumption on the distribution: with n values, the k-th smallest and the k-th
/// largest hold it unless fewer than k values fall on one side, 2 P(Binomial(n, 1/2) < k) (Conover, "Practical
/// Nonparametric Statistics", section 3.2). `None` with fewer than 6 values, where even all of them are not enough.
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    const OUTSIDE: f64 = 0.05;
    let sorted = ascending(values);
    let n = sorted.len();
    // The chance of exactly i values on one side; a chance too small for a double is as good as none.
    let mut chance = 0.5_f64.powi(i32::try_from(n).ok()?);
    let mut fewer = 0.0;
    let mut k = 0;
    while k < n / 2 && 2.0 * (fewer + chance) <= OUTSIDE {
        fewer += chance;
        chance *= (n - k) as f64 / (k + 1) as f64;
        k += 1;
    }
    let lowest = k.checked_sub(1)?;
    Some((*sorted.get(lowest)?, *sorted.get(n - k)?))
}

/// Kendall's rank correlation tau-b of pairs: 1 if both put all in the same order, -1 in the opposite one.
///
/// (C - D) / sqrt((P - Tx) (P - Ty)) with C pairs of pairs in the same order, D in the opposite one, P of them all, Tx
/// equal in the first figure and Ty in the second (Kendall, "The treatment of ties in ranking problems", 1945).
/// Figures that differ by less than a relative 1e-9 are equal. `None` with fewer than 2 pairs, or where all figures of
/// one kind are equal.
pub fn kendall_tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let mut balance = 0_i64;
    let (mut untied_first, mut untied_second) = (0_u64, 0_u64);
    for (at, &(x, y)) in pairs.iter().enumerate() {
        for &(other_x, other_y) in &pairs[..at] {
            let (first, second) = (sign(x, other_x), sign(y, other_y));
            balance += first * second;
            untied_first += first.unsigned_abs();
            untied_second += second.unsigned_abs();
        }
    }
    let scale = (untied_first as f64 * untied_second as f64).sqrt();
    (scale > 0.0).then(|| balance as f64 / scale)
}

/// Whether two figures are the same but for rounding.
pub(super) fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= EQUAL * a.abs().max(b.abs())
}

fn sign(a: f64, b: f64) -> i64 {
    if equal(a, b) {
        0
    } else if a > b {
        1
    } else {
        -1
    }
}

fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_between_two_values_is_in_proportion() {
        // (5 - 1) x 0.95 = 3.8: 0.8 of the way from the fourth value, 4, to the fifth, 10
        let values = [10.0, 1.0, 3.0, 2.0, 4.0];
        assert!((percentile(&values, 0.95).expect("values") - 8.8).abs() < 1e-12);
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!((percentile(&[7.0], 0.95), percentile(&[], 0.5)), (Some(7.0), None));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
    }

    #[test]
    fn ten_repetitions_hold_the_median_between_the_second_and_the_ninth() {
        // 2 P(B(10, 1/2) < 2) = 2 (1 + 10) / 1024 = 2.1 %; with 3 it would be 2 (1 + 10 + 45) / 1024 = 10.9 %.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(median_interval(&ten), Some((2.0, 9.0)));
        // 2 / 2^6 = 3.1 %, and 2 / 2^5 = 6.3 % is too much.
        assert_eq!(median_interval(&ten[..6]), Some((1.0, 6.0)));
        assert_eq!(median_interval(&ten[..5]), None);
    }

    #[test]
    fn the_rank_correlation_counts_pairs_in_the_same_and_in_the_opposite_order() {
        let same = [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)];
        assert_eq!(kendall_tau_b(&same), Some(1.0));
        assert_eq!(kendall_tau_b(&same.map(|(x, y)| (x, -y))), Some(-1.0));
        // 1-2 and 1-3 in the same order, 2-3 not: (2 - 1) / 3
        let one_swapped = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)];
        assert!((kendall_tau_b(&one_swapped).expect("pairs") - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn ties_are_in_no_order() {
        // 2-3 are equal in x: C = 2, D = 0, P = 3, Tx = 1, Ty = 0: 2 / sqrt(2 x 3)
        let tie = [(1.0, 1.0), (2.0, 2.0), (2.0 + 1e-15, 3.0)];
        assert!((kendall_tau_b(&tie).expect("pairs") - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(kendall_tau_b(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(kendall_tau_b(&[(1.0, 1.0)]), None);
    }
}
