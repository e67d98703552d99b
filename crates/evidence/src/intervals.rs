//! How far a figure may be off: intervals of 95 % for what was measured a few times, and for shares.

use crate::statistics::mean;

/// The 97.5 % quantile of the normal distribution: two-sided intervals of 95 %.
const NORMAL: f64 = 1.959_964;

/// The 97.5 % quantile of Student's distribution: two-sided intervals of 95 %.
///
/// Up to 30 degrees of freedom from tables; above, the expansion of Abramowitz and Stegun, 26.7.5, whose first three
/// terms are right to 1e-4 there.
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

/// The factor, less 1, by which the median of a few repetitions may be off to either side: the true figure lies between
/// median / (1 + reach) and median x (1 + reach) in 95 % of all cases.
///
/// t(n - 1) x s x sqrt(pi / 2n) on the logarithms: Student's quantile, their standard deviation, and the standard error
/// of a median of normal values for many of them. For few repetitions that factor is a little too large, so that 95 to
/// 97 % hold for any number from 2 on. The bootstrap, which asks for nothing normal, cannot be had: the medians of samples
/// drawn from 3 values are those 3 values, and hold the truth in 75 % of all cases.
///
/// `None` with fewer than two values, or where one is not above 0.
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
    Some((students_t(values.len() - 1) * error).exp_m1())
}

/// The interval of 95 % for a probability of which `held` out of `of` trials came true (E. B. Wilson, "Probable
/// inference, the law of succession, and statistical inference", 1927). `None` without trials.
///
/// It takes the trials for independent.
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
    fn quantiles_go_on_smoothly_where_the_table_ends() {
        // Tables: 2.0395 at 31, 1.984 at 100.
        assert!((students_t(31) - 2.0395).abs() < 1e-4);
        assert!((students_t(100) - 1.9840).abs() < 1e-4);
        assert_eq!(students_t(1), 12.706);
        assert!((1..200).all(|degrees| students_t(degrees) > students_t(degrees + 1)));
    }

    #[test]
    fn the_reach_of_a_median_is_that_of_students_t() {
        // Logarithms -0.01, 0, 0.01: s = 0.01, t(2) = 4.303, sqrt(pi / 6) = 0.72360: exp(0.031137) - 1.
        let values = [1.0_f64, (-0.01_f64).exp(), 0.01_f64.exp()];
        assert!((median_reach(&values).expect("a reach") - 0.031_627).abs() < 1e-5);
        assert_eq!(median_reach(&[3.0; 4]), Some(0.0));
        assert_eq!((median_reach(&[3.0]), median_reach(&[3.0, 0.0])), (None, None));
    }

    #[test]
    fn the_reach_holds_the_truth_as_often_as_promised() {
        // 4000 calibrations of 3 and 5 rounds with errors of 2 % (sums of 12 uniform numbers are as good as normal): the
        // interval around the median holds the truth in 95 to 97 % (standard deviation of 4000 trials: 0.35 %).
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
    fn a_share_of_few_trials_is_hardly_known() {
        // Wilson, 9 of 10: (0.9 + 0.19207) / 1.38415 = 0.78899, reach 1.95996 / 1.38415 x sqrt(0.009 + 0.0096036) = 0.19314
        let (low, high) = share_interval(9, 10).expect("trials");
        assert!((low - 0.5958).abs() < 1e-3 && (high - 0.9821).abs() < 1e-3, "{low} {high}");
        assert!(share_interval(4, 4).is_some_and(|(_, high)| high > 1.0 - 1e-12));
        assert_eq!(share_interval(0, 0), None);
    }
}
