//! Problems with a text, with their places, in a list of limited length.

use std::ops::Range;

pub(crate) use numasim_study::csv::shown;
use numasim_study::{Place, Problem, ProblemKind, csv};

use crate::values::MOST_URGENT;

/// Message for a graph without tasks.
pub(crate) const NO_TASKS: &str = "there are no tasks: this graph is empty";

/// The least and the largest amount that is accepted, apart from 0. Products of two, and sums of all, stay finite.
const LEAST: f64 = 1e-40;
const LARGEST: f64 = 1e40;

/// Problems that were found so far.
#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    /// Adds a problem.
    pub(crate) fn add(&mut self, problem: Problem) {
        csv::add(&mut self.0, problem);
    }

    /// The value; or `None`, and adds the problem.
    pub(crate) fn take<T>(&mut self, read: Result<T, Problem>) -> Option<T> {
        read.map_err(|problem| self.add(problem)).ok()
    }

    /// Further problems would not be listed.
    pub(crate) fn is_full(&self) -> bool {
        csv::is_full(&self.0)
    }

    /// Number of problems.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no problems so far.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value`, if there are no problems.
    ///
    /// # Errors
    /// The problems, from the beginning of the text to its end.
    pub(crate) fn none<T>(mut self, value: T) -> Result<T, Vec<Problem>> {
        // In the order of the files; problems without a place come last, because they concern everything before them.
        self.0.sort_by_key(|problem| match &problem.place {
            Some(place) => (place.file, place.span.as_ref().map_or(0, |span| span.start)),
            None => (usize::MAX, 0),
        });
        if self.is_empty() { Ok(value) } else { Err(self.0) }
    }
}

/// A problem with some bytes of a file.
pub(crate) fn at(kind: ProblemKind, file: usize, span: Range<usize>, message: impl Into<String>) -> Problem {
    Problem::new(kind, message).at(Place::at(file, span), "here")
}

/// A usable number, zero or more, or the reason why it is not: words after `what is`.
pub(crate) fn amount(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_nan() || value.is_infinite() && text.contains(['i', 'I']) => {
            Err(format!("{}, which is not a finite number", shown(text)))
        }
        Ok(value) => computable(value).map_err(|why| format!("{}, {why}", shown(text))).and_then(|value| {
            // If all digits are lost, the number is too small.
            let has_digits =
                text.split(['e', 'E']).next().is_some_and(|text| text.contains(|c| ('1'..='9').contains(&c)));
            if value == 0.0 && has_digits {
                Err(format!("{}, {}", shown(text), too_small()))
            } else {
                Ok(value)
            }
        }),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Err(format!("'{}', not a number", shown(text))),
    }
}

/// The number, if it is usable; otherwise the reason.
pub(crate) fn computable(value: f64) -> Result<f64, String> {
    if value < 0.0 {
        Err("but cannot be negative".to_owned())
    } else if value > LARGEST {
        Err(format!("but at most {LARGEST:e} is read"))
    } else if value > 0.0 && value < LEAST {
        Err(too_small())
    } else {
        // Adding 0 removes the sign of -0.
        Ok(value + 0.0)
    }
}

/// A priority, which may be negative, or the reason why it is none: words after `what is`.
pub(crate) fn computable_priority(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.abs() <= MOST_URGENT => Ok(value + 0.0),
        Ok(_) => Err(format!("{}, but must be from {} to {MOST_URGENT}", shown(text), -MOST_URGENT)),
        Err(_) if text.is_empty() => Err("empty".to_owned()),
        Err(_) => Err(format!("'{}', not a number", shown(text))),
    }
}

fn too_small() -> String {
    format!("but at least {LEAST:e}, or 0, is read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_numbers_of_both_signs() {
        for (text, value) in [("0", 0.0), ("-5", -5.0), ("2.5", 2.5), ("-2147483648", -2_147_483_648.0)] {
            assert_eq!(computable_priority(text), Ok(value), "{text}");
        }
        for (text, why) in [
            ("", "empty"),
            ("high", "'high', not a number"),
            ("1e10", "1e10, but must be from -2147483648 to 2147483648"),
            ("NaN", "NaN, but must be from -2147483648 to 2147483648"),
        ] {
            assert_eq!(computable_priority(text), Err(why.to_owned()), "{text}");
        }
    }

    #[test]
    fn amounts_are_0_or_within_what_can_be_computed_with() {
        for (text, value) in
            [("0", 0.0), ("-0.0", 0.0), ("0e99", 0.0), ("1e40", 1e40), ("5.", 5.0), ("1e-40", 1e-40)]
        {
            assert_eq!(amount(text), Ok(value), "{text}");
        }
        for (text, why) in [
            ("1e41", "1e41, but at most 1e40 is read"),
            ("1e999", "1e999, but at most 1e40 is read"),
            ("1e-41", "1e-41, but at least 1e-40, or 0, is read"),
            ("1e-999", "1e-999, but at least 1e-40, or 0, is read"),
            ("-1", "-1, but cannot be negative"),
            ("inf", "inf, which is not a finite number"),
            ("NaN", "NaN, which is not a finite number"),
            ("0,5", "'0,5', not a number"),
            ("", "empty"),
        ] {
            assert_eq!(amount(text), Err(why.to_owned()), "{text}");
        }
    }
}
