//! The table below.

use super::super::canvas::Canvas;
use super::super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::super::metrics;
use super::super::palette::{FAINT_LINE, FAINT_TEXT};
use super::super::style::{MARGIN, SIZE};
use super::TimelinePlot;
use super::layout::TABLE_ROW;

/// Columns of text; the others are numbers.
const TEXTS: usize = 2;
/// Widest column of text.
const WIDEST: f64 = 220.0;
const GAP: f64 = 22.0;

pub(super) fn draw(canvas: &mut Canvas, plot: &TimelinePlot, top: f64) {
    let Some((titles, rows)) = plot.table.split_first() else { return };
    let left = f64::from(MARGIN);
    let most = f64::from(SIZE.0) - 2.0 * left;
    let title = metrics::cut(&plot.table_title, MEDIUM, most);
    canvas.text(left, top, &title, Font::new(MEDIUM));
    let text = |cell: &str| metrics::cut_in_the_middle(cell, SMALL, WIDEST);
    let width = |column: usize| {
        let cells = plot.table.iter().filter_map(|row| row.get(column));
        cells.map(|cell| metrics::width(&text(cell), SMALL)).fold(0.0, f64::max)
    };
    // Text begins where its column does, numbers end where it ends.
    let mut x = left;
    let mut places = Vec::new();
    for column in 0..titles.len() {
        places.push(if column < TEXTS { x } else { x + width(column) });
        x += width(column) + GAP;
    }
    let end = x - GAP;
    for (row, cells) in plot.table.iter().enumerate() {
        let y = top + TABLE_ROW * (row as f64 + 1.2);
        for (column, (cell, &x)) in cells.iter().zip(&places).enumerate() {
            let font = Font::new(SMALL);
            let font = if row == 0 { font.colour(FAINT_TEXT) } else { font };
            let font = if column < TEXTS { font } else { font.anchor(Anchor::End) };
            canvas.text(x, y, &text(cell), font);
        }
        if row < rows.len() {
            let below = y + TABLE_ROW / 2.0;
            canvas.line((left, below), (end, below), Stroke::new(FAINT_LINE, 1.0));
        }
    }
}
