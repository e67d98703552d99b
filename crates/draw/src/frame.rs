//! Two axes and the box between them, for plots that are drawn shape by shape.

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::metrics;
use super::palette::{FAINT_LINE, TEXT};
use super::place::Place;
use super::style::MARGIN;

/// Below the box: labels and title of the horizontal axis.
pub(super) const BELOW: f64 = 60.0;

/// From positions on both axes to pixels.
pub(super) struct Frame {
    pub(super) x: Coordinate,
    pub(super) y: Coordinate,
    pub(super) place: Place,
}

impl Frame {
    /// Pixels left of the box for the labels and the title of the vertical axis.
    pub(super) fn left(y: &Coordinate) -> f64 {
        let labels = y.labels().map(|label| metrics::width(label, SMALL)).fold(0.0, f64::max);
        f64::from(MARGIN) + 26.0 + labels + 8.0
    }

    /// The pixel of two positions.
    pub(super) fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let across = self.place.x + self.place.width * self.x.share(x);
        (across, self.place.bottom() - self.place.height * self.y.share(y))
    }

    /// Draws both axes with a line at each tick, and their titles: to the right, upwards.
    pub(super) fn draw(&self, canvas: &mut Canvas, titles: [&str; 2]) {
        let Place { x: left, y: top, .. } = self.place;
        let (right, bottom) = (self.place.right(), self.place.bottom());
        let mut last = f64::NEG_INFINITY;
        for (at, label) in self.x.ticks() {
            let x = left + self.place.width * self.x.share(at);
            canvas.line((x, top), (x, bottom), Stroke::new(FAINT_LINE, 1.0));
            let half = metrics::width(label, SMALL) / 2.0;
            if x - half > last + 6.0 {
                canvas.text(x, bottom + 14.0, label, Font::new(SMALL).anchor(Anchor::Middle));
                last = x + half;
            }
        }
        for (at, label) in self.y.ticks() {
            let y = bottom - self.place.height * self.y.share(at);
            canvas.line((left, y), (right, y), Stroke::new(FAINT_LINE, 1.0));
            canvas.text(left - 6.0, y, label, Font::new(SMALL).anchor(Anchor::End));
        }
        canvas.line((left, bottom), (right, bottom), Stroke::new(TEXT, 1.0));
        canvas.line((left, top), (left, bottom), Stroke::new(TEXT, 1.0));
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(left, right), bottom + 38.0, titles[0], title);
        let x = f64::from(MARGIN) + 8.0;
        canvas.text(x, f64::midpoint(top, bottom), titles[1], title.turned(-90.0));
    }
}
