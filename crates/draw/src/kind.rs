//! What stands beside what: models, null models, and the measurement itself; each looks alike in all plots of errors.

use plotters::style::RGBColor;

use super::canvas::Canvas;
use super::ink::{Font, SMALL, Stroke};
use super::legend::{self, LEGEND};
use super::palette::{NULL_MODELS, TEXT, line_colour};
use super::place::Place;
use super::scatter::draw_mark;
use super::style::HEADING;

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
    pub(super) fn colour(self) -> RGBColor {
        match self {
            Self::Model(i) => line_colour(i),
            Self::Null(i) => NULL_MODELS[i % NULL_MODELS.len()],
            Self::Again => TEXT,
        }
    }

    /// A curve of it: those of null models are thin and dashed.
    pub(super) fn stroke(self) -> Stroke {
        match self {
            Self::Null(_) => Stroke { dashes: &[4, 3], ..Stroke::new(self.colour(), 1.1) },
            Self::Model(_) | Self::Again => Stroke::new(self.colour(), 1.6),
        }
    }

    /// A single value of it.
    pub(super) fn draw_mark(self, canvas: &mut Canvas, (x, y): (f64, f64)) {
        let hollow = Stroke::new(self.colour(), 1.4);
        match self {
            Self::Model(i) => draw_mark(canvas, i, (x, y)),
            Self::Again => canvas.rect(Place::new(x - 1.5, y - 4.5, 3.0, 9.0), 0.0, Some(TEXT), None),
            Self::Null(i) => match i % 3 {
                0 => canvas.circle(x, y, 3.6, None, Some(hollow)),
                1 => canvas.rect(Place::new(x - 3.3, y - 3.3, 6.6, 6.6), 0.0, None, Some(hollow)),
                _ => canvas.polygon(
                    &[(x, y - 4.5), (x + 4.2, y + 3.2), (x - 4.2, y + 3.2)],
                    None,
                    Some(hollow),
                ),
            },
        }
    }
}

/// A legend below the heading: each name with what `draw` draws in the middle of its patch. The height that it takes.
pub(super) fn draw_legend<'n>(
    canvas: &mut Canvas,
    names: impl Iterator<Item = &'n str> + Clone,
    width: f64,
    mut draw: impl FnMut(&mut Canvas, usize, (f64, f64)),
) -> f64 {
    let rows = legend::rows(names.clone(), width);
    let names: Vec<&str> = names.collect();
    for (row, entries) in rows.iter().enumerate() {
        let y = f64::from(HEADING) + 2.0 + LEGEND * row as f64;
        for &(i, x) in entries {
            draw(canvas, i, (x + 9.0, y));
            canvas.text(x + 24.0, y, &legend::name(names[i]), Font::new(SMALL));
        }
    }
    LEGEND * rows.len() as f64
}
