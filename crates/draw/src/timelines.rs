//! Two timelines of the same things on one axis, one measured and one simulated: strips in pairs, the measured one above; lines that
//! only grow over each other; a table below.
//!
//! Cores and threads of applications, what lies between them, and how far they are. Values are means over slots of equal
//! length, each timeline with slots of its own; several become one where there are more than the picture has room for.

mod layout;
mod legend;
mod panels;
mod table;

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::palette::{FAINT_TEXT, TEXT};
use super::style::SIZE;
use layout::{BELOW, Layout, TABLE_ROW};

/// Most applications: more have no colour of their own.
pub const MOST_APPS: usize = 7;
/// Most rows of strips of each kind: more are too low to be seen.
pub const MOST_ROWS: usize = 8;
/// How the second timeline is drawn where both lie over each other.
const DASHES: &[u8] = &[5, 3];

/// One of the two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// What it is: `measured`.
    pub name: String,
    /// What came of it: `makespan 12.3 s`.
    pub outcome: String,
    /// When everything was finished, if it was.
    pub finished: Option<f64>,
    /// Length of a slot and of all of them, in the unit of the axis; the last slot may be shorter.
    pub slot: f64,
    /// See `slot`.
    pub end: f64,
    /// For each resource and each application: its share in each slot.
    pub shares: Vec<Vec<Vec<f64>>>,
    /// For each application: its threads at work in each slot.
    pub running: Vec<Vec<f64>>,
    /// For each application: its threads that may not work.
    pub blocked: Vec<Vec<f64>>,
    /// For each application that makes any: the items that lie there, on average and at most.
    pub items: Vec<Option<(Vec<f64>, Vec<f64>)>>,
    /// For each application: how far it is at the end of each slot.
    pub progress: Vec<Vec<f64>>,
    /// For each application: when it was told something.
    pub orders: Vec<Vec<f64>>,
}

/// Both, with what they have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelinePlot {
    /// Above the picture.
    pub heading: Heading,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// The applications, at most [`MOST_APPS`]; more are not drawn.
    pub names: Vec<String>,
    /// Threads of each application.
    pub threads: Vec<f64>,
    /// Name and size of each resource, at most [`MOST_ROWS`]; more are not drawn.
    pub resources: Vec<(String, f64)>,
    /// What the resources are: `cores`.
    pub resource_label: String,
    /// What progress is counted in.
    pub progress_label: String,
    /// Where its axis ends.
    pub progress_end: f64,
    /// Above, solid.
    pub measured: Timeline,
    /// Below, dashed.
    pub simulated: Timeline,
    /// What stands above the table.
    pub table_title: String,
    /// Titles of its columns, then its rows; the first two columns are text, the others numbers.
    pub table: Vec<Vec<String>>,
}

impl TimelinePlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let layout = Layout::new(self);
        let width = f64::from(SIZE.0);
        let table_rows = if self.table.is_empty() { 0.0 } else { 1.5 + self.table.len() as f64 };
        let height = layout.bottom + BELOW + TABLE_ROW * table_rows;
        let mut canvas = Canvas::new(width, height, &self.heading);
        legend::draw(&mut canvas, self, &layout.legend);
        let time = Coordinate::exactly(0.0..self.end());
        let across = |at: f64| layout.left + (layout.right - layout.left) * time.share(at);
        for (at, _) in time.ticks() {
            canvas.line(
                (across(at), layout.bottom),
                (across(at), layout.bottom + 4.0),
                Stroke::new(TEXT, 1.0),
            );
        }
        panels::draw(&mut canvas, self, &layout, &across);
        self.draw_ends(&mut canvas, &layout, &across);
        for (at, label) in time.ticks() {
            let font = Font::new(SMALL).anchor(Anchor::Middle);
            canvas.text(across(at), layout.bottom + 14.0, label, font);
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(layout.left, layout.right), layout.bottom + 36.0, &self.x, title);
        table::draw(&mut canvas, self, layout.bottom + BELOW);
        canvas.finish()
    }

    /// Where the axis ends.
    fn end(&self) -> f64 {
        let end = self.both().into_iter().map(|one| one.end).fold(0.0, f64::max);
        if end > 0.0 { end } else { 1.0 }
    }

    const fn both(&self) -> [&Timeline; 2] {
        [&self.measured, &self.simulated]
    }

    /// What came of each, in a row of its own, with a line down to the axis where all were finished.
    fn draw_ends(&self, canvas: &mut Canvas, layout: &Layout, across: &impl Fn(f64) -> f64) {
        for ((one, y), dashes) in self.both().into_iter().zip(layout.ends).zip([&[][..], DASHES]) {
            let text = format!("{}: {}", one.name, one.outcome);
            let x = across(one.finished.unwrap_or(one.end));
            if one.finished.is_some() {
                let stroke = Stroke { dashes, ..Stroke::new(FAINT_TEXT, 1.2) };
                canvas.line((x, y - 6.0), (x, layout.bottom), stroke);
            }
            let font = Font::new(SMALL);
            if x > f64::midpoint(layout.left, layout.right) {
                canvas.text(x - 5.0, y, &text, font.anchor(Anchor::End));
            } else {
                canvas.text(x + 5.0, y, &text, font);
            }
        }
    }
}

#[cfg(test)]
mod tests;
