//! What stands beside what: models, null models, and the measurement itself; each looks alike in all plots of errors.

use super::canvas::{At, Canvas, Place, Stroke};
use super::palette::{Colour, NULL_MODELS, TEXT, line_colour};

/// What a series is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A model, with the number of its colour: the same model has the same one in all plots of a page.
    Model(usize),
    /// A null model, grey, with the number of its mark.
    Null(usize),
    /// The measurement, made again.
    Again,
}

/// A named series of a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// In the legend.
    pub name: String,
    /// How it looks.
    pub kind: Kind,
}

impl Kind {
    pub(super) fn colour(self) -> Colour {
        match self {
            Self::Model(i) => line_colour(i),
            Self::Null(i) => NULL_MODELS[i % NULL_MODELS.len()],
            Self::Again => TEXT,
        }
    }

    /// A curve of it: those of null models are thin and dashed.
    pub(super) fn stroke(self) -> Stroke {
        match self {
            Self::Null(_) => Stroke::new(self.colour(), 1.1).dashed(&[4, 3]),
            Self::Model(_) | Self::Again => Stroke::new(self.colour(), 1.6),
        }
    }

    /// A single value of it.
    pub(super) fn draw_mark(self, canvas: &mut Canvas, at: At) {
        let hollow = Stroke::new(self.colour(), 1.4);
        match self {
            Self::Model(i) => draw_mark(canvas, i, at),
            Self::Again => canvas.filled(Place::around(at, 3.0, 9.0), TEXT),
            Self::Null(i) => match i % 3 {
                0 => canvas.circle(at, 3.6, None, Some(hollow)),
                1 => canvas.border(Place::around(at, 6.6, 6.6), hollow),
                _ => canvas.polygon(&moved(at, &[(0.0, -4.5), (4.2, 3.2), (-4.2, 3.2)]), None, Some(hollow)),
            },
        }
    }
}

/// The corners of a sign around a pixel.
fn moved((x, y): At, corners: &[At]) -> Vec<At> {
    corners.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
}

/// A value of a series of points: series differ in colour and shape.
pub(super) fn draw_mark(canvas: &mut Canvas, series: usize, at: At) {
    let colour = line_colour(series);
    let stroke = Stroke::new(colour, 2.0);
    match series % 5 {
        0 => canvas.circle(at, 4.0, Some(colour), None),
        1 => canvas.polygon(&moved(at, &[(0.0, -6.0), (5.2, 3.0), (-5.2, 3.0)]), Some(colour), None),
        2 => canvas.border(Place::around(at, 8.0, 8.0), stroke),
        3 => {
            let corners = [(0.0, -6.0), (6.0, 0.0), (0.0, 6.0), (-6.0, 0.0)];
            canvas.polygon(&moved(at, &corners), Some(colour), None);
        }
        _ => draw_cross(canvas, at, 4.0, stroke),
    }
}

/// The sign of the i-th thing that is compared with a series, in the colours behind that of the first series: a cross, then open
/// shapes, so that each is seen where several lie upon each other.
pub(super) fn draw_open_mark(canvas: &mut Canvas, i: usize, at: At, size: f64) {
    let stroke = Stroke::new(line_colour(1 + i % 5), 2.0);
    let half = size / 2.0;
    let corners: &[At] = match i % 5 {
        0 => return draw_cross(canvas, at, size, stroke),
        1 => &[(0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0)],
        2 => &[(-size, -size), (size, -size), (size, size), (-size, size)],
        3 => &[(0.0, -size), (size, size), (-size, size)],
        _ => &[(-size, -half), (size, -half), (0.0, size)],
    };
    canvas.polygon(&moved(at, corners), None, Some(stroke));
}

fn draw_cross(canvas: &mut Canvas, (x, y): At, size: f64, stroke: Stroke) {
    canvas.line((x - size, y - size), (x + size, y + size), stroke);
    canvas.line((x - size, y + size), (x + size, y - size), stroke);
}
