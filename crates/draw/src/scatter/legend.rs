//! What stands beside the points: the series, equality and its band, the largest errors.

use super::points::{ScatterPlot, Shown, draw_mark};
use crate::canvas::Canvas;
use crate::ink::{Font, SMALL, Stroke};
use crate::metrics;
use crate::palette::{BAND, FAINT_TEXT, TEXT};
use crate::place::Place;
use crate::style::HEADING;

/// The widest text.
const WIDEST: f64 = 240.0;
/// Before the names of series and before those of points.
const BEFORE: f64 = 44.0;
const BEFORE_NAME: f64 = 24.0;
const EQUAL: &str = "measured = predicted";
const WITHIN: &str = "within 5 %";

/// As wide as its texts need.
pub(super) struct Legend {
    series: Vec<String>,
    names: Vec<String>,
}

impl Legend {
    pub(super) fn of(plot: &ScatterPlot, worst: &[&Shown<'_>]) -> Self {
        let cut = |text: &str| metrics::cut(text, SMALL, WIDEST);
        let series = if plot.series.len() > 1 { &plot.series[..] } else { &[] };
        Self {
            series: series.iter().map(|one| cut(&one.name)).collect(),
            names: worst.iter().map(|one| cut(&one.point.name)).collect(),
        }
    }

    /// With the space to its left.
    pub(super) fn width(&self) -> f64 {
        let wide = |text: &str| metrics::width(text, SMALL);
        let series = self.series.iter().map(|text| BEFORE + wide(text));
        let names = self.names.iter().map(|text| BEFORE_NAME + wide(text));
        12.0 + series.chain(names).fold(BEFORE + wide(EQUAL), f64::max)
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, worst: &[&Shown<'_>], left: f64) {
        let faint = Font::new(SMALL).colour(FAINT_TEXT);
        let mut y = f64::from(HEADING) + 12.0;
        for (i, name) in self.series.iter().enumerate() {
            draw_mark(canvas, i, (left + 23.0, y));
            canvas.text(left + BEFORE, y, name, Font::new(SMALL));
            y += 24.0;
        }
        if !self.series.is_empty() {
            y += 6.0;
        }
        canvas.line((left + 10.0, y), (left + 36.0, y), Stroke::new(TEXT, 1.0));
        canvas.text(left + BEFORE, y, EQUAL, faint);
        y += 24.0;
        canvas.rect(Place::new(left + 10.0, y - 7.0, 26.0, 14.0), 0.0, Some(BAND), None);
        canvas.text(left + BEFORE, y, WITHIN, faint);
        y += 34.0;
        for (i, (one, name)) in worst.iter().zip(&self.names).enumerate() {
            let title = format!("{}  {:+.1} %", i + 1, 100.0 * one.error());
            canvas.text(left + 10.0, y, &title, Font::new(SMALL));
            canvas.text(left + BEFORE_NAME, y + 18.0, name, faint);
            y += 42.0;
        }
    }
}
