//! Lines over one axis.

use plotters::prelude::*;

use super::axis::{Axis, Coordinate, Scale};
use super::heading::{DrawError, Heading};
use super::palette::{TEXT, line_colour};
use super::style::{
    Area, MARGIN, Mesh, SIZE, SMALL, chart, draw_axes, drawn, headed, left_middle, shortened, text_width,
};

/// Up to this many values each has a mark.
const MOST_MARKS: usize = 45;
/// A longer name in the legend is cut.
const LONGEST_NAME: usize = 32;

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
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub fn svg(&self) -> Result<String, DrawError> {
        drawn(SIZE, |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), DrawError> {
        let below = headed(root, &self.heading)?;
        let longest =
            self.lines.iter().map(|line| text_width(&shortened(&line.name, LONGEST_NAME), SMALL)).max();
        let legend_width = if self.lines.len() > 1 { longest.unwrap_or(0) + 62 } else { MARGIN };
        let (area, legend) = below.split_horizontally(SIZE.0 - legend_width);

        let finite =
            || self.lines.iter().flat_map(|line| &line.values).copied().filter(|value| value.is_finite());
        // From 0: an axis that is cut off makes a cliff of a small difference.
        let (lowest, highest) =
            finite().fold((0.0_f64, 0.0_f64), |(l, h), value| (l.min(value), h.max(value)));
        let y = Coordinate::exactly(1.06 * lowest..if highest > lowest { 1.06 * highest } else { 1.0 });
        let positions = self.x.positions();
        let (lowest, highest) =
            positions.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
        let is_words = matches!(self.x.scale, Scale::Words(_));
        let pad = if is_words { 0.5 } else { 0.02 * (highest - lowest) };
        let x = self.x.coordinate(lowest - pad..highest + pad);
        // Half of the last label stands right of the axis.
        let beside = x.labels().last().map_or(0, |label| text_width(label, SMALL) / 2);
        let right = if self.lines.len() > 1 { 0 } else { beside.saturating_sub(MARGIN) };
        let titles = [self.x.label.as_str(), self.y.as_str()];
        let mut chart = chart(&area, right, x, y, titles)?;
        draw_axes(root, &mut chart, titles, Mesh::Across)?;
        for (i, line) in self.lines.iter().enumerate() {
            let colour = line_colour(i);
            // Words have no order: no line leads from one to the next, and marks stand side by side.
            let dodge = if is_words { 0.06 * (i as f64 - (self.lines.len() - 1) as f64 / 2.0) } else { 0.0 };
            let points: Vec<(f64, f64)> =
                positions.iter().map(|p| p + dodge).zip(line.values.iter().copied()).collect();
            if !is_words {
                for part in points.split(|(_, value)| !value.is_finite()).filter(|part| !part.is_empty()) {
                    chart.draw_series([PathElement::new(part.to_vec(), colour.stroke_width(2))])?;
                }
            }
            if is_words || points.len() <= MOST_MARKS {
                let size = if is_words { 5 } else { 3 };
                let there = points.into_iter().filter(|(_, value)| value.is_finite());
                chart.draw_series(there.map(|point| Circle::new(point, size, colour.filled())))?;
            }
        }
        if self.lines.len() > 1 {
            for (i, line) in self.lines.iter().enumerate() {
                let at = 12 + 24 * i32::try_from(i)?;
                let colour = line_colour(i);
                if !is_words {
                    legend.draw(&PathElement::new([(10, at), (36, at)], colour.stroke_width(2)))?;
                }
                legend.draw(&Circle::new((23, at), 3, colour.filled()))?;
                legend.draw_text(
                    &shortened(&line.name, LONGEST_NAME),
                    &left_middle(SMALL, &TEXT),
                    (44, at),
                )?;
            }
        }
        Ok(())
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
        let svg = plot.svg().expect("drawn");
        for word in ["even", "uneven", "link (GB/s)", "GFLOPS", "4 nodes &lt;x&gt;", "two scenarios"] {
            assert!(svg.contains(&format!("\n{word}\n")), "{word} is missing:\n{svg}");
        }
        // even has two parts, uneven one, and each has a swatch in the legend.
        assert_eq!(svg.matches("stroke-width=\"2\"").count(), 2 + 1 + 2);
    }
}
