//! The statistics that a comparison needs. All functions take finite values.

use std::cmp::Ordering;

/// Values that differ by less than this fraction of the larger one are equal: sums in another order give the
/// same result.
const EQUAL: f64 = 1e-9;

/// The value below which the fraction `p` (0 to 1) of `values` is.
///
/// For n ascending values it is the one at position (n - 1) p, counted from 0; between two positions it is
/// interpolated linearly (Hyndman and Fan, "Sample Quantiles in Statistical Packages", type 7, the default of
/// R and NumPy). `None` without values.
pub fn percentile(values: &[f64], p: f64) -> Option<f64> {
    let sorted = ascending(values);
    let place = sorted.len().checked_sub(1)? as f64 * p.clamp(0.0, 1.0);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to the number of values")]
    let lower = place.floor() as usize;
    let (low, high) = (*sorted.get(lower)?, *sorted.get(lower + 1).or(sorted.last())?);
    Some(low + (high - low) * (place - lower as f64))
}

/// The median: the middle value, or the mean of the two middle values. `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 0.5)
}

/// The arithmetic mean. `None` without values.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The spread of repetitions: sample standard deviation over mean (the coefficient of variation, as in
/// hyperfine).
///
/// This is the only definition of *spread* wherever this program shows repetitions. Unlike the range over the
/// median it does not grow with the number of repetitions. `None` with fewer than two values or a mean that
/// is not positive.
pub fn spread(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 || !mean.is_finite() || mean <= 0.0 {
        return None;
    }
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (count - 1.0)).sqrt() / mean)
}

/// An interval that contains the median of the underlying distribution in at least 95 % of all cases.
///
/// It follows from order statistics, without an assumption on the distribution: with n values, the k-th
/// smallest and the k-th largest contain it unless fewer than k values are on one side, 2 P(Binomial(n, 1/2)
/// < k) (Conover, "Practical Nonparametric Statistics", section 3.2). `None` with fewer than 6 values, for
/// which even the full range is not enough.
pub fn median_interval(values: &[f64]) -> Option<(f64, f64)> {
    const OUTSIDE: f64 = 0.05;
    let sorted = ascending(values);
    let n = sorted.len();
    // The probability of exactly i values on one side; a probability too small for a double is negligible.
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

/// A 95 % interval for the median, by the percentile bootstrap (Efron and Tibshirani, An Introduction to the
/// Bootstrap, 13.3): the medians of 10,000 samples drawn from the values with replacement, always the same
/// ones. `None` below 6 values.
pub fn bootstrap_median_interval(values: &[f64]) -> Option<(f64, f64)> {
    bootstrap(values, median)
}

/// The same for the mean.
pub fn bootstrap_mean_interval(values: &[f64]) -> Option<(f64, f64)> {
    bootstrap(values, mean)
}

fn bootstrap(values: &[f64], figure: fn(&[f64]) -> Option<f64>) -> Option<(f64, f64)> {
    const SAMPLES: usize = 10_000;
    if values.len() < 6 {
        return None;
    }
    let mut draws = Draws::default();
    let mut figures = Vec::with_capacity(SAMPLES);
    let mut sample = vec![0.0; values.len()];
    for _ in 0..SAMPLES {
        sample.fill_with(|| values[draws.below(values.len())]);
        figures.push(figure(&sample)?);
    }
    Some((percentile(&figures, 0.025)?, percentile(&figures, 0.975)?))
}

/// Kendall's rank correlation tau-b of pairs: 1 for the same order, -1 for the opposite one.
///
/// (C - D) / sqrt((P - Tx) (P - Ty)) with C pairs of pairs in the same order, D in the opposite one, P the
/// number of all, Tx equal in the first value and Ty in the second (Kendall, "The treatment of ties in
/// ranking problems", 1945). Values that differ by less than a relative 1e-9 are equal. `None` with fewer
/// than 2 pairs, or if all first or all second values are equal.
///
/// In O(n log n), after W. R. Knight, "A computer method for calculating Kendall's tau with ungrouped data"
/// (1966): the pairs come in ascending order of x, and each is compared with those whose x is clearly below
/// its own by their positions in the order of y.
pub fn kendall_tau_b(pairs: &[(f64, f64)]) -> Option<f64> {
    let by_x = ascending_places(pairs, |pair| pair.0);
    let by_y = ascending_places(pairs, |pair| pair.1);
    let mut place_in_y = vec![0; pairs.len()];
    for (place, &at) in by_y.iter().enumerate() {
        place_in_y[at] = place;
    }
    let y_at = |place: usize| pairs[by_y[place]].1;
    let mut seen = Counts::new(pairs.len());
    let mut below = 0;
    let mut balance = 0_i64;
    let (mut untied_first, mut untied_second) = (0_u64, 0_u64);
    for &at in &by_x {
        let (x, y) = pairs[at];
        while by_x.get(below).is_some_and(|&other| is_below(pairs[other].0, x)) {
            seen.add(place_in_y[by_x[below]]);
            below += 1;
        }
        // Among those with a smaller x: the number with a smaller y, and the number with a larger one.
        let own = place_in_y[at];
        let smaller = partition(0, own, |place| is_below(y_at(place), y));
        let larger = partition(own, pairs.len(), |place| !is_below(y, y_at(place)));
        balance += seen.before(smaller) - (seen.before(pairs.len()) - seen.before(larger));
        untied_first += below as u64;
        untied_second += smaller as u64;
    }
    let scale = (untied_first as f64 * untied_second as f64).sqrt();
    (scale > 0.0).then(|| balance as f64 / scale)
}

/// The positions of `pairs` in ascending order of one of their values.
fn ascending_places(pairs: &[(f64, f64)], figure: impl Fn(&(f64, f64)) -> f64) -> Vec<usize> {
    let mut places: Vec<usize> = (0..pairs.len()).collect();
    places.sort_by(|&a, &b| figure(&pairs[a]).total_cmp(&figure(&pairs[b])));
    places
}

/// The first of `from..to` for which `holds` is false; it is true for all before it.
fn partition(mut from: usize, mut to: usize, holds: impl Fn(usize) -> bool) -> usize {
    while from < to {
        let middle = from.midpoint(to);
        if holds(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

/// Counts items by position; the number before a position costs O(log n) (P. M. Fenwick, "A new data
/// structure for cumulative frequency tables", 1994).
struct Counts {
    sums: Vec<i64>,
}

impl Counts {
    fn new(places: usize) -> Self {
        Self { sums: vec![0; places + 1] }
    }

    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// The number of items before `place`.
    fn before(&self, place: usize) -> i64 {
        let (mut at, mut count) = (place, 0);
        while at > 0 {
            count += self.sums[at];
            at &= at - 1;
        }
        count
    }
}

/// Whether two values are equal within rounding errors.
pub(super) fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= EQUAL * a.abs().max(b.abs())
}

/// Whether `a` is smaller than `b` by more than rounding.
fn is_below(a: f64, b: f64) -> bool {
    a < b && !equal(a, b)
}

fn ascending(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    sorted
}

/// `SplitMix64` (Steele, Lea and Flood 2014) from a fixed seed: sufficient for these purposes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draws {
    state: u64,
}

impl Draws {
    /// A number below `count`; 0 if `count` is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        // Below the count, which is a length.
        usize::try_from((z ^ (z >> 31)) % (count as u64).max(1)).unwrap_or(0)
    }
}

/// The 97.5 % quantile of the normal distribution, for two-sided 95 % intervals.
const NORMAL: f64 = 1.959_964;

/// The 97.5 % quantile of Student's distribution, for two-sided 95 % intervals.
///
/// Up to 30 degrees of freedom from tables; above, the expansion of Abramowitz and Stegun, 26.7.5, whose
/// first three terms are exact to 1e-4 there.
pub(crate) fn students_t(degrees: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042,
    ];
    if let Some(&tabled) = degrees.checked_sub(1).and_then(|place| TABLE.get(place)) {
        return tabled;
    }
    let (z, n) = (NORMAL, degrees.max(1) as f64);
    z + (z.powi(3) + z) / (4.0 * n) + (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / (96.0 * n * n)
}

/// If an interval reaches beyond this factor to either side, the value counts as unknown and is not written
/// as a number.
pub const WIDEST_REACH: f64 = 100.0;

/// The factor, less 1, by which the median of a few repetitions may be off to either side: the true value is
/// between median / (1 + reach) and median x (1 + reach) in 95 % of all cases.
///
/// t(n - 1) x s x sqrt(pi / 2n) on the logarithms: Student's quantile, their standard deviation, and the
/// standard error of a median of many normal values. For few repetitions that factor is slightly too large,
/// so that the coverage is 95 to 97 % for any number from 2 on. The bootstrap, which does not assume a normal
/// distribution, is not an option: the medians of samples drawn from 3 values are those 3 values, and contain
/// the truth in 75 % of all cases.
///
/// `None` with fewer than two values, if one is not above 0, or if the reach is beyond [`WIDEST_REACH`].
pub fn median_reach(values: &[f64]) -> Option<f64> {
    if values.len() < 2 || values.iter().any(|value| !(*value > 0.0 && value.is_finite())) {
        return None;
    }
    let count = values.len() as f64;
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let middle = mean(&logs)?;
    let squares: f64 = logs.iter().map(|log| (log - middle).powi(2)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    let error = deviation * (std::f64::consts::FRAC_PI_2 / count).sqrt();
    let reach = students_t(values.len() - 1) * error;
    (reach <= WIDEST_REACH.ln()).then(|| reach.exp_m1())
}

/// The 95 % interval for a probability of which `held` out of `of` trials succeeded (E. B. Wilson, "Probable
/// inference, the law of succession, and statistical inference", 1927). `None` without trials.
///
/// It assumes independent trials.
pub fn share_interval(held: usize, of: usize) -> Option<(f64, f64)> {
    if of == 0 {
        return None;
    }
    let (n, square) = (of as f64, NORMAL * NORMAL);
    let share = held as f64 / n;
    let centre = (share + square / (2.0 * n)) / (1.0 + square / n);
    let reach = NORMAL / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    Some(((centre - reach).max(0.0), (centre + reach).min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bootstrap_samples_come_from_the_values() {
        assert_eq!(bootstrap_median_interval(&[2.0; 7]), Some((2.0, 2.0)));
        assert_eq!(bootstrap_median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
        // 1 to 21: the median of a sample is at most k with the probability that 11 of 21 draws are,
        // P(Binomial(21, k / 21) >= 11): 0.018 for k = 6 and 0.056 for k = 7, so 2.5 % of all medians are at
        // 7 or below, and the same share at 15 or above.
        let values: Vec<f64> = (1..=21).map(f64::from).collect();
        assert_eq!(bootstrap_median_interval(&values), Some((7.0, 15.0)));
        // The mean of 21 draws: 11 +- 1.96 x 6.06 / sqrt(21) = 8.4 to 13.6.
        let (low, high) = bootstrap_mean_interval(&values).expect("enough");
        assert!((low - 8.4).abs() < 0.1 && (high - 13.6).abs() < 0.1, "{low} to {high}");
    }

    #[test]
    fn a_percentile_between_two_values_is_interpolated() {
        // (5 - 1) x 0.95 = 3.8: 0.8 of the way from the fourth value, 4, to the fifth, 10
        let values = [10.0, 1.0, 3.0, 2.0, 4.0];
        assert!((percentile(&values, 0.95).expect("values") - 8.8).abs() < 1e-12);
        assert_eq!(median(&values), Some(3.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!((percentile(&[7.0], 0.95), percentile(&[], 0.5)), (Some(7.0), None));
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
    }

    #[test]
    fn spread_is_the_sample_standard_deviation_over_the_mean() {
        // 9, 10, 11: mean 10, squares 1 + 0 + 1 over 2, root 1: 10 %.
        assert!((spread(&[9.0, 10.0, 11.0]).expect("three values") - 0.1).abs() < 1e-15);
        assert_eq!(spread(&[4.0; 5]), Some(0.0));
        for unknown in [&[][..], &[1.0], &[0.0, 0.0], &[-1.0, -2.0], &[1.0, f64::NAN], &[1.0, f64::INFINITY]]
        {
            assert_eq!(spread(unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn the_interval_of_ten_repetitions_is_from_the_second_to_the_ninth() {
        // 2 P(B(10, 1/2) < 2) = 2 (1 + 10) / 1024 = 2.1 %; with 3 it would be 2 (1 + 10 + 45) / 1024 = 10.9 %.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(median_interval(&ten), Some((2.0, 9.0)));
        // 2 / 2^6 = 3.1 %, and 2 / 2^5 = 6.3 % is too much.
        assert_eq!(median_interval(&ten[..6]), Some((1.0, 6.0)));
        assert_eq!(median_interval(&ten[..5]), None);
    }

    #[test]
    fn the_rank_correlation_counts_pairs_in_the_same_and_the_opposite_order() {
        let same = [(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)];
        assert_eq!(kendall_tau_b(&same), Some(1.0));
        assert_eq!(kendall_tau_b(&same.map(|(x, y)| (x, -y))), Some(-1.0));
        // 1-2 and 1-3 in the same order, 2-3 not: (2 - 1) / 3
        let one_swapped = [(1.0, 1.0), (2.0, 3.0), (3.0, 2.0)];
        assert!((kendall_tau_b(&one_swapped).expect("pairs") - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_rank_correlation_equals_a_count_of_all_pairs() {
        // The definition, pair by pair, on values with many ties, exact ones and those within rounding
        // errors.
        let by_pairs = |pairs: &[(f64, f64)]| {
            let sign = |a: f64, b: f64| i64::from(is_below(b, a)) - i64::from(is_below(a, b));
            let (mut balance, mut first, mut second) = (0, 0, 0);
            for (at, &(x, y)) in pairs.iter().enumerate() {
                for &(other_x, other_y) in &pairs[..at] {
                    let (in_x, in_y) = (sign(x, other_x), sign(y, other_y));
                    balance += in_x * in_y;
                    first += in_x.abs();
                    second += in_y.abs();
                }
            }
            balance as f64 / (first as f64 * second as f64).sqrt()
        };
        for many in [2_u32, 3, 10, 100] {
            let figure = |i: u32, step: u32| f64::from(i * step % 17) * (1.0 + f64::from(i % 3) * 1e-12);
            let pairs: Vec<(f64, f64)> = (1..=many).map(|i| (figure(i, 5), figure(i, 7))).collect();
            assert_eq!(kendall_tau_b(&pairs), Some(by_pairs(&pairs)), "{many}");
        }
    }

    #[test]
    fn ties_have_no_order() {
        // 2-3 are equal in x: C = 2, D = 0, P = 3, Tx = 1, Ty = 0: 2 / sqrt(2 x 3)
        let tie = [(1.0, 1.0), (2.0, 2.0), (2.0 + 1e-15, 3.0)];
        assert!((kendall_tau_b(&tie).expect("pairs") - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(kendall_tau_b(&[(1.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(kendall_tau_b(&[(1.0, 1.0)]), None);
    }
}

#[cfg(test)]
mod intervals_tests {
    use super::*;

    #[test]
    fn quantiles_continue_smoothly_after_the_table() {
        // Tables: 2.0395 at 31, 1.984 at 100.
        assert!((students_t(31) - 2.0395).abs() < 1e-4);
        assert!((students_t(100) - 1.9840).abs() < 1e-4);
        assert_eq!(students_t(1), 12.706);
        assert!((1..200).all(|degrees| students_t(degrees) > students_t(degrees + 1)));
    }

    #[test]
    fn the_reach_of_a_median_follows_students_t() {
        // Logarithms -0.01, 0, 0.01: s = 0.01, t(2) = 4.303, sqrt(pi / 6) = 0.72360: exp(0.031137) - 1.
        let values = [1.0_f64, (-0.01_f64).exp(), 0.01_f64.exp()];
        assert!((median_reach(&values).expect("a reach") - 0.031_627).abs() < 1e-5);
        assert_eq!(median_reach(&[3.0; 4]), Some(0.0));
        assert_eq!((median_reach(&[3.0]), median_reach(&[3.0, 0.0])), (None, None));
        // s = 10.4, t(1) = 12.706, sqrt(pi / 4) = 0.886: exp(117).
        assert_eq!(median_reach(&[1.0, 2.5e6]), None);
    }

    #[test]
    fn the_reach_covers_the_truth_at_the_stated_rate() {
        // 4000 calibrations of 3 and 5 rounds with errors of 2 % (sums of 12 uniform numbers are practically
        // normal): the interval around the median contains the truth in 95 to 97 % (standard deviation of
        // 4000 trials: 0.35 %).
        let mut state = 1_u64;
        let mut uniform = || {
            // Knuth's MMIX: good enough for sums.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for rounds in [3, 5] {
            let trials = 4000;
            let holds = (0..trials).filter(|_| {
                let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                let values: Vec<f64> = (0..rounds).map(|_| (0.02 * normal()).exp()).collect();
                let reach = median_reach(&values).expect("some rounds");
                let found = crate::statistics::median(&values).expect("some rounds");
                (1.0 / (1.0 + reach)..=1.0 + reach).contains(&found)
            });
            let share = holds.count() as f64 / f64::from(trials);
            assert!((0.94..=0.985).contains(&share), "{rounds} rounds: {share}");
        }
    }

    #[test]
    fn a_share_of_few_trials_is_uncertain() {
        // Wilson, 9 of 10: (0.9 + 0.19207) / 1.38415 = 0.78899, reach 1.95996 / 1.38415 x sqrt(0.009 + 0.0096036) = 0.19314
        let (low, high) = share_interval(9, 10).expect("trials");
        assert!((low - 0.5958).abs() < 1e-3 && (high - 0.9821).abs() < 1e-3, "{low} {high}");
        assert!(share_interval(4, 4).is_some_and(|(_, high)| high > 1.0 - 1e-12));
        assert_eq!(share_interval(0, 0), None);
    }
}
