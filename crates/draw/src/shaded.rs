//! A table of factors whose cells have a colour: names for rows and columns, both in groups.
//!
//! A factor of 1 is the best and has the lightest colour; colours follow the logarithm.

use super::canvas::{Canvas, Font, HEADING, Heading, MARGIN, Place, SMALL, Stroke, THIN};
use super::figures;
use super::heat_map::ramp;
use super::metrics;
use super::palette::{FAINT_LINE, FAINT_TEXT, heat_colour, text_on};
use super::scale::largest;

/// Height of a row, with one line of text or with two.
const HEIGHTS: [f64; 2] = [20.0, 33.0];
/// Minimum width of a column.
const WIDTH: f64 = 38.0;
/// Room between groups of columns, and for the title of a group of rows.
const GAP: f64 = 9.0;
const TITLE: f64 = 20.0;
/// Font size in cells, and in second lines.
const LETTERS: f64 = 10.5;
const SECOND: f64 = 9.0;
/// Degrees by which names of columns are turned.
const TURNED: f64 = -50.0;
/// Length and height of the scale, and its steps.
const SCALE: (f64, f64) = (260.0, 12.0);
const STEPS: f64 = 130.0;
/// From the scale to its label.
const BESIDE: f64 = 22.0;
/// Below the cells: titles of groups, then the scale.
const BELOW: f64 = 82.0;

/// Names with a title above all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameGroup {
    /// The title.
    pub title: String,
    /// The names.
    pub names: Vec<String>,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub struct ShadedCell {
    /// At least 1; it determines the colour.
    pub factor: f64,
    /// Its text; the first line is bold if it is the best of its column.
    pub lines: Vec<String>,
    /// Whether it is the best of its column.
    pub best: bool,
}

/// The table.
#[derive(Clone, Debug)]
pub struct ShadedTable {
    /// Above the picture.
    pub heading: Heading,
    /// The meaning of the factors.
    pub label: String,
    /// From left to right.
    pub columns: Vec<NameGroup>,
    /// From top to bottom.
    pub rows: Vec<NameGroup>,
    /// Row by row; `None` for an empty cell.
    pub cells: Vec<Option<ShadedCell>>,
    /// A last row without colours: its name and texts.
    pub foot: Option<(String, Vec<String>)>,
    /// From this factor, above 1, all have the darkest colour.
    pub most: f64,
}

/// The positions of all parts.
struct Layout {
    left: f64,
    top: f64,
    cell: (f64, f64),
    /// Left ends of columns, top ends of rows.
    columns: Vec<f64>,
    rows: Vec<f64>,
    right: f64,
    bottom: f64,
}

impl ShadedTable {
    fn layout(&self) -> Layout {
        let names = |groups: &[NameGroup]| {
            let all = groups.iter().flat_map(|group| &group.names);
            largest(all.map(|name| metrics::width(name, SMALL)))
        };
        let foot = largest(self.foot.iter().map(|(name, _)| metrics::width(name, SMALL)));
        let lines = self.cells.iter().flatten().map(|cell| cell.lines.len()).max().unwrap_or(1);
        let texts = self.cells.iter().flatten().flat_map(|cell| &cell.lines);
        let texts = texts.chain(self.foot.iter().flat_map(|(_, texts)| texts));
        // Bold letters are wider by a tenth.
        let widest = texts.map(|text| metrics::width(text, LETTERS) * 1.1 + 6.0).fold(WIDTH, f64::max);
        let height = HEIGHTS.get(lines.saturating_sub(1)).copied().unwrap_or(LETTERS * 1.5 * lines as f64);
        let cell = (widest, height);
        let titles = self.rows.iter().map(|group| metrics::width(&group.title, SMALL)).fold(foot, f64::max);
        let left = MARGIN + names(&self.rows).max(titles) + 10.0;
        let (sin, cos) = TURNED.abs().to_radians().sin_cos();
        let top = HEADING + names(&self.columns) * sin + SMALL * cos - TITLE + 12.0;
        let (mut x, mut columns) = (left, Vec::new());
        for group in &self.columns {
            for _ in &group.names {
                columns.push(x);
                x += cell.0;
            }
            x += GAP;
        }
        let (mut y, mut rows) = (top, Vec::new());
        for group in &self.rows {
            y += TITLE;
            for _ in &group.names {
                rows.push(y);
                y += cell.1;
            }
        }
        let bottom = y + if self.foot.is_some() { GAP + HEIGHTS[0] } else { 0.0 };
        Layout { left, top, cell, columns, rows, right: x - GAP, bottom }
    }

    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let layout = self.layout();
        // Sloped names of the last columns extend beyond the cells.
        let last = self.columns.iter().flat_map(|group| &group.names).zip(&layout.columns);
        let reach = last.map(|(name, x)| {
            x + layout.cell.0 / 2.0 + metrics::width(name, SMALL) * TURNED.abs().to_radians().cos() + SMALL
        });
        let scale = layout.left + SCALE.0 + BESIDE + metrics::width(&self.label, SMALL);
        let width = reach.fold(layout.right.max(scale), f64::max) + MARGIN;
        let mut canvas = Canvas::new(width, &self.heading);
        self.names(&mut canvas, &layout);
        let cells = layout.rows.iter().flat_map(|y| layout.columns.iter().map(move |x| (*x, *y)));
        for ((x, y), cell) in cells.zip(&self.cells) {
            self.cell(&mut canvas, Place::new(x, y, layout.cell.0, layout.cell.1), cell.as_ref());
        }
        self.scale(&mut canvas, layout.left, layout.bottom + 46.0);
        canvas.finish(layout.bottom + BELOW)
    }

    fn names(&self, canvas: &mut Canvas, layout: &Layout) {
        let small = Font::new(SMALL);
        let names = self.columns.iter().flat_map(|group| &group.names);
        for (name, x) in names.zip(&layout.columns) {
            canvas.text(x + layout.cell.0 / 2.0, layout.top + TITLE - 7.0, name, small.turned(TURNED));
        }
        let mut columns = layout.columns.as_slice();
        for group in &self.columns {
            let (of_group, others) = columns.split_at(group.names.len().min(columns.len()));
            columns = others;
            let (Some(from), Some(last)) = (of_group.first(), of_group.last()) else { continue };
            let to = last + layout.cell.0;
            let y = layout.bottom + 7.0;
            canvas.line((from + 2.0, y), (to - 2.0, y), THIN);
            let font = Font::middle(SMALL);
            canvas.text(f64::midpoint(*from, to), y + 11.0, &group.title, font);
        }
        let mut rows = layout.rows.iter();
        for group in &self.rows {
            for (number, name) in group.names.iter().enumerate() {
                let Some(y) = rows.next() else { return };
                if number == 0 {
                    let faint = Font::end(SMALL).colour(FAINT_TEXT);
                    canvas.text(layout.left - 8.0, y - 8.0, &group.title, faint);
                }
                canvas.text(layout.left - 8.0, y + layout.cell.1 / 2.0, name, Font::end(SMALL));
            }
        }
        if let Some((name, texts)) = &self.foot {
            let y = layout.bottom - HEIGHTS[0] / 2.0;
            canvas.text(layout.left - 8.0, y, name, Font::end(SMALL));
            for (text, x) in texts.iter().zip(&layout.columns) {
                let font = Font::middle(LETTERS);
                canvas.text(x + layout.cell.0 / 2.0, y, text, font);
            }
        }
    }

    /// 1 for a factor of 1, 0 from the largest factor on.
    fn share(&self, factor: f64) -> f64 {
        1.0 - (factor.ln() / self.most.ln()).clamp(0.0, 1.0)
    }

    fn cell(&self, canvas: &mut Canvas, place: Place, cell: Option<&ShadedCell>) {
        let inner = place.inset(0.5);
        let Some(cell) = cell else {
            canvas.border(inner, Stroke::new(FAINT_LINE, 1.0));
            return;
        };
        let colour = heat_colour(self.share(cell.factor));
        canvas.filled(inner, colour);
        let step = place.height / cell.lines.len().max(1) as f64 * 0.84;
        let first = place.y + place.height / 2.0 - step * (cell.lines.len().saturating_sub(1)) as f64 / 2.0;
        for (number, line) in cell.lines.iter().enumerate() {
            let font = Font::middle(if number == 0 { LETTERS } else { SECOND }).colour(text_on(colour));
            let font = if cell.best && number == 0 { font.bold() } else { font };
            canvas.text(place.x + place.width / 2.0, first + step * number as f64, line, font);
        }
    }

    /// The colours with their factors.
    fn scale(&self, canvas: &mut Canvas, left: f64, y: f64) {
        let (length, height) = SCALE;
        ramp(canvas, Place::new(left, y, length, height), STEPS, |share| heat_colour(1.0 - share));
        let ticks = [1.0, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0];
        let mut end = f64::NEG_INFINITY;
        for tick in ticks.into_iter().filter(|tick| *tick <= self.most) {
            let x = left + length * (1.0 - self.share(tick));
            let label = if tick < self.most { figures::short(tick) } else { format!("≥ {tick}") };
            let half = metrics::width(&label, SMALL) / 2.0;
            if x - half > end {
                canvas.line((x, y + height), (x, y + height + 4.0), THIN);
                canvas.text(x, y + height + 12.0, &label, Font::middle(SMALL));
                end = x + half + 4.0;
            }
        }
        canvas.text(left + length + BESIDE, y + height / 2.0, &self.label, Font::new(SMALL));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn group(title: &str, names: &[&str]) -> NameGroup {
        NameGroup { title: title.to_owned(), names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    fn table() -> ShadedTable {
        let cell = |factor: f64, lines: &[&str]| {
            let lines = lines.iter().map(|line| (*line).to_owned()).collect();
            Some(ShadedCell { factor, lines, best: factor <= 1.0 })
        };
        ShadedTable {
            heading: Heading { title: "codes".to_owned(), subtitle: "simulated".to_owned() },
            label: "times as long as the best".to_owned(),
            columns: vec![group("waves", &["integral-histogram", "gauss"]), group("other", &["a"])],
            rows: vec![group("knows nothing", &["fifo", "random-steal"]), group("all", &["heft"])],
            cells: vec![
                cell(1.0, &["1.00"]),
                cell(2.0, &["2.00"]),
                None,
                cell(12.0, &["12.0"]),
                cell(1.0, &["1.00"]),
                cell(10.0, &["10.0"]),
                cell(1.5, &["1.50"]),
                None,
                cell(1.0, &["1.00"]),
            ],
            foot: Some(("best / bound".to_owned(), vec!["1.1".to_owned(), "2".to_owned(), "3".to_owned()])),
            most: 10.0,
        }
    }

    #[test]
    fn the_best_is_lightest_and_values_beyond_the_scale_are_darkest() {
        let svg = table().svg();
        // Ends of viridis; ln 12 is beyond ln 10.
        assert!(svg.contains("#FDE725"), "{svg}");
        assert_eq!(svg.matches("fill=\"#440154\"").count(), 2);
        assert_eq!(svg.matches("font-weight=\"bold\"").count(), 3);
    }

    #[test]
    fn names_titles_and_cells_are_complete_and_do_not_overlap() {
        let mut table = table();
        assert_apart(&table.svg());
        insta::assert_snapshot!(words(&table.svg()));
        for cell in table.cells.iter_mut().flatten() {
            cell.lines.push("worst 1234.5".to_owned());
        }
        assert_apart(&table.svg());
    }
}
