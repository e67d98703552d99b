//! What is drawn of predicted over measured, and the marks.

use crate::canvas::Canvas;
use crate::heading::Heading;
use crate::ink::Stroke;
use crate::palette::line_colour;
use crate::place::Place;

/// A measurement and what the model says.
#[derive(Clone, Debug)]
pub struct Point {
    /// What the legend or a label calls it.
    pub name: String,
    /// In the unit of the plot.
    pub measured: f64,
    /// In the unit of the plot.
    pub predicted: f64,
    /// Both ends of the interval of the prediction, where it has one.
    pub interval: Option<[f64; 2]>,
}

/// Points with the same mark.
#[derive(Clone, Debug)]
pub struct Series {
    /// What the legend or a label calls it.
    pub name: String,
    /// In any order.
    pub points: Vec<Point>,
}

/// Predicted over measured.
#[derive(Clone, Debug)]
pub struct ScatterPlot {
    /// Above the picture.
    pub heading: Heading,
    /// The unit of both axes.
    pub unit: String,
    /// In the order of the legend.
    pub series: Vec<Series>,
}

/// A point that can be drawn, with the number of its series.
pub(super) struct Shown<'a> {
    pub(super) series: usize,
    pub(super) point: &'a Point,
}

impl Shown<'_> {
    pub(super) fn error(&self) -> f64 {
        (self.point.predicted - self.point.measured) / self.point.measured
    }
}

/// A line from one end of an interval to the other, behind the mark.
pub(super) fn draw_interval(canvas: &mut Canvas, series: usize, low: (f64, f64), high: (f64, f64)) {
    let stroke = Stroke::new(line_colour(series), 1.0);
    canvas.line(low, high, stroke);
    for (x, y) in [low, high] {
        canvas.line((x - 3.0, y), (x + 3.0, y), stroke);
    }
}

/// Series differ in colour and shape.
pub(crate) fn draw_mark(canvas: &mut Canvas, series: usize, (x, y): (f64, f64)) {
    let colour = line_colour(series);
    let stroke = Stroke::new(colour, 2.0);
    match series % 5 {
        0 => canvas.circle(x, y, 4.0, Some(colour), None),
        1 => canvas.polygon(&[(x, y - 6.0), (x + 5.2, y + 3.0), (x - 5.2, y + 3.0)], Some(colour), None),
        2 => canvas.rect(Place::new(x - 4.0, y - 4.0, 8.0, 8.0), 0.0, None, Some(stroke)),
        3 => {
            let corners = [(x, y - 6.0), (x + 6.0, y), (x, y + 6.0), (x - 6.0, y)];
            canvas.polygon(&corners, Some(colour), None);
        }
        _ => {
            canvas.line((x - 4.0, y - 4.0), (x + 4.0, y + 4.0), stroke);
            canvas.line((x - 4.0, y + 4.0), (x + 4.0, y - 4.0), stroke);
        }
    }
}
