//! Plots as SVG: [`line::LinePlot`] for one axis, [`heat_map::HeatMap`] for two. Pure functions from values to text.
//!
//! Text stays text (`sans-serif`): no font is needed to write a plot, and a reader can search in it.

mod axis;
pub(crate) mod heat_map;
pub(crate) mod line;
mod style;

pub(crate) use axis::{Axis, Scale};

/// Title and the line below it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heading {
    /// What is shown.
    pub(crate) title: String,
    /// On what, and under which conditions.
    pub(crate) subtitle: String,
}

/// A fault of the drawing library; memory does not fail.
pub(crate) type DrawError = Box<dyn std::error::Error>;
