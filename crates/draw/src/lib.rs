//! Draws plain values as pictures, tables of text and numbers: pure functions from values to text. This crate has no types for machines and
//! applications; callers convert them to plain values first.
//!
//! **Text.** [`figures`] formats numbers, [`grid`] sets tables, [`terminal`] handles the properties of a terminal, [`markdown`] makes
//! Markdown of the same text.
//!
//! **Plots as SVG**; the command line converts it to PNG and PDF. A plot declares its data; its `svg` method draws them, always with the
//! same parts: scales from values to pixels (`scale`), panels with axes, slots and rows and columns of panels (`panel`), signs with names
//! (`legend`), and shapes as marks on a `canvas` in the colours of a meaning (`palette`, [`Kind`]).
//!
//! One panel: [`line::LinePlot`], [`heat_map::HeatMap`], [`scatter::FrontPlot`], [`scatter::ScatterPlot`], [`roofline::Roofline`],
//! [`bars::BarPlot`], [`bars::GroupPlot`], [`dots::DotPlot`]. Many small ones: [`facets::CloudGrid`], [`facets::CurveGrid`]. Over time:
//! [`strips::StripPlot`], [`timelines::TimelinePlot`], [`gantt::Gantt`]. Tables: [`heat_map::Matrix`], [`shaded::ShadedTable`]. A machine:
//! [`threads::ThreadMap`].
//!
//! Text stays text (`sans-serif`): no font is needed to write a plot, and a reader can search in it.

pub use canvas::Heading;
pub use legend::{Kind, Named};
pub use palette::{colour_of, terminal_colour_of, themed};
pub use scale::{Axis, Scale};
pub use terminal::{Grade, Style};

pub mod bars;
mod canvas;
pub mod dots;
pub mod facets;
pub mod figures;
pub mod gantt;
pub mod grid;
pub mod heat_map;
mod legend;
pub mod line;
pub mod look;
pub mod markdown;
mod metrics;
mod palette;
mod panel;
pub mod roofline;
mod scale;
pub mod scatter;
pub mod shaded;
pub mod strips;
pub mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod threads;
pub mod timelines;
