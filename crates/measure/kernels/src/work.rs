//! What a worker keeps from one task to the next.

use crate::product::Panels;

/// Room for copies of parts of tiles: a worker has one, so that tasks allocate nothing.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(crate) panels: Panels,
    /// The left factor of a product, where it would overlap what is changed.
    pub(crate) left: Vec<f64>,
    /// Rows in between.
    pub(crate) rows: Vec<f64>,
}

impl Workspace {
    /// Empty; grows with the first tasks.
    pub fn new() -> Self {
        Self { panels: Panels::new(), left: Vec::new(), rows: Vec::new() }
    }
}

impl Default for Workspace {
    fn default() -> Self {
        Self::new()
    }
}
