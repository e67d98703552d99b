//! How often intervals hold: plain values.

use crate::intervals::share_interval;

/// How often, for whole scenarios and for applications in them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// Of totals.
    pub totals: Held,
    /// Of applications in scenarios.
    pub apps: Held,
}

/// How often intervals hold, in three ways. The figures of a machine are common to all scenarios, so that these hold or
/// miss together more often than independent trials would.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// The measured interval of the median holds the predicted figure. 95 % would do so if the model and its figures were
    /// exact.
    pub measured: Share,
    /// The predicted interval holds the measured median. 95 % would do so if the model were right and the median exact.
    pub predicted: Share,
    /// Both are no further apart than both intervals together allow: |p - m| <= sqrt(reach of p squared + reach of m
    /// squared), each reach towards the other figure. 95 % do so if the model is right.
    pub both: Share,
}

/// Some of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many hold.
    pub held: usize,
    /// Of how many that have the intervals.
    pub of: usize,
}

impl Share {
    /// As a fraction; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.held as f64 / self.of as f64)
    }

    /// The interval of 95 % of the fraction, see [`share_interval`].
    pub fn interval(self) -> Option<(f64, f64)> {
        share_interval(self.held, self.of)
    }

    pub(super) fn count(&mut self, holds: Option<bool>) {
        if let Some(holds) = holds {
            self.of += 1;
            self.held += usize::from(holds);
        }
    }
}
