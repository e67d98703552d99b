//! Bounds of input values, regardless of their source: a file, `sweep --set`, an option, Python or the web
//! page.
//!
//! `ValueRange` of the crate `numasim-study` selects the rules of each key.

/// The smallest value above 0; products and quotients of two values stay finite.
pub const SMALLEST: f64 = 1e-30;
/// The largest value.
pub const LARGEST: f64 = 1e30;

/// Maximum number of iterations of an application, and of tasks in an iteration: their product can still be
/// counted.
pub const MOST_REPEATED: u64 = 1_000_000_000;
/// Whole numbers up to this value are exact in every number of a file.
pub const MOST_EXACT: u64 = 1 << 53;

/// The reason that a number is not a valid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The rule that the number breaks: "at least 1e-30".
    pub must: String,
    /// A short label of the error: "too small".
    pub label: &'static str,
}

/// Whether `value` is a valid value above 0.
pub fn is_positive(value: f64) -> bool {
    misfit(value, false).is_none()
}

/// The reason that `value` is not valid, if it is not. `zero` allows 0.
pub fn misfit(value: f64, zero: bool) -> Option<Misfit> {
    let wrong = |must: &str, label| Some(Misfit { must: must.to_owned(), label });
    let must = if zero { "a finite number of at least 0" } else { "a finite number above 0" };
    if value.is_nan() {
        wrong(must, "not a number")
    } else if value < 0.0 {
        wrong(must, "negative")
    } else if value.is_infinite() {
        wrong(must, "not finite")
    } else if value == 0.0 {
        if zero { None } else { wrong(must, "zero") }
    } else if value > LARGEST {
        wrong(&format!("at most {LARGEST:e}"), "too large")
    } else if value < SMALLEST {
        wrong(&format!("at least {SMALLEST:e}"), "too small")
    } else {
        None
    }
}

/// Moves `number` to the same side of the bounds as `text`: a double reads a number that is too small as 0,
/// and one that is too large as infinite.
pub fn as_written(number: f64, text: &str) -> f64 {
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    if number == 0.0 && digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
        f64::MIN_POSITIVE.copysign(number)
    } else if number.is_infinite() && digits.bytes().any(|digit| digit.is_ascii_digit()) {
        f64::MAX.copysign(number)
    } else {
        number
    }
}

/// The reason that `value` is not a number from `low` to `high`, if it is not. A number that is nearly 0 is
/// also invalid.
pub fn outside(value: f64, low: f64, high: f64) -> Option<Misfit> {
    if value < low {
        let must = format!("a number from {low} to {high}");
        return Some(Misfit { must, label: if value < 0.0 { "negative" } else { "too small" } });
    }
    if value > high {
        return Some(Misfit { must: format!("a number from {low} to {high}"), label: "too large" });
    }
    misfit(value, low <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_0_or_of_a_size_whose_products_and_quotients_stay_finite() {
        for value in [1e-30, 0.5, 1e30] {
            assert_eq!((misfit(value, false), misfit(value, true)), (None, None), "{value}");
        }
        assert!(misfit(0.0, true).is_none() && misfit(-0.0, true).is_none() && !is_positive(0.0));
        let label = |value| misfit(value, true).map(|misfit| misfit.label);
        assert_eq!(label(1e-320), Some("too small"));
        assert_eq!(label(1e308), Some("too large"));
        assert_eq!(label(f64::INFINITY), Some("not finite"));
        assert_eq!(label(f64::NEG_INFINITY), Some("negative"));
        assert_eq!(label(f64::NAN), Some("not a number"));
    }

    #[test]
    fn numbers_outside_the_range_of_a_double_are_too_small_or_too_large() {
        let label = |text: &str| {
            let number = text.parse().expect("a number");
            misfit(as_written(number, text), true).map(|misfit| misfit.label)
        };
        assert_eq!(label("1e-400"), Some("too small"));
        assert_eq!(label("-1e-400"), Some("negative"));
        assert_eq!(label("1e400"), Some("too large"));
        assert_eq!(label("inf"), Some("not finite"));
        assert_eq!((label("0e9"), label("-0.0"), label("0")), (None, None, None));
    }

    #[test]
    fn bounded_numbers_reject_tiny_values() {
        assert!(outside(0.0, 0.0, 1.0).is_none() && outside(1.0, 0.0, 1.0).is_none());
        for value in [-0.1, 1.1, 1e-320, f64::NAN, f64::INFINITY] {
            assert!(outside(value, 0.0, 1.0).is_some(), "{value}");
        }
        assert!(outside(0.0, 1e-3, 1.0).is_some());
    }
}
