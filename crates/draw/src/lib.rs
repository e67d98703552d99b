//! Plain values as pictures, tables of text and numbers: pure functions from values to text. Nothing of ours is known here:
//! who knows machines and applications makes plain figures of them first.
//!
//! **Text.** [`figures`] formats numbers, [`grid`] sets tables, [`terminal`] knows how a terminal wants both, [`markdown`] makes
//! Markdown of the same text.
//!
//! **Plots as SVG**; the command line makes PNG and PDF of it.
//!
//! [`line::LinePlot`], [`heat_map::HeatMap`], [`front::FrontPlot`] and [`matrix::Matrix`] are drawn with plotters.
//! [`bars::BarPlot`], [`clouds::CloudGrid`], [`curves::CurveGrid`], [`dots::DotPlot`], [`gantt::Gantt`], [`groups::GroupPlot`], [`roofline::Roofline`], [`scatter::ScatterPlot`], [`shaded::ShadedTable`], [`strips::StripPlot`], [`threads::ThreadMap`] and [`timelines::TimelinePlot`] need
//! hatches, dashes, curves, sloped text or parts of a pixel, which it does not have: they are drawn shape by shape (`canvas`).
//!
//! Text stays text (`sans-serif`): no font is needed to write a plot, and a reader can search in it.

mod axis;
pub mod bars;
mod canvas;
pub mod clouds;
mod colour_bar;
mod columns;
pub mod curves;
pub mod dots;
pub mod figures;
mod frame;
pub mod front;
pub mod gantt;
mod geometry;
pub mod grid;
pub mod groups;
mod heading;
pub mod heat_map;
mod ink;
pub mod kind;
mod legend;
pub mod line;
pub mod markdown;
pub mod matrix;
mod metrics;
mod names;
mod palette;
mod place;
pub mod roofline;
pub mod scatter;
pub mod shaded;
mod shown;
pub mod strips;
mod style;
pub mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod theme;
pub mod threads;
pub mod timelines;

pub use axis::{Axis, Scale};
pub use heading::{DrawError, Heading};
pub use terminal::Style;
pub use theme::{colour_of, themed};
