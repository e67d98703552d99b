//! Lines over one axis.

use std::convert::Infallible;

use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::PathElement;
use plotters::prelude::Cartesian2d;
use plotters::style::{Color, RGBColor};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, DrawingBackend, DrawingErrorKind};

use crate::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke};
use crate::legend::{Legend, draw_mark, line_stroke, short};
use crate::metrics;
use crate::palette::{Colour, FAINT_TEXT};
use crate::panel::{Lines, Panel};
use crate::scale::{Axis, Coordinate, Scale, extent};

/// Maximum number of marks of a line.
const MOST_MARKS: usize = 20;
/// Height of a name next to a line.
const NAME: f64 = 17.0;

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
                    canvas.line((x - 15.0, y), (x + 15.0, y), line_stroke(i, 2.0));
                }
                draw_mark(canvas, i, (x, y));
            });
        }
        // From 0: a truncated axis exaggerates small differences.
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
            // Half of the last label is right of the axis.
            let label = x.ticks().last().map_or(0.0, |(_, label)| metrics::width(label, SMALL));
            SIZE.0 - MARGIN.max(label / 2.0)
        };
        let titles = [self.x.label.as_str(), self.y.as_str()];
        let panel = Panel::framed((x, y), titles, (HEADING, right, SIZE.1));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        panel.axes(&mut canvas, [Lines::Outside(4.0), Lines::Grid], titles);
        for (i, line) in self.lines.iter().enumerate() {
            // Words have no order: no line leads from one to the next, and marks are side by side.
            let dodge = if is_words { 0.06 * (i as f64 - (self.lines.len() - 1) as f64 / 2.0) } else { 0.0 };
            let points: Vec<(f64, f64)> =
                positions.iter().map(|p| p + dodge).zip(line.values.iter().copied()).collect();
            for part in points.split(|(_, value)| !value.is_finite()).filter(|part| !part.is_empty()) {
                if !is_words {
                    let stroke = line_stroke(i, 2.0);
                    if stroke.dashes.is_empty() {
                        panel.series(&mut canvas).path(part, stroke);
                    } else {
                        let pixels: Vec<At> = part.iter().map(|&at| panel.at(at)).collect();
                        canvas.path(&pixels, stroke);
                    }
                }
                // With many values only some have a mark, and lines have theirs at different values.
                let every = if is_words { 1 } else { part.len().div_ceil(MOST_MARKS) };
                let first = (i * every / self.lines.len().max(1)).min(part.len() - 1);
                for &at in part.iter().skip(first).step_by(every) {
                    draw_mark(&mut canvas, i, panel.at(at));
                }
            }
        }
        if is_words {
            legend.draw_beside(&mut canvas, (right, HEADING + 12.0));
        } else if self.lines.len() > 1 {
            let ends: Vec<f64> = self.lines.iter().map(|line| end_of(line, &panel)).collect();
            let heights = beside_ends(&ends, panel.place);
            for (&end, &height) in
                ends.iter().zip(&heights).filter(|(end, height)| (*end - *height).abs() > 3.0)
            {
                let stroke = Stroke::new(FAINT_TEXT, 0.7);
                canvas.line((panel.place.right() - 2.0, end), (right + 7.0, height), stroke);
            }
            legend.draw_at(&mut canvas, right, &heights);
        }
        canvas.finish(SIZE.1)
    }
}

/// The height of the end of a line; that of the axis for a line without values.
fn end_of(line: &Line, panel: &Panel) -> f64 {
    let last = line.values.iter().rev().find(|value| value.is_finite());
    last.map_or(panel.place.bottom(), |&value| panel.up(value))
}

/// Heights of names next to the ends of their lines: as close as the room allows, in the order of the ends.
fn beside_ends(ends: &[f64], inside: Place) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by(|&a, &b| ends[a].total_cmp(&ends[b]).then(a.cmp(&b)));
    let mut heights = ends.to_vec();
    let mut least = inside.y;
    for &i in &order {
        heights[i] = heights[i].max(least);
        least = heights[i] + NAME;
    }
    // Names pushed out below move those above them.
    let mut most = inside.bottom();
    for &i in order.iter().rev() {
        heights[i] = heights[i].min(most);
        most = heights[i] - NAME;
    }
    heights
}

// Series of plotters on our canvas. plotters counts in whole pixels, as a screen has them. Its backend here counts in tenths of a pixel, as
// our files do. The canvas itself draws hatches, dashes and sloped text, which plotters lacks.

/// Units of the backend in a pixel.
const UNITS: f64 = 10.0;

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// The canvas as a backend of plotters.
pub(super) struct Tenths<'c>(&'c mut Canvas);

/// A panel whose points are values.
pub(super) struct Series<'c>(DrawingArea<Tenths<'c>, Cartesian2d<RangedCoordf64, RangedCoordf64>>);

#[allow(clippy::cast_possible_truncation, reason = "a picture is some thousands of pixels wide")]
fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

fn pixels((x, y): BackendCoord) -> At {
    (f64::from(x) / UNITS, f64::from(y) / UNITS)
}

fn colour(of: BackendColor) -> Colour {
    Colour(of.rgb.0, of.rgb.1, of.rgb.2)
}

fn stroke<S: BackendStyle>(style: &S) -> Stroke {
    Stroke::new(colour(style.color()), f64::from(style.stroke_width()) / UNITS)
}

impl DrawingBackend for Tenths<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (units(self.0.width).unsigned_abs(), units(SIZE.1).unsigned_abs())
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, of: BackendColor) -> Drawn {
        let (x, y) = pixels(point);
        self.0.filled(Place::new(x, y, 1.0 / UNITS, 1.0 / UNITS), colour(of));
        Ok(())
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.0.line(pixels(from), pixels(to), stroke(style));
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<At> = path.into_iter().map(pixels).collect();
        self.0.path(&points, stroke(style));
        Ok(())
    }
}

impl Panel {
    /// A plotters drawing area on this panel.
    pub(super) fn series<'c>(&self, canvas: &'c mut Canvas) -> Series<'c> {
        let place = self.place;
        let across = units(place.x)..units(place.right());
        let up = units(place.bottom())..units(place.y);
        let scales = Cartesian2d::new(self.x.range(), self.y.range(), (across, up));
        Series(Tenths(canvas).into_drawing_area().apply_coord_spec(scales))
    }
}

impl Series<'_> {
    /// Straight lines from value to value.
    pub(super) fn path(&self, points: &[(f64, f64)], stroke: Stroke) {
        let style = Color::stroke_width(&style(stroke.colour), units(stroke.width).unsigned_abs());
        // The canvas cannot fail.
        let _ = self.0.draw(&PathElement::new(points.to_vec(), style));
    }
}

fn style(colour: Colour) -> RGBColor {
    RGBColor(colour.0, colour.1, colour.2)
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
