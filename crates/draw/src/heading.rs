//! What stands above every plot, and what becomes of one that cannot be drawn.

/// Title and the line below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    /// What is shown.
    pub title: String,
    /// On what, and under which conditions.
    pub subtitle: String,
}

/// A fault of the drawing library; memory does not fail.
pub type DrawError = Box<dyn std::error::Error>;
