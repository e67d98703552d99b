//! The names of bands and lines, in rows above them.

use super::super::canvas::Canvas;
use super::super::ink::{Font, SMALL, Stroke};
use super::super::metrics;
use super::super::palette::{FAINT_LINE, FAINT_TEXT, fill_colour, line_colour};
use super::super::place::Place;
use super::super::style::{HEADING, MARGIN};
use super::Below;
use super::bands::{Bands, OTHERS};

/// Stands behind the names of the lines below.
pub(super) const THICK_AND_THIN: &str = "thick: mean, thin: most";
/// Height of a row.
pub(super) const LEGEND: f64 = 20.0;
/// Widest name: three in a row.
const WIDEST: f64 = 230.0;

/// A name as it is drawn; those of instances differ at their end.
fn name(text: &str) -> String {
    metrics::cut_in_the_middle(text, SMALL, WIDEST)
}

/// Names in rows: each with its distance from the left.
pub(super) fn rows<'a>(names: impl Iterator<Item = &'a str>, width: f64) -> Vec<Vec<(usize, f64)>> {
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut x = f64::INFINITY;
    for (i, text) in names.enumerate() {
        let room = 24.0 + metrics::width(&name(text), SMALL) + 22.0;
        if x + room > width - f64::from(MARGIN) {
            rows.push(Vec::new());
            x = f64::from(MARGIN);
        }
        if let Some(row) = rows.last_mut() {
            row.push((i, x));
        }
        x += room;
    }
    rows
}

/// The names of the bands.
pub(super) fn draw(canvas: &mut Canvas, bands: &Bands, rows: &[Vec<(usize, f64)>]) {
    let colour = |band: usize| match band + 1 {
        after if after > bands.names.len() => FAINT_LINE,
        after if after == bands.names.len() && bands.has_others => OTHERS,
        _ => fill_colour(band),
    };
    for (row, entries) in rows.iter().enumerate() {
        let y = f64::from(HEADING) + 2.0 + LEGEND * row as f64;
        for &(band, x) in entries {
            let text = bands.names.get(band).map_or("not used", String::as_str);
            canvas.rect(Place::new(x, y - 6.0, 18.0, 12.0), 0.0, Some(colour(band)), None);
            canvas.text(x + 24.0, y, &name(text), Font::new(SMALL));
        }
    }
}

/// The names of the lines below.
pub(super) fn draw_below(canvas: &mut Canvas, lines: &[Below], rows: &[Vec<(usize, f64)>], top: f64) {
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
