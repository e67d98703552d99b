//! How often intervals hold: plain values.

use crate::intervals::share_interval;
use crate::null_models::NullModel;

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
    pub measured: Way,
    /// The predicted interval holds the measured median. 95 % would do so if the model were right and the median exact.
    pub predicted: Way,
    /// Both are no further apart than both intervals together allow: |p - m| <= sqrt(reach of p squared + reach of m
    /// squared), each reach towards the other figure. 95 % do so if the model is right.
    pub both: Way,
}

/// One way of counting, and what it is worth: an interval that is wide enough holds anything, so that as many of a model that
/// knows nothing of sharing would be held.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Way {
    /// Of the model.
    pub model: Share,
    /// What null models get, by [`NullModel::ALL`]: each with its own figure in place of the predicted one, and around it an interval
    /// that is as wide in parts of that figure as the model's is of its own. They have intervals where the model has one.
    pub nulls: [Share; NullModel::ALL.len()],
    /// The mean width of what holds or not, from end to end, as a fraction of the measured median: of the measured interval, of the
    /// predicted one, of both the square root of the sum of squares. `None` of nothing.
    pub mean_width: Option<f64>,
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
