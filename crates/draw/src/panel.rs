//! A panel: two scales and the box between them, with its axes. A plot is one panel or several in rows and columns; its marks are
//! drawn on the [`Canvas`] at the pixels of their values.

use super::canvas::{At, Canvas, Font, MARGIN, MEDIUM, Place, SIZE, SMALL, Stroke, THIN};
use super::metrics;
use super::palette::FAINT_LINE;
use super::scale::Coordinate;

/// Below a panel: labels and title of the horizontal axis.
pub(super) const BELOW: f64 = 60.0;
/// Between two labels of an axis.
const APART: f64 = 8.0;
/// Height of a line in the title of an axis, and the maximum number of lines.
const TITLE_LINE: f64 = 17.0;
const TITLE_LINES: usize = 4;
/// Height of a line in the name of a slot.
const NAME_LINE: f64 = 15.0;

/// Two scales and the box between them.
pub(super) struct Panel {
    pub(super) x: Coordinate,
    pub(super) y: Coordinate,
    pub(super) place: Place,
}

/// The lines at the ticks of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lines {
    No,
    /// Through the panel.
    Grid,
    /// Outside the panel, with this length.
    Outside(f64),
}

/// Pixels left of a panel for the labels and the title of its vertical axis.
pub(super) fn left_of(y: &Coordinate) -> f64 {
    MARGIN + 26.0 + y.label_width(SMALL) + 8.0
}

/// The title of an axis in lines of at most this width in pixels.
fn title_lines(title: &str, most: f64) -> Vec<String> {
    metrics::wrapped(title, MEDIUM, most, TITLE_LINES)
}

impl Panel {
    /// The only panel of a picture: between these edges, with room for both axes and their titles, to the right and upwards.
    pub(super) fn framed(
        (x, y): (Coordinate, Coordinate),
        titles: [&str; 2],
        (top, right, bottom): (f64, f64, f64),
    ) -> Self {
        let more =
            |title: &str, room: f64| TITLE_LINE * title_lines(title, room).len().saturating_sub(1) as f64;
        // The remaining room is not known yet: no more than the final one.
        let left =
            left_of(&y) + more(titles[1], bottom - top - BELOW - (TITLE_LINES - 1) as f64 * TITLE_LINE);
        let height = bottom - BELOW - more(titles[0], right - left) - top;
        Self { x, y, place: Place::new(left, top, right - left, height) }
    }

    pub(super) fn across(&self, value: f64) -> f64 {
        self.place.x + self.place.width * self.x.share(value)
    }

    pub(super) fn up(&self, value: f64) -> f64 {
        self.place.bottom() - self.place.height * self.y.share(value)
    }

    /// The pixel of two values.
    pub(super) fn at(&self, (x, y): (f64, f64)) -> At {
        (self.across(x), self.up(y))
    }

    /// The box between two values on each scale.
    pub(super) fn cell(&self, x: [f64; 2], y: [f64; 2]) -> Place {
        Place::between(self.at((x[0], y[0])), self.at((x[1], y[1])))
    }

    /// Ticks of the horizontal axis, with their labels at this distance below.
    pub(super) fn ticks_below(&self, canvas: &mut Canvas, lines: Lines, (letters, away): (f64, f64)) {
        let (top, bottom) = (self.place.y, self.place.bottom());
        let mut last = f64::NEG_INFINITY;
        for (value, label) in self.x.ticks() {
            let x = self.across(value);
            match lines {
                Lines::No => {}
                Lines::Grid => canvas.line((x, top), (x, bottom), Stroke::new(FAINT_LINE, 1.0)),
                Lines::Outside(long) => canvas.line((x, bottom), (x, bottom + long), THIN),
            }
            let half = metrics::width(label, letters) / 2.0;
            if x - half > last + APART {
                canvas.text(x, bottom + away, label, Font::middle(letters));
                last = x + half;
            }
        }
    }

    /// Ticks of the vertical axis, with their labels at this distance; only the lines without labels.
    pub(super) fn ticks_left(&self, canvas: &mut Canvas, lines: Lines, labels: Option<(f64, f64)>) {
        let (left, right) = (self.place.x, self.place.right());
        let mut last = f64::INFINITY;
        for (value, label) in self.y.ticks() {
            let y = self.up(value);
            match lines {
                Lines::No => {}
                Lines::Grid => canvas.line((left, y), (right, y), Stroke::new(FAINT_LINE, 1.0)),
                Lines::Outside(long) => canvas.line((left - long, y), (left, y), THIN),
            }
            if let Some((letters, away)) = labels.filter(|(letters, _)| last - y > letters + 3.0) {
                canvas.text(left - away, y, label, Font::end(letters));
                last = y;
            }
        }
    }

    /// The axes themselves: below and left.
    pub(super) fn edges(&self, canvas: &mut Canvas) {
        canvas.edges(self.place);
    }

    /// Ticks, axes and titles of the only panel of a picture: to the right, upwards.
    pub(super) fn axes(&self, canvas: &mut Canvas, [x, y]: [Lines; 2], titles: [&str; 2]) {
        self.ticks_below(canvas, x, (SMALL, 14.0));
        self.ticks_left(canvas, y, Some((SMALL, if matches!(y, Lines::Outside(_)) { 8.0 } else { 6.0 })));
        self.edges(canvas);
        for (line, text) in title_lines(titles[0], self.place.width).iter().enumerate() {
            canvas.title_across(self.place, self.place.bottom() + 38.0 + TITLE_LINE * line as f64, text);
        }
        for (line, text) in title_lines(titles[1], self.place.height).iter().enumerate() {
            canvas.title_up(self.place, MARGIN + 8.0 + TITLE_LINE * line as f64, text);
        }
    }

    /// A time axis with its title.
    pub(super) fn time_axis(&self, canvas: &mut Canvas, title: &str) {
        self.ticks_below(canvas, Lines::Outside(4.0), (SMALL, 14.0));
        canvas.title_across(self.place, self.place.bottom() + 38.0, title);
    }
}

impl Canvas {
    /// The lower and the left edge of a box.
    pub(super) fn edges(&mut self, at: Place) {
        self.line((at.x, at.bottom()), (at.right(), at.bottom()), THIN);
        self.line((at.x, at.y), (at.x, at.bottom()), THIN);
    }

    /// The title of the horizontal axis of a box.
    pub(super) fn title_across(&mut self, at: Place, y: f64, title: &str) {
        self.text(f64::midpoint(at.x, at.right()), y, title, Font::middle(MEDIUM));
    }

    /// The title of the vertical axis of a box.
    pub(super) fn title_up(&mut self, at: Place, x: f64, title: &str) {
        self.text(x, f64::midpoint(at.y, at.bottom()), title, Font::middle(MEDIUM).turned(-90.0));
    }

    /// A line from one end of an interval to the other, with bars across its ends: `half` of them.
    pub(super) fn interval(&mut self, [from, to]: [At; 2], half: At, stroke: Stroke) {
        self.line(from, to, stroke);
        for (x, y) in [from, to] {
            self.line((x - half.0, y - half.1), (x + half.0, y + half.1), stroke);
        }
    }
}

/// Adjacent slots in a panel that is as wide as the picture, each with a name below it.
pub(super) struct Slots {
    pub(super) panel: Panel,
    pub(super) width: f64,
    names: Vec<Vec<String>>,
}

impl Slots {
    /// Up to three lines of each name, `apart` pixels from the next one.
    pub(super) fn new<'n>(
        y: Coordinate,
        names: impl ExactSizeIterator<Item = &'n str>,
        top: f64,
        apart: f64,
    ) -> Self {
        let count = names.len().max(1) as f64;
        let left = left_of(&y);
        let width = (SIZE.0 - MARGIN - left) / count;
        let names: Vec<Vec<String>> =
            names.map(|name| metrics::wrapped(name, SMALL, width - apart, 3)).collect();
        let lines = names.iter().map(Vec::len).max().unwrap_or(1);
        let bottom = SIZE.1 - 18.0 - NAME_LINE * lines as f64;
        let place = Place::new(left, top, SIZE.0 - MARGIN - left, bottom - top);
        Self { panel: Panel { x: Coordinate::bare(0.0..count), y, place }, width, names }
    }

    /// The vertical axis.
    pub(super) fn axis(&self, canvas: &mut Canvas, title: &str) {
        self.panel.ticks_left(canvas, Lines::Grid, Some((SMALL, 6.0)));
        canvas.title_up(self.panel.place, MARGIN + 8.0, title);
    }

    /// The name of a slot.
    pub(super) fn name(&self, canvas: &mut Canvas, slot: usize) {
        for (line, text) in self.names.get(slot).into_iter().flatten().enumerate() {
            let y = self.panel.place.bottom() + 14.0 + NAME_LINE * line as f64;
            canvas.text(self.panel.across(slot as f64 + 0.5), y, text, Font::middle(SMALL));
        }
    }
}

/// Small panels of one size in rows and columns, with one title for all axes in each direction.
pub(super) struct Facets {
    pub(super) left: f64,
    pub(super) top: f64,
    /// From the top of a row to its panels, and to the next row.
    pub(super) above: f64,
    pub(super) pitch: f64,
    /// Width and height of a panel, and from the left of one to the next.
    pub(super) size: (f64, f64),
    step: f64,
}

impl Facets {
    /// Columns that use the room next to labels of a width, `between` pixels apart.
    pub(super) fn new(
        labels: f64,
        (columns, between): (usize, f64),
        top: f64,
        (above, height, pitch): (f64, f64, f64),
    ) -> Self {
        let left = MARGIN + 22.0 + labels + 6.0;
        let step = (SIZE.0 - MARGIN - left + between) / columns.max(1) as f64;
        Self { left, top, above, pitch, size: (step - between, height), step }
    }

    pub(super) fn place(&self, row: usize, column: usize) -> Place {
        let (x, y) = (self.left + self.step * column as f64, self.row(row) + self.above);
        Place::new(x, y, self.size.0, self.size.1)
    }

    /// The top of a row, including the part above its panels.
    pub(super) fn row(&self, row: usize) -> f64 {
        self.top + self.pitch * row as f64
    }

    /// The titles of all axes: to the right, upwards; `top` and `bottom` are the ends of the latter.
    pub(super) fn titles(
        &self,
        canvas: &mut Canvas,
        titles: &[String; 2],
        y: f64,
        (top, bottom): (f64, f64),
    ) {
        let all = Place::new(self.left, top, SIZE.0 - MARGIN - self.left, bottom - top);
        canvas.title_across(all, y, &titles[0]);
        canvas.title_up(all, MARGIN + 6.0, &titles[1]);
    }
}
