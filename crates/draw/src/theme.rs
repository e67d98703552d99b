//! Plots in the colours of a page.

use super::ink::hex;
use super::palette;

/// The same plot with the colours of its background, text and faint lines as CSS variables of the page that it is
/// embedded in: `--plot-paper`, `--plot-text`, `--plot-faint-text`, `--plot-faint-line`,
/// `--plot-no-result`, `--plot-band`, `--plot-ground-0` to `--plot-ground-6`.
pub fn themed(svg: &str) -> String {
    let colours = [
        (palette::PAPER, "paper"),
        (palette::TEXT, "text"),
        (palette::FAINT_TEXT, "faint-text"),
        (palette::FAINT_LINE, "faint-line"),
        (palette::NO_RESULT, "no-result"),
        (palette::BAND, "band"),
    ];
    let named = colours.into_iter().map(|(colour, name)| (colour, name.to_owned()));
    let grounds = palette::GROUNDS.into_iter().enumerate().map(|(i, colour)| (colour, format!("ground-{i}")));
    named.chain(grounds).fold(svg.to_owned(), |svg, (colour, name)| {
        let colour = hex(colour);
        svg.replace(&format!("\"{colour}\""), &format!("\"var(--plot-{name}, {colour})\""))
    })
}

/// The colour of the application with this number in thread maps, as CSS writes it.
pub fn colour_of(app: usize) -> String {
    hex(palette::fill_colour(app))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bars::{BarPlot, Pair};
    use crate::heading::Heading;

    #[test]
    fn paper_and_ink_follow_the_page_and_colours_of_data_do_not() {
        let pair = Pair {
            name: "even".to_owned(),
            model: 1.0,
            measured: 1.0,
            model_interval: None,
            range: None,
            error_percent: Some(0.0),
        };
        let plot = BarPlot { heading: Heading::default(), label: "GFLOPS".to_owned(), pairs: vec![pair] };
        let themed = themed(&plot.svg());
        assert!(themed.contains("fill=\"var(--plot-paper, #FFFFFF)\"") && !themed.contains("\"#1E1E1E\""));
        assert!(themed.contains("\"#0072B2\""));
    }
}
