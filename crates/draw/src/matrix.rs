//! Bandwidths between nodes: a row for each node with cores, a column for each memory.

use plotters::prelude::*;

use super::axis::Coordinate;
use super::colour_bar::{bar_width, colour_bar};
use super::heading::{DrawError, Heading};
use super::palette::{FAINT_TEXT, NO_RESULT, PAPER, TEXT, heat_colour, text_on};
use super::style::{Area, HEADING, MARGIN, MEDIUM, SIZE, SMALL, centred, drawn, headed, text_width};

/// Smallest and largest width and height of a cell with its number in it.
const WIDTHS: (u32, u32) = (46, 130);
const HEIGHTS: (u32, u32) = (24, 80);
/// The title of the rows is as long.
const ALL_ROWS: u32 = 140;
/// With more nodes cells have no numbers, and the picture stays as large as it is here.
const MOST_WITH_NUMBERS: u32 = 32;
/// Left of and below the cells: title and numbers of nodes.
const LEFT: u32 = 70;
const BELOW: u32 = 68;

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
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub fn svg(&self) -> Result<String, DrawError> {
        let values =
            || self.rows.iter().flat_map(|row| row.gbs.iter().copied()).filter(|gbs| gbs.is_finite());
        let lowest = values().fold(f64::INFINITY, f64::min);
        let highest = values().fold(f64::NEG_INFINITY, f64::max);
        let range =
            if lowest.is_finite() { lowest..highest.max(lowest + lowest.abs() * 1e-6) } else { 0.0..1.0 };
        let bar = Coordinate::exactly(if highest > lowest {
            range.clone()
        } else {
            range.start * 0.95..range.end * 1.05
        });

        let side = bar_width(&bar, &self.label) + MARGIN;
        let (columns, rows) = (u32::try_from(self.nodes.max(1))?, u32::try_from(self.rows.len().max(1))?);
        let room = (SIZE.0 - side - LEFT - MARGIN, SIZE.1 - HEADING - BELOW);
        let numbers = columns <= MOST_WITH_NUMBERS;
        // In thousandths of a pixel: a thousand nodes have less than one each.
        let cell = if numbers {
            (
                (room.0 / columns).clamp(WIDTHS.0, WIDTHS.1) * 1000,
                (room.1 / rows).clamp(HEIGHTS.0, HEIGHTS.1.max(ALL_ROWS / rows)) * 1000,
            )
        } else {
            (room.0 * 1000 / columns, room.1 * 1000 / rows)
        };
        let width = (LEFT + columns * cell.0 / 1000 + MARGIN + side).max(SIZE.0);
        let height = (HEADING + rows * cell.1 / 1000 + BELOW).max(330);
        drawn((width, height), |root| {
            let below = headed(root, &self.heading)?;
            // The scale stands beside the cells, not at the far end of a wide picture.
            let (area, beside) = below.split_horizontally(LEFT + columns * cell.0 / 1000 + MARGIN);
            colour_bar(&beside, &self.label, &bar, highest > lowest, None)?;
            self.draw(&area, cell, &range, numbers)
        })
    }

    fn draw(
        &self,
        area: &Area<'_>,
        cell: (u32, u32),
        range: &std::ops::Range<f64>,
        numbers: bool,
    ) -> Result<(), DrawError> {
        let left = |column: usize| {
            Ok::<i32, DrawError>(i32::try_from(LEFT as usize + column * cell.0 as usize / 1000)?)
        };
        let top = |row: usize| Ok::<i32, DrawError>(i32::try_from(row * cell.1 as usize / 1000)?);
        let decimals = self.decimals(cell.0 / 1000);
        for (r, row) in self.rows.iter().enumerate() {
            for (c, &gbs) in row.gbs.iter().enumerate() {
                let colour = if gbs.is_finite() {
                    heat_colour((gbs - range.start) / (range.end - range.start))
                } else {
                    NO_RESULT
                };
                let (x0, y0, x1, y1) = (left(c)?, top(r)?, left(c + 1)?, top(r + 1)?);
                // A pixel into the next cells, which are drawn over it: no paper is seen between them.
                let more = |at: usize, all: usize| i32::from(at + 1 < all);
                let end = (x1 + more(c, self.nodes), y1 + more(r, self.rows.len()));
                area.draw(&Rectangle::new([(x0, y0), end], colour.filled()))?;
                let middle = (i32::midpoint(x0, x1), i32::midpoint(y0, y1));
                if let Some(decimals) = decimals.filter(|_| numbers && gbs.is_finite()) {
                    area.draw_text(&format!("{gbs:.decimals$}"), &centred(SMALL, text_on(colour)), middle)?;
                }
                if c == row.node && numbers {
                    // The local memory.
                    let ends = [
                        (x0 + 3, y0 + 3),
                        (x1 - 4, y0 + 3),
                        (x1 - 4, y1 - 4),
                        (x0 + 3, y1 - 4),
                        (x0 + 3, y0 + 3),
                    ];
                    area.draw(&PathElement::new(ends, text_on(colour).stroke_width(1)))?;
                }
                if numbers {
                    let ends = [(x0, y1), (x1, y1), (x1, y0)];
                    area.draw(&PathElement::new(ends, PAPER.stroke_width(1)))?;
                }
            }
        }
        let bottom = top(self.rows.len())?;
        let every = |size: u32| usize::try_from(24_000_u32.div_ceil(size.max(1))).unwrap_or(1).max(1);
        for (r, row) in self.rows.iter().enumerate().step_by(every(cell.1)) {
            let y = i32::midpoint(top(r)?, top(r + 1)?);
            area.draw_text(&row.node.to_string(), &centred(SMALL, TEXT), (i32::try_from(LEFT)? - 16, y))?;
        }
        for c in (0..self.nodes).step_by(every(cell.0)) {
            let x = i32::midpoint(left(c)?, left(c + 1)?);
            area.draw_text(&c.to_string(), &centred(SMALL, TEXT), (x, bottom + 14))?;
            if numbers && !self.rows.iter().any(|row| row.node == c) {
                area.draw_text("no core", &centred(12, FAINT_TEXT), (x, bottom + 28))?;
            }
        }
        let middle = i32::midpoint(left(0)?, left(self.nodes)?);
        area.draw_text("node of the memory that is read", &centred(MEDIUM, TEXT), (middle, bottom + 48))?;
        let up = centred(MEDIUM, TEXT).transform(FontTransform::Rotate270);
        area.draw_text("node of the cores", &up, (24, bottom / 2))?;
        Ok(())
    }

    /// One decimal, or none where that does not fit; no numbers at all where none fit.
    fn decimals(&self, cell: u32) -> Option<usize> {
        let fits = |decimals: &usize| {
            let decimals = *decimals;
            let texts = self.rows.iter().flat_map(|row| &row.gbs).map(|gbs| format!("{gbs:.decimals$}"));
            texts.map(|text| text_width(&text, SMALL) + 6).max().is_none_or(|widest| widest <= cell)
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
        let svg = plot(3, 1).svg().expect("drawn");
        insta::assert_snapshot!(words(&svg));
    }

    #[test]
    fn numbers_are_in_the_cells_up_to_32_nodes_and_nothing_overlaps() {
        for nodes in [1, 2, 4, 8, 16, 32] {
            let svg = plot(nodes, 0).svg().expect("drawn");
            assert_apart(&svg);
            assert_eq!(words(&svg).matches("101.3\n").count(), nodes, "{nodes} nodes");
        }
        let many = plot(200, 0).svg().expect("drawn");
        assert_apart(&many);
        assert!(!words(&many).contains("101.3"));
    }

    #[test]
    fn equal_bandwidths_have_one_colour() {
        let mut plot = plot(2, 0);
        plot.rows.iter_mut().for_each(|row| row.gbs.fill(10.0));
        assert_apart(&plot.svg().expect("drawn"));
    }
}
