//! How a controller treats what is read over links.

use crate::sharing_model::Parameters;

/// Remote traffic beside local traffic, which costs 1 and weighs 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remote {
    /// GB/s of the controller that one GB/s over a link takes.
    pub(super) cost: f64,
    /// The right of remote traffic at a controller.
    pub(super) weight: f64,
}

impl Remote {
    /// Remote traffic as local traffic.
    pub(super) const PLAIN: Self = Self { cost: 1.0, weight: 1.0 };

    /// As the corrections have it.
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self { cost: 1.0 + parameters.remote_loss, weight: parameters.remote_weight }
    }

    /// The part of a wait at a controller that remote bytes feel.
    pub(super) fn felt(&self) -> f64 {
        1.0 / self.weight
    }
}
