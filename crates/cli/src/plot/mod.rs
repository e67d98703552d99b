//! Plots as SVG: pure functions from plain values to text. `plot_file` writes them, or renders them as PNG.
//!
//! [`line::LinePlot`], [`heat_map::HeatMap`], [`front::FrontPlot`] and [`matrix::Matrix`] are drawn with plotters.
//! [`bars::BarPlot`], [`roofline::Roofline`], [`scatter::ScatterPlot`] and [`threads::ThreadMap`] need hatches, dashes,
//! curves, sloped text or parts of a pixel, which it does not have: they are drawn shape by shape ([`canvas`]).
//!
//! Text stays text (`sans-serif`): no font is needed to write a plot, and a reader can search in it.

mod axis;
pub(crate) mod bars;
mod canvas;
mod colour_bar;
mod frame;
pub(crate) mod front;
mod geometry;
mod heading;
pub(crate) mod heat_map;
mod ink;
pub(crate) mod line;
pub(crate) mod matrix;
mod metrics;
mod names;
mod palette;
mod place;
#[cfg(feature = "png")]
pub(crate) mod png;
pub(crate) mod roofline;
pub(crate) mod scatter;
mod style;
#[cfg(test)]
pub(crate) mod testing;
mod theme;
pub(crate) mod threads;

pub(crate) use axis::{Axis, Scale};
pub(crate) use heading::{DrawError, Heading};
pub(crate) use theme::themed;
