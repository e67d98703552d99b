//! One quantity over two axes, as colour.

use std::ops::Range;

use crate::canvas::{Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke, THIN, TINY};
use crate::palette::{Colour, FAINT_LINE, FAINT_TEXT, NO_RESULT, PAPER, TEXT, heat_colour, text_on};
use crate::panel::{Lines, Panel};
use crate::scale::{Axis, Coordinate, extent, largest};
use crate::{figures, metrics};

/// Black below the paper's colour is visible on every colour.
const BELOW_BEST: Colour = Colour(0, 0, 0);

/// A quantity over two axes.
#[derive(Clone, Debug)]
pub struct HeatMap {
    /// Above the picture.
    pub heading: Heading,
    /// To the right.
    pub x: Axis,
    /// Upwards.
    pub y: Axis,
    /// Title of the colours, with the unit.
    pub label: String,
    /// `values[i * y + j]` at the i-th value of x and the j-th of y; not finite if there is no result.
    pub values: Vec<f64>,
    /// The cell to mark as the best.
    pub best: Option<usize>,
    /// Whether to write the values into the cells as well, if there is room.
    pub numbers: bool,
    /// The meaning of a cell without a value.
    pub gap: &'static str,
}

/// Colours of values, and their meaning.
pub(super) struct Colours<'a> {
    range: Range<f64>,
    scale: Coordinate,
    label: &'a str,
    /// The only value, if all are the same: they have no colours.
    same: Option<f64>,
    /// The meaning of a cell without a value, if there is one.
    gap: Option<&'a str>,
}

impl<'a> Colours<'a> {
    pub(super) fn of(values: &[f64], label: &'a str, gap: &'a str) -> Self {
        let (lowest, highest) = extent(values.iter().copied()).unwrap_or((0.0, 1.0));
        // At least the upper half of the range: a difference of 15 % does not use all colours.
        let from = if lowest >= 0.0 { lowest.min(highest / 2.0) } else { lowest };
        let range = from..highest;
        Self {
            scale: Coordinate::exactly(range.clone()),
            range,
            label,
            same: (highest - lowest <= 1e-9 * highest.abs()).then_some(highest),
            gap: values.iter().any(|value| !value.is_finite()).then_some(gap),
        }
    }

    pub(super) fn of_value(&self, value: f64) -> Colour {
        if value.is_finite() && self.same.is_some() {
            PAPER
        } else if value.is_finite() {
            heat_colour((value - self.range.start) / (self.range.end - self.range.start))
        } else {
            NO_RESULT
        }
    }

    /// Width of the bar in pixels.
    pub(super) fn width(&self) -> f64 {
        let gap = self.gap.map_or(0.0, |gap| metrics::width(gap, SMALL));
        let ticks = if self.same.is_some() { gap } else { self.scale.label_width(SMALL).max(gap) };
        let label = metrics::width(self.label, SMALL)
            .max(self.all_same().map_or(0.0, |all| metrics::width(&all, SMALL)));
        (36.0 + ticks).max(8.0 + label) + MARGIN
    }

    /// The ink on a value.
    pub(super) fn ink_on(&self, value: f64) -> Colour {
        if self.same.is_some() { TEXT } else { text_on(self.of_value(value)) }
    }

    fn all_same(&self) -> Option<String> {
        self.same.map(|value| format!("everywhere {}", figures::single(value)))
    }

    /// The bar between two heights, or the only value.
    pub(super) fn draw(&self, canvas: &mut Canvas, left: f64, top: f64, bottom: f64) {
        canvas.text(left + 8.0, top + 6.0, self.label, Font::new(SMALL));
        let missing = if self.gap.is_some() { 34.0 } else { 0.0 };
        let place = Place::new(left + 8.0, top + 24.0, 18.0, bottom - missing - top - 24.0);
        if let Some(all) = self.all_same() {
            canvas.text(left + 8.0, top + 24.0, &all, Font::new(SMALL));
        } else {
            ramp(canvas, place, place.height, |share| heat_colour(1.0 - share));
            for (value, label) in self.scale.ticks() {
                let y = place.bottom() - place.height * self.scale.share(value);
                canvas.line((place.right(), y), (place.right() + 5.0, y), THIN);
                canvas.text(place.right() + 10.0, y, label, Font::new(SMALL));
            }
        }
        if let Some(gap) = self.gap {
            canvas.filled(Place::new(place.x, bottom - 18.0, place.width, 18.0), NO_RESULT);
            canvas.text(place.right() + 10.0, bottom - 9.0, gap, Font::new(SMALL).colour(FAINT_TEXT));
        }
    }
}

/// The colours of shares from 0 to 1 in about this number of steps along the longer side of a box: to the right, downwards.
pub(super) fn ramp(canvas: &mut Canvas, at: Place, steps: f64, colour: impl Fn(f64) -> Colour) {
    let all = steps.round().max(1.0);
    let mut step = 0.0;
    while step < all {
        let from = step / all;
        // Each reaches to the end, below those that are drawn over it: adjacent edges would be visible as stripes if the picture is scaled.
        let rest = if at.width > at.height {
            Place::new(at.x + at.width * from, at.y, at.width * (1.0 - from), at.height)
        } else {
            Place::new(at.x, at.y + at.height * from, at.width, at.height * (1.0 - from))
        };
        canvas.filled(rest, colour((step + 0.5) / all));
        step += 1.0;
    }
}

/// The colours of cells in the order of their places. Each extends by a pixel into its neighbours on the right and below, which are drawn
/// over it, so that no paper is visible between two cells at any scale.
pub(super) fn draw_cells(canvas: &mut Canvas, inside: Place, mut cells: Vec<(Place, Colour)>) {
    cells.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    for (at, colour) in cells {
        let (right, bottom) =
            ((at.right() + 1.0).min(inside.right()), (at.bottom() + 1.0).min(inside.bottom()));
        canvas.filled(Place::between((at.x, at.y), (right, bottom)), colour);
    }
}

impl HeatMap {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let colours = Colours::of(&self.values, &self.label, self.gap);
        let (columns, rows) = (edges(&self.x.positions()), edges(&self.y.positions()));
        let scales = (self.x.coordinate(span(&columns)), self.y.coordinate(span(&rows)));
        let titles = [self.x.label.as_str(), self.y.label.as_str()];
        let right = SIZE.0 - colours.width() - MARGIN;
        let panel = Panel::framed(scales, titles, (HEADING, right, SIZE.1));
        let count = rows.len() - 1;
        let cell = |at: usize| {
            let (i, j) = (at / count, at % count);
            panel.cell([columns[i], columns[i + 1]], [rows[j], rows[j + 1]])
        };
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let cells = self.values.iter().enumerate();
        let cells = cells.map(|(at, &value)| (cell(at), colours.of_value(value)));
        draw_cells(&mut canvas, panel.place, cells.collect());
        panel.axes(&mut canvas, [Lines::Outside(4.0); 2], titles);
        let has_numbers = self.numbers && self.draw_numbers(&mut canvas, &cell, &colours);
        if let Some(best) = self.best.map(cell) {
            for (colour, width) in [(BELOW_BEST, 4.0), (PAPER, 2.0)] {
                let stroke = Stroke::new(colour, width);
                if has_numbers {
                    canvas.border(best, stroke);
                } else {
                    canvas.circle(best.middle(), 7.0, None, Some(stroke));
                }
            }
        }
        colours.draw(&mut canvas, right + MARGIN, HEADING, panel.place.bottom());
        canvas.finish(SIZE.1)
    }

    /// Writes the value of each cell in it, if all of them have room; returns whether they have.
    fn draw_numbers(
        &self,
        canvas: &mut Canvas,
        cell: &dyn Fn(usize) -> Place,
        colours: &Colours<'_>,
    ) -> bool {
        let (at, there): (Vec<usize>, Vec<f64>) =
            self.values.iter().copied().enumerate().filter(|(_, value)| value.is_finite()).unzip();
        let texts = figures::column(&there);
        let widest = largest(texts.iter().map(|text| metrics::width(text, SMALL)));
        if !at.iter().map(|&at| cell(at)).all(|at| at.width >= widest + 4.0 && at.height >= 18.0) {
            return false;
        }
        for ((at, value), text) in at.into_iter().zip(there).zip(texts) {
            let (x, y) = cell(at).middle();
            canvas.text(x, y, &text, Font::middle(SMALL).colour(colours.ink_on(value)));
        }
        true
    }
}

/// The borders of cells: halfway between neighbours.
fn edges(positions: &[f64]) -> Vec<f64> {
    let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return vec![0.0, 1.0] };
    if positions.len() == 1 {
        return vec![first - 0.5, last + 0.5];
    }
    let between = positions.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    let before = first - (positions[1] - first) / 2.0;
    let after = last + (last - positions[positions.len() - 2]) / 2.0;
    std::iter::once(before).chain(between).chain([after]).collect()
}

/// From the smallest to the largest edge; values may fall.
fn span(edges: &[f64]) -> std::ops::Range<f64> {
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    first.min(last)..first.max(last)
}

// Bandwidths between nodes: a row for each node with cores, a column for each memory.

/// Smallest and largest width and height of a cell with its number in it.
const WIDTHS: (f64, f64) = (46.0, 130.0);
const HEIGHTS: (f64, f64) = (24.0, 80.0);
/// The length of the title of the rows.
const ALL_ROWS: f64 = 140.0;
/// With more nodes cells have no numbers, and the picture stays at the size for this number.
const MOST_WITH_NUMBERS: usize = 32;
/// Left of and below the cells: title and numbers of nodes.
const LEFT: f64 = 70.0;
const BELOW_CELLS: f64 = 68.0;
/// Room for the number of a node.
const NUMBER: f64 = 24.0;

/// The cores of a node.
#[derive(Clone, Debug)]
pub struct MatrixRow {
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
    pub rows: Vec<MatrixRow>,
}

impl Matrix {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let values: Vec<f64> = self.rows.iter().flat_map(|row| row.gbs.iter().copied()).collect();
        let colours = Colours::of(&values, &self.label, "");
        let has_numbers = self.nodes <= MOST_WITH_NUMBERS;
        let (columns, rows) = (self.nodes.max(1) as f64, self.rows.len().max(1) as f64);
        let room = (SIZE.0 - colours.width() - LEFT - 2.0 * MARGIN, SIZE.1 - HEADING - BELOW_CELLS);
        let mut size = (room.0 / columns, room.1 / rows);
        if has_numbers {
            size.0 = size.0.clamp(WIDTHS.0, WIDTHS.1).floor();
            size.1 = size.1.clamp(HEIGHTS.0, HEIGHTS.1.max(ALL_ROWS / rows)).floor();
        }
        let all = Place::new(LEFT, HEADING, columns * size.0, rows * size.1);
        let width = (all.right() + MARGIN + colours.width()).max(SIZE.0);
        let height = (all.bottom() + BELOW_CELLS).max(330.0);
        let mut canvas = Canvas::new(width, &self.heading);
        // The scale is next to the cells, not at the far end of a wide picture.
        colours.draw(&mut canvas, all.right() + MARGIN, HEADING, height - BELOW_CELLS);
        let cell = |row: usize, column: usize| {
            Place::new(all.x + size.0 * column as f64, all.y + size.1 * row as f64, size.0, size.1)
        };
        let each = self.rows.iter().enumerate().flat_map(|(r, row)| {
            row.gbs.iter().enumerate().map(move |(c, &gbs)| (cell(r, c), c == row.node, gbs))
        });
        draw_cells(&mut canvas, all, each.clone().map(|(at, _, gbs)| (at, colours.of_value(gbs))).collect());
        let decimals = self.decimals(size.0);
        let is_plain = colours.same.is_some();
        for (at, is_own, gbs) in each.filter(|_| has_numbers) {
            let ink = colours.ink_on(gbs);
            if let Some(decimals) = decimals.filter(|_| gbs.is_finite()) {
                let (x, y) = at.middle();
                canvas.text(x, y, &format!("{gbs:.decimals$}"), Font::middle(SMALL).colour(ink));
            }
            if is_own {
                // The local memory.
                canvas.border(at.inset(3.5), Stroke::new(ink, 1.0));
            }
            let corners = [(at.x, at.bottom()), (at.right(), at.bottom()), (at.right(), at.y)];
            canvas.path(&corners, Stroke::new(if is_plain { FAINT_LINE } else { PAPER }, 1.0));
        }
        if is_plain {
            canvas.border(all, Stroke::new(FAINT_LINE, 1.0));
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

    /// One decimal, or none if that does not fit; `None` if no numbers fit.
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
    use crate::Scale;
    use crate::testing::{assert_apart, rectangles, words};

    #[test]
    fn no_paper_is_visible_between_two_colours() {
        let mut canvas = Canvas::new(100.0, &Heading::default());
        Colours::of(&[0.0, 10.0], "GB/s", "").draw(&mut canvas, 0.0, HEADING, SIZE.1);
        // After the paper.
        let steps = rectangles(&canvas.finish(SIZE.1)).split_off(1);
        assert!(steps.len() > 100, "{} steps", steps.len());
        for pair in steps.windows(2) {
            assert!(pair[0].bottom() > pair[1].y, "{pair:?} only touch");
        }
    }

    #[test]
    fn cell_borders_are_halfway_between_values() {
        assert_eq!(edges(&[1.0, 2.0, 4.0]), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(span(&edges(&[3.0, 2.0])), 1.5..3.5);
    }

    #[test]
    fn every_cell_has_the_colour_of_its_value() {
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear(vec![1.0, 2.0]) };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis("link (GB/s)"),
            y: axis("memory (GB/s)"),
            label: "GFLOPS".to_owned(),
            values: vec![0.0, 8.0, 4.0, f64::NAN],
            best: Some(1),
            numbers: true,
            gap: "no result",
        };
        let svg = map.svg();
        // Ends and middle of viridis, and grey; the bar also has the ends.
        for colour in ["#440154", "#FDE725", "#21918C", "#CDCDCD"] {
            assert!(svg.contains(colour), "{colour} is missing");
        }
        assert!(svg.contains("no result"));
        // Values in the cells; the best has a border.
        let texts = words(&svg);
        assert!(texts.contains("0.000\n") && texts.contains("4.000\n"), "{texts}");
        assert!(!svg.contains("<circle"));
        assert_apart(&svg);
    }

    #[test]
    fn cells_overlap_their_neighbours() {
        let axis = |count: u32| Axis {
            label: "x".to_owned(),
            scale: Scale::Linear((0..count).map(f64::from).collect()),
        };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis(3),
            y: axis(1),
            label: "GFLOPS".to_owned(),
            values: vec![1.0, 2.0, 3.0],
            best: None,
            numbers: false,
            gap: "no result",
        };
        // Paper, then the three cells from left to right.
        let cells = rectangles(&map.svg());
        for pair in cells[1..4].windows(2) {
            assert!(pair[0].right() > pair[1].x, "{pair:?} only touch");
        }
    }

    #[test]
    fn long_titles_of_axes_are_not_cut_off() {
        let title = "scenario.\"one thread of each application on every node, all data on node 0\".threads.dense-linear-algebra";
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Linear(vec![1.0, 2.0]) };
        let map = HeatMap {
            heading: Heading::default(),
            x: axis(title),
            y: axis(title),
            label: "GFLOPS".to_owned(),
            values: vec![0.0, 8.0, 4.0, 3.0],
            best: None,
            numbers: true,
            gap: "no result",
        };
        let svg = map.svg();
        assert_apart(&svg);
        let texts = words(&svg).replace([' ', '\n'], "");
        assert_eq!(texts.matches(&title.replace(' ', "")).count(), 2, "{texts}");
    }
}

#[cfg(test)]
mod matrix_tests {
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
                .map(|node| MatrixRow { node, gbs: (0..nodes).map(|to| gbs(node, to)).collect() })
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
            // A single node has nothing to compare: the scale is replaced by its value.
            let more = usize::from(nodes == 1);
            assert_eq!(words(&svg).matches("101.3\n").count(), nodes + more, "{nodes} nodes");
        }
        let many = plot(200, 0).svg();
        assert_apart(&many);
        assert!(!words(&many).contains("101.3"));
    }

    #[test]
    fn equal_bandwidths_have_no_colour_and_no_scale() {
        let mut plot = plot(2, 0);
        plot.rows.iter_mut().for_each(|row| row.gbs.fill(10.0));
        let svg = plot.svg();
        assert_apart(&svg);
        assert!(words(&svg).contains("everywhere 10.00\n"), "{}", words(&svg));
        // The paper and four cells, and their borders.
        let fills = svg
            .split("<rect")
            .skip(1)
            .filter(|tag| !tag.starts_with(" fill=\"#FFFFFF") && !tag.starts_with(" fill=\"none"));
        assert_eq!(fills.count(), 0, "{svg}");
    }

    #[test]
    fn a_difference_of_15_percent_does_not_use_all_colours() {
        // From half of the largest: 85 of 100 is at 0.7 of the colours.
        let colours = Colours::of(&[85.0, 100.0], "GB/s", "");
        assert_eq!([85.0, 100.0].map(|value| colours.of_value(value)), [heat_colour(0.7), heat_colour(1.0)]);
        // A wide range is not extended.
        assert_eq!(Colours::of(&[10.0, 60.0], "GB/s", "").of_value(10.0), heat_colour(0.0));
    }
}
