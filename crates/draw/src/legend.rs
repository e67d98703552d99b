//! Names next to their signs, in the required number of rows; and the selection of things that get a name.

use crate::canvas::{At, Canvas, Font, MARGIN, Place, SMALL, Stroke};
use crate::metrics;
use crate::palette::{Colour, FAINT_TEXT, NULL_MODELS, TEXT, fill_colour, line_colour};
use crate::scale::largest;

/// Height of a row.
const ROW: f64 = 20.0;
/// Space before a name.
const BEFORE: f64 = 24.0;
/// Space after it.
const BEHIND: f64 = 22.0;
/// Space before a name on the right of a panel.
const BESIDE: f64 = 44.0;
/// Maximum width of user-defined names: three in a row.
const WIDEST: f64 = 230.0;

/// Draws the sign before a name; its middle is at the given pixel.
type Sign<'a> = Box<dyn Fn(&mut Canvas, At) + 'a>;

/// Names with signs.
pub(super) struct Legend<'a> {
    entries: Vec<(String, Option<Sign<'a>>)>,
    font: Font,
}

/// Words without a sign, and names after others.
pub(super) const FAINT: Font = Font::new(SMALL).colour(FAINT_TEXT);

impl<'a> Legend<'a> {
    pub(super) const fn new(font: Font) -> Self {
        Self { entries: Vec::new(), font }
    }

    /// A name after the drawing of `sign`, in a room of 18 pixels.
    pub(super) fn sign(&mut self, name: impl Into<String>, sign: impl Fn(&mut Canvas, At) + 'a) {
        self.entries.push((name.into(), Some(Box::new(sign))));
    }

    /// A series of values, with its name shortened to the room.
    pub(super) fn series(&mut self, series: &Named, sign: impl Fn(&mut Canvas, At) + 'a) {
        self.sign(short(&series.name), sign);
    }

    /// A name after a patch of its colour; those of instances differ at their end.
    pub(super) fn patch(&mut self, name: &str, colour: Colour) {
        self.sign(short(name), move |canvas, at| canvas.filled(patch(at), colour));
    }

    /// A name after a line.
    pub(super) fn line(&mut self, name: &str, stroke: Stroke) {
        self.sign(short(name), move |canvas, at| canvas.line((at.0 - 9.0, at.1), (at.0 + 9.0, at.1), stroke));
    }

    /// Words without a sign.
    pub(super) fn words(&mut self, words: &str) {
        self.entries.push((words.to_owned(), None));
    }

    /// Number, row and left end of each entry.
    fn places(&self, width: f64) -> Vec<(usize, f64)> {
        let (mut row, mut x) = (0, f64::INFINITY);
        let place = |(text, _): &(String, Option<Sign<'a>>)| {
            let room = BEFORE + metrics::width(text, SMALL) + BEHIND;
            if x + room > width - MARGIN {
                (row, x) = (row + 1, MARGIN);
            }
            x += room;
            (row, x - room)
        };
        self.entries.iter().map(place).collect()
    }

    /// Its height in a picture of a width.
    pub(super) fn height(&self, width: f64) -> f64 {
        ROW * self.places(width).last().map_or(0, |(row, _)| *row) as f64
    }

    /// Draws it with the middle of its first row at `top`; returns its height.
    pub(super) fn draw(&self, canvas: &mut Canvas, top: f64) -> f64 {
        for ((text, sign), (row, x)) in self.entries.iter().zip(self.places(canvas.width)) {
            let y = top + ROW * (row as f64 - 1.0);
            match sign {
                Some(sign) => {
                    sign(canvas, (x + 9.0, y));
                    canvas.text(x + BEFORE, y, text, self.font);
                }
                None => canvas.text(x, y, text, FAINT),
            }
        }
        self.height(canvas.width)
    }

    /// Its width on the right of a panel, one entry below the other.
    pub(super) fn width_beside(&self) -> f64 {
        BESIDE + largest(self.entries.iter().map(|(text, _)| metrics::width(text, SMALL)))
    }

    /// Draws each entry at a separate height.
    pub(super) fn draw_at(&self, canvas: &mut Canvas, left: f64, heights: &[f64]) {
        for ((text, sign), &y) in self.entries.iter().zip(heights) {
            if let Some(sign) = sign {
                sign(canvas, (left + 23.0, y));
            }
            canvas.text(left + BESIDE, y, text, self.font);
        }
    }

    /// Draws the entries below each other; returns the place of the next one.
    pub(super) fn draw_beside(&self, canvas: &mut Canvas, (left, top): At) -> f64 {
        let mut y = top;
        for (text, sign) in &self.entries {
            if let Some(sign) = sign {
                sign(canvas, (left + 23.0, y));
            }
            canvas.text(left + BESIDE, y, text, self.font);
            y += 24.0;
        }
        y
    }
}

/// Dashes distinguish lines without their colours.
const DASHES: [&[u8]; 5] = [&[], &[10, 4], &[10, 4, 2, 4], &[5, 4], &[2, 4]];

/// The i-th line of a plot: lines differ in colour and in dashes.
pub(super) fn line_stroke(i: usize, width: f64) -> Stroke {
    Stroke::new(line_colour(i), width).dashed(DASHES[i % DASHES.len()])
}

/// A patch of colour around a pixel.
pub(super) fn patch(at: At) -> Place {
    Place::around(at, 18.0, 12.0)
}

/// A user-defined name, shortened to the room.
pub(super) fn short(name: &str) -> String {
    metrics::cut_in_the_middle(name, SMALL, WIDEST)
}

/// The colour of all others.
const OTHERS: Colour = Colour(150, 150, 150);
/// Maximum number of things with a separate colour.
const MOST: usize = 8;

/// Maps the things of a picture to those that are drawn.
pub(super) struct Shown {
    /// The names in the legend.
    pub(super) names: Vec<String>,
    /// For each thing: the drawn one that includes it.
    pub(super) part_of: Vec<usize>,
    /// Whether the last one represents all the others.
    has_others: bool,
}

impl Shown {
    /// The largest, in the order of `names`, and after them the others.
    pub(super) fn largest(names: &[String], sizes: impl FnOnce() -> Vec<f64>) -> Self {
        if names.len() <= MOST {
            return Self { names: names.to_vec(), part_of: (0..names.len()).collect(), has_others: false };
        }
        let mut by_size: Vec<(usize, f64)> = sizes().into_iter().enumerate().collect();
        by_size.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let own = MOST - 1;
        let mut largest: Vec<usize> = by_size.iter().take(own).map(|&(number, _)| number).collect();
        largest.sort_unstable();
        let mut shown: Vec<String> =
            largest.iter().filter_map(|&number| names.get(number).cloned()).collect();
        shown.push(format!("{} others", names.len() - own));
        let part_of = (0..names.len()).map(|number| largest.binary_search(&number).unwrap_or(own)).collect();
        Self { names: shown, part_of, has_others: true }
    }

    /// The colour of one that is drawn.
    pub(super) fn colour(&self, number: usize) -> Colour {
        if self.has_others && number + 1 == self.names.len() { OTHERS } else { fill_colour(number) }
    }

    /// A legend of those that are drawn, then the `rest`.
    pub(super) fn legend(&self, rest: &[(&str, Colour)]) -> Legend<'static> {
        let mut legend = Legend::new(Font::new(SMALL));
        for (i, name) in self.names.iter().enumerate() {
            legend.patch(name, self.colour(i));
        }
        for &(name, colour) in rest {
            legend.patch(name, colour);
        }
        legend
    }
}

// The series of a comparison: models, null models, and the measurement itself; each has the same style in all plots of errors.

/// The kind of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A model, with the number of its colour: the same model has the same one in all plots of a page.
    Model(usize),
    /// A null model, grey, with the number of its mark.
    Null(usize),
    /// The repeated measurement.
    Again,
}

/// A named series of a plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// In the legend.
    pub name: String,
    /// Its style.
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
            Self::Null(i) => {
                let corners: &[At] = match i % 4 {
                    0 => return canvas.circle(at, 3.6, None, Some(hollow)),
                    1 => return canvas.border(Place::around(at, 6.6, 6.6), hollow),
                    2 => &[(0.0, -4.5), (4.2, 3.2), (-4.2, 3.2)],
                    _ => &[(0.0, -4.5), (4.5, 0.0), (0.0, 4.5), (-4.5, 0.0)],
                };
                canvas.polygon(&moved(at, corners), None, Some(hollow));
            }
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

/// The sign of the i-th thing that is compared with a series, in the colours after that of the first series: a cross, then open shapes, so
/// that each is visible if several overlap.
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
