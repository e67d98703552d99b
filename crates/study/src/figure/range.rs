//! Which numbers the figure of a key may be.

use crate::keys::Key;
use numasim_model::bounds::{self, LARGEST, Misfit, SMALLEST};
use numasim_model::sharing_model::Parameter;

/// The values that a figure may have, in files as everywhere else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRange {
    /// Above 0 ([`bounds::misfit`]).
    Positive,
    /// 0 or above ([`bounds::misfit`]).
    NotNegative,
    /// Whole.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// The range of the parameter ([`Parameter::range`]).
    Parameter(Parameter),
}

impl ValueRange {
    /// The range that a key declares.
    pub const fn of(key: &Key) -> Self {
        match (key.shape.counts(), key.shape.numbers()) {
            (Some((least, most)), _) => Self::Whole { least, most },
            (None, Some((0.0, _))) => Self::NotNegative,
            _ => Self::Positive,
        }
    }

    /// Whole, from `least` up, as far as `u32` goes.
    pub const fn whole(least: u32, most: u32) -> Self {
        Self::Whole { least: least as u64, most: most as u64 }
    }

    /// Whether `value` is in it.
    pub fn contains(self, value: f64) -> bool {
        self.misfit(value).is_none()
    }

    /// Why `value` is not in it, where it is not.
    pub fn misfit(self, value: f64) -> Option<Misfit> {
        match self {
            Self::Positive => bounds::misfit(value, false),
            Self::NotNegative => bounds::misfit(value, true),
            Self::Whole { least, most } => {
                let label = if value.fract() != 0.0 {
                    "not whole"
                } else if value < least as f64 {
                    "too small"
                } else if value > most as f64 {
                    "too large"
                } else {
                    return None;
                };
                Some(Misfit { must: format!("a whole number from {least} to {most}"), label })
            }
            Self::Parameter(parameter) => {
                let (low, high) = parameter.range();
                bounds::outside(value, low, high)
                    .map(|misfit| Misfit { must: parameter.range_in_words(), ..misfit })
            }
        }
    }

    /// The number in it that is nearest to `value`.
    pub fn nearest(self, value: f64) -> f64 {
        let (low, high) = match self {
            Self::Positive => (SMALLEST, LARGEST),
            Self::NotNegative => (0.0, LARGEST),
            Self::Whole { least, most } => return value.round().clamp(least as f64, most as f64),
            Self::Parameter(parameter) => parameter.range(),
        };
        let value = value.clamp(low, high);
        // Nearly 0 is 0.
        if value < SMALLEST { low } else { value }
    }
}
