//! Lines over one axis.

use super::canvas::{Canvas, Font, HEADING, Heading, MARGIN, SIZE, SMALL, Stroke};
use super::legend::{Legend, short};
use super::metrics;
use super::palette::line_colour;
use super::panel::{Lines, Panel};
use super::scale::{Axis, Coordinate, Scale, extent};

/// Up to this many values each has a mark.
const MOST_MARKS: usize = 45;

/// One line; a value that is not finite is a gap in it.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// One for each value of the axis.
    pub values: Vec<f64>,
}

/// Lines over one axis.
#[derive(Clone, Debug)]
pub struct LinePlot {
    /// Above the picture.
    pub heading: Heading,
    /// To the right.
    pub x: Axis,
    /// Title of the vertical axis, with its unit.
    pub y: String,
    /// In the order of the legend.
    pub lines: Vec<Line>,
}

impl LinePlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let is_words = matches!(self.x.scale, Scale::Words(_));
        let mut legend = Legend::new(Font::new(SMALL));
        for (i, line) in self.lines.iter().enumerate().filter(|_| self.lines.len() > 1) {
            legend.sign(short(&line.name), move |canvas, (x, y)| {
                if !is_words {
                    canvas.line((x - 13.0, y), (x + 13.0, y), Stroke::new(line_colour(i), 2.0));
                }
                canvas.circle((x, y), 3.0, Some(line_colour(i)), None);
            });
        }
        // From 0: an axis that is cut off makes a cliff of a small difference.
        let values = self.lines.iter().flat_map(|line| line.values.iter().copied());
        let (lowest, highest) = extent(values.chain([0.0])).unwrap_or_default();
        let y = Coordinate::exactly(1.06 * lowest..if highest > lowest { 1.06 * highest } else { 1.0 });
        let positions = self.x.positions();
        let (first, last) = extent(positions.iter().copied()).unwrap_or_default();
        let pad = if is_words { 0.5 } else { 0.02 * (last - first) };
        let x = self.x.coordinate(first - pad..last + pad);
        let right = if self.lines.len() > 1 {
            SIZE.0 - legend.width_beside() - 18.0
        } else {
            // Half of the last label stands right of the axis.
            let label = x.ticks().last().map_or(0.0, |(_, label)| metrics::width(label, SMALL));
            SIZE.0 - MARGIN.max(label / 2.0)
        };
        let titles = [self.x.label.as_str(), self.y.as_str()];
        let panel = Panel::framed((x, y), titles, (HEADING, right, SIZE.1));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        panel.axes(&mut canvas, [Lines::Outside(4.0), Lines::Grid], titles);
        for (i, line) in self.lines.iter().enumerate() {
            // Words have no order: no line leads from one to the next, and marks stand side by side.
            let dodge = if is_words { 0.06 * (i as f64 - (self.lines.len() - 1) as f64 / 2.0) } else { 0.0 };
            let points: Vec<(f64, f64)> =
                positions.iter().map(|p| p + dodge).zip(line.values.iter().copied()).collect();
            for part in points.split(|(_, value)| !value.is_finite()).filter(|part| !part.is_empty()) {
                let series = panel.series(&mut canvas);
                if !is_words {
                    series.path(part, Stroke::new(line_colour(i), 2.0));
                }
                if is_words || points.len() <= MOST_MARKS {
                    let size = if is_words { 5.0 } else { 3.0 };
                    for &at in part {
                        series.mark(at, size, line_colour(i));
                    }
                }
            }
        }
        legend.draw_beside(&mut canvas, (right, HEADING + 12.0));
        canvas.finish(SIZE.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_in_the_legend_and_gaps_stay_gaps() {
        let line = |name: &str, values: &[f64]| Line { name: name.to_owned(), values: values.to_vec() };
        let plot = LinePlot {
            heading: Heading { title: "4 nodes <x>".to_owned(), subtitle: "two scenarios".to_owned() },
            x: Axis { label: "link (GB/s)".to_owned(), scale: Scale::Linear(vec![1.0, 2.0, 3.0, 4.0, 5.0]) },
            y: "GFLOPS".to_owned(),
            lines: vec![
                line("even", &[1.0, 2.0, f64::NAN, 4.0, 5.0]),
                line("uneven", &[5.0, 5.0, 5.0, 5.0, 5.0]),
            ],
        };
        let svg = plot.svg();
        for word in ["even", "uneven", "link (GB/s)", "GFLOPS", "4 nodes &lt;x&gt;", "two scenarios"] {
            assert!(svg.contains(&format!("\n{word}\n")), "{word} is missing:\n{svg}");
        }
        // even has two parts, uneven one, and each has a swatch in the legend.
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 2 + 1 + 2);
    }
}
