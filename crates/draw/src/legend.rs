//! Names beside patches of their colours, in as many rows as they need.

use plotters::style::RGBColor;

use super::canvas::Canvas;
use super::ink::{Font, SMALL};
use super::metrics;
use super::place::Place;
use super::style::{HEADING, MARGIN};

/// Height of a row.
pub(super) const LEGEND: f64 = 20.0;
/// Widest name: three in a row.
const WIDEST: f64 = 230.0;

/// A name as it is drawn; those of instances differ at their end.
pub(super) fn name(text: &str) -> String {
    metrics::cut_in_the_middle(text, SMALL, WIDEST)
}

/// Names in rows: each with its number and its distance from the left.
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

/// The rows below the heading.
pub(super) fn draw(canvas: &mut Canvas, names: &[&str], colours: &[RGBColor], rows: &[Vec<(usize, f64)>]) {
    for (row, entries) in rows.iter().enumerate() {
        let y = f64::from(HEADING) + 2.0 + LEGEND * row as f64;
        for &(i, x) in entries {
            let (Some(text), Some(&colour)) = (names.get(i), colours.get(i)) else { continue };
            canvas.rect(Place::new(x, y - 6.0, 18.0, 12.0), 0.0, Some(colour), None);
            canvas.text(x + 24.0, y, &name(text), Font::new(SMALL));
        }
    }
}
