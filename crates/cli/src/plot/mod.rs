//! Plots as SVG: pure functions from plain values to text. [`file::PlotFile`] writes them, or renders them as PNG.
//!
//! [`line::LinePlot`], [`heat_map::HeatMap`], [`front::FrontPlot`], [`scatter::ScatterPlot`] and [`matrix::Matrix`] are
//! drawn with plotters. [`bars::BarPlot`], [`roofline::Roofline`] and [`threads::ThreadMap`] need hatches, dashes, curves
//! and sloped text, which it does not have: they are drawn shape by shape ([`canvas`]).
//!
//! Text stays text (`sans-serif`): no font is needed to write a plot, and a reader can search in it.

mod axis;
pub(crate) mod bars;
mod canvas;
mod colour_bar;
pub(crate) mod file;
pub(crate) mod front;
pub(crate) mod heat_map;
pub(crate) mod line;
pub(crate) mod matrix;
mod metrics;
mod names;
#[cfg(feature = "png")]
mod png;
pub(crate) mod roofline;
pub(crate) mod scatter;
mod style;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod threads;

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

/// The same plot with the colours of its background, text and faint lines as CSS variables of the page that it is
/// embedded in: `--plot-paper`, `--plot-text`, `--plot-faint-text`, `--plot-faint-line`,
/// `--plot-no-result`, `--plot-band`.
pub(crate) fn themed(svg: &str) -> String {
    let colours = [
        (style::PAPER, "paper"),
        (style::TEXT, "text"),
        (style::FAINT_TEXT, "faint-text"),
        (style::FAINT_LINE, "faint-line"),
        (style::NO_RESULT, "no-result"),
        (scatter::BAND_COLOUR, "band"),
    ];
    colours.into_iter().fold(svg.to_owned(), |svg, (colour, name)| {
        let colour = canvas::hex(colour);
        svg.replace(&format!("\"{colour}\""), &format!("\"var(--plot-{name}, {colour})\""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paper_and_ink_follow_the_page_and_colours_of_data_do_not() {
        let pair = bars::Pair {
            name: "even".to_owned(),
            model: 1.0,
            measured: 1.0,
            range: None,
            error_percent: Some(0.0),
        };
        let plot =
            bars::BarPlot { heading: Heading::default(), label: "GFLOPS".to_owned(), pairs: vec![pair] };
        let themed = themed(&plot.svg());
        assert!(themed.contains("fill=\"var(--plot-paper, #FFFFFF)\"") && !themed.contains("\"#1E1E1E\""));
        assert!(themed.contains("\"#0072B2\""));
    }
}
