//! Bandwidths between nodes: a row for each node with cores, a column for each memory.

use super::canvas::{Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke, TINY};
use super::heat_map::{Colours, draw_cells};
use super::metrics;
use super::palette::{FAINT_TEXT, PAPER, text_on};

/// Smallest and largest width and height of a cell with its number in it.
const WIDTHS: (f64, f64) = (46.0, 130.0);
const HEIGHTS: (f64, f64) = (24.0, 80.0);
/// The title of the rows is as long.
const ALL_ROWS: f64 = 140.0;
/// With more nodes cells have no numbers, and the picture stays as large as it is here.
const MOST_WITH_NUMBERS: usize = 32;
/// Left of and below the cells: title and numbers of nodes.
const LEFT: f64 = 70.0;
const BELOW: f64 = 68.0;
/// Room for the number of a node.
const NUMBER: f64 = 24.0;

/// The cores of a node.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number of the node.
    pub node: usize,
    /// GB/s from each memory.
    pub gbs: Vec<f64>,
}

/// A matrix of bandwidths.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Above the picture.
    pub heading: Heading,
    /// Title of the colours, with the unit.
    pub label: String,
    /// Nodes with a memory: all of them.
    pub nodes: usize,
    /// Nodes with cores.
    pub rows: Vec<Row>,
}

impl Matrix {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let values: Vec<f64> = self.rows.iter().flat_map(|row| row.gbs.iter().copied()).collect();
        let colours = Colours::of(&values, &self.label, "");
        let has_numbers = self.nodes <= MOST_WITH_NUMBERS;
        let (columns, rows) = (self.nodes.max(1) as f64, self.rows.len().max(1) as f64);
        let room = (SIZE.0 - colours.width() - LEFT - 2.0 * MARGIN, SIZE.1 - HEADING - BELOW);
        let mut size = (room.0 / columns, room.1 / rows);
        if has_numbers {
            size.0 = size.0.clamp(WIDTHS.0, WIDTHS.1).floor();
            size.1 = size.1.clamp(HEIGHTS.0, HEIGHTS.1.max(ALL_ROWS / rows)).floor();
        }
        let all = Place::new(LEFT, HEADING, columns * size.0, rows * size.1);
        let width = (all.right() + MARGIN + colours.width()).max(SIZE.0);
        let height = (all.bottom() + BELOW).max(330.0);
        let mut canvas = Canvas::new(width, &self.heading);
        // The scale stands beside the cells, not at the far end of a wide picture.
        colours.draw(&mut canvas, all.right() + MARGIN, HEADING, height - BELOW);
        let cell = |row: usize, column: usize| {
            Place::new(all.x + size.0 * column as f64, all.y + size.1 * row as f64, size.0, size.1)
        };
        let each = self.rows.iter().enumerate().flat_map(|(r, row)| {
            row.gbs.iter().enumerate().map(move |(c, &gbs)| (cell(r, c), c == row.node, gbs))
        });
        draw_cells(&mut canvas, all, each.clone().map(|(at, _, gbs)| (at, colours.of_value(gbs))).collect());
        let decimals = self.decimals(size.0);
        for (at, is_own, gbs) in each.filter(|_| has_numbers) {
            let ink = text_on(colours.of_value(gbs));
            if let Some(decimals) = decimals.filter(|_| gbs.is_finite()) {
                let (x, y) = at.middle();
                canvas.text(x, y, &format!("{gbs:.decimals$}"), Font::middle(SMALL).colour(ink));
            }
            if is_own {
                // The local memory.
                canvas.border(at.inset(3.5), Stroke::new(ink, 1.0));
            }
            let corners = [(at.x, at.bottom()), (at.right(), at.bottom()), (at.right(), at.y)];
            canvas.path(&corners, Stroke::new(PAPER, 1.0));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
        let every = |size: f64| (NUMBER / size).ceil().max(1.0) as usize;
        for (r, row) in self.rows.iter().enumerate().step_by(every(size.1)) {
            let y = cell(r, 0).middle().1;
            canvas.text(all.x - 16.0, y, &row.node.to_string(), Font::middle(SMALL));
        }
        for c in (0..self.nodes).step_by(every(size.0)) {
            let x = cell(0, c).middle().0;
            canvas.text(x, all.bottom() + 14.0, &c.to_string(), Font::middle(SMALL));
            if has_numbers && !self.rows.iter().any(|row| row.node == c) {
                canvas.text(x, all.bottom() + 28.0, "no core", Font::middle(TINY).colour(FAINT_TEXT));
            }
        }
        canvas.title_across(all, all.bottom() + 48.0, "node of the memory that is read");
        canvas.title_up(all, MARGIN + 4.0, "node of the cores");
        canvas.finish(height)
    }

    /// One decimal, or none where that does not fit; no numbers at all where none fit.
    fn decimals(&self, cell: f64) -> Option<usize> {
        let values = || self.rows.iter().flat_map(|row| &row.gbs);
        let fits = |decimals: &usize| {
            let decimals = *decimals;
            values().all(|gbs| metrics::width(&format!("{gbs:.decimals$}"), SMALL) + 6.0 <= cell)
        };
        [1, 0].into_iter().find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot(nodes: usize, without_cores: usize) -> Matrix {
        let gbs =
            |from: usize, to: usize| if from == to { 101.3 } else { 7.5 + ((from * 5 + to * 3) % 30) as f64 };
        Matrix {
            heading: Heading { title: "machine".to_owned(), subtitle: "measured".to_owned() },
            label: "bandwidth (GB/s)".to_owned(),
            nodes,
            rows: (0..nodes - without_cores)
                .map(|node| Row { node, gbs: (0..nodes).map(|to| gbs(node, to)).collect() })
                .collect(),
        }
    }

    #[test]
    fn a_memory_without_cores_has_a_column_and_no_row() {
        let svg = plot(3, 1).svg();
        insta::assert_snapshot!(words(&svg));
    }

    #[test]
    fn numbers_are_in_the_cells_up_to_32_nodes_and_nothing_overlaps() {
        for nodes in [1, 2, 4, 8, 16, 32] {
            let svg = plot(nodes, 0).svg();
            assert_apart(&svg);
            assert_eq!(words(&svg).matches("101.3\n").count(), nodes, "{nodes} nodes");
        }
        let many = plot(200, 0).svg();
        assert_apart(&many);
        assert!(!words(&many).contains("101.3"));
    }

    #[test]
    fn equal_bandwidths_have_one_colour() {
        let mut plot = plot(2, 0);
        plot.rows.iter_mut().for_each(|row| row.gbs.fill(10.0));
        assert_apart(&plot.svg());
    }
}
