//! The names of the lines below, in rows above them.

use super::super::canvas::Canvas;
use super::super::ink::{Font, SMALL, Stroke};
use super::super::legend::{LEGEND, name};
use super::super::palette::{FAINT_TEXT, line_colour};
use super::Below;

/// Stands behind the names of the lines below.
pub(super) const THICK_AND_THIN: &str = "thick: mean, thin: most";

/// The names of the lines below.
pub(super) fn draw(canvas: &mut Canvas, lines: &[Below], rows: &[Vec<(usize, f64)>], top: f64) {
    for (row, entries) in rows.iter().enumerate() {
        let y = top + LEGEND * row as f64;
        for &(line, x) in entries {
            let font = Font::new(SMALL).colour(FAINT_TEXT);
            let Some(below) = lines.get(line) else {
                canvas.text(x, y, THICK_AND_THIN, font);
                continue;
            };
            canvas.line((x, y), (x + 18.0, y), Stroke::new(line_colour(line), 2.0));
            canvas.text(x + 24.0, y, &name(&below.name), font);
        }
    }
}
