//! What a roofline shows.

use crate::heading::Heading;

/// A limit: min(peak, bandwidth x arithmetic intensity).
#[derive(Clone, Debug)]
pub struct Roof {
    /// As the list below the picture has it.
    pub name: String,
    /// Slope, in GB/s.
    pub bandwidth_gbs: f64,
    /// Height, in GFLOPS.
    pub peak_gflops: f64,
}

/// An application.
#[derive(Clone, Debug)]
pub struct RoofApp {
    /// Its sign in the picture.
    pub letter: String,
    /// As the list below the picture has it.
    pub name: String,
    /// FLOP per byte.
    pub intensity: f64,
    /// What it gets; `None` where no scenario was evaluated.
    pub gflops: Option<f64>,
}

/// A roofline.
#[derive(Clone, Debug)]
pub struct Roofline {
    /// Above the picture.
    pub heading: Heading,
    /// From the highest to the lowest.
    pub roofs: Vec<Roof>,
    /// In the order of the list.
    pub apps: Vec<RoofApp>,
}
