//! What a roofline shows.

use crate::plot::heading::Heading;

/// A limit: min(peak, bandwidth x arithmetic intensity).
#[derive(Clone, Debug)]
pub(crate) struct Roof {
    pub(crate) name: String,
    pub(crate) bandwidth_gbs: f64,
    pub(crate) peak_gflops: f64,
}

/// An application.
#[derive(Clone, Debug)]
pub(crate) struct RoofApp {
    pub(crate) letter: String,
    pub(crate) name: String,
    /// FLOP per byte.
    pub(crate) intensity: f64,
    /// What it gets; `None` where no scenario was evaluated.
    pub(crate) gflops: Option<f64>,
}

/// A roofline.
#[derive(Clone, Debug)]
pub(crate) struct Roofline {
    pub(crate) heading: Heading,
    /// From the highest to the lowest.
    pub(crate) roofs: Vec<Roof>,
    pub(crate) apps: Vec<RoofApp>,
}
