//! Which numbers a figure may be.

use crate::sharing_model::Parameter;

/// The values that a figure may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRange {
    /// Above 0, finite.
    Positive,
    /// 0 or above, finite.
    NotNegative,
    /// Whole, from 0 up, as far as `u32` goes.
    Count,
    /// Whole, from 1 up, as far as `u32` goes.
    FromOne,
    /// The range of the parameter ([`Parameter::range`]).
    Parameter(Parameter),
}

impl ValueRange {
    /// Whether `value` is in it.
    pub fn contains(self, value: f64) -> bool {
        match self {
            Self::Positive => value > 0.0 && value.is_finite(),
            Self::NotNegative => value >= 0.0 && value.is_finite(),
            Self::Count => value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value),
            Self::FromOne => value >= 1.0 && Self::Count.contains(value),
            Self::Parameter(parameter) => {
                let (low, high) = parameter.range();
                (low..=high).contains(&value)
            }
        }
    }
}
