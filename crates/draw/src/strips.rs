//! Strips over time: what shares each of several resources, stacked, one strip for each; lines below on the same axis.
//!
//! Cores of applications on the nodes of a machine, and items between them, in a simulation or on a real machine. Values are
//! means over slots of equal length; several slots become one where there are more than the picture has room for.

mod below;

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::columns::{self, Columns, Of};
use super::figures;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::legend::{self, LEGEND};
use super::metrics;
use super::palette::{FAINT_LINE, TEXT, line_colour};
use super::place::Place;
use super::shown::Shown;
use super::style::{HEADING, MARGIN, SIZE};
use below::THICK_AND_THIN;

/// Most columns of a strip: two pixels each.
pub const MOST_COLUMNS: usize = columns::MOST;
/// What nobody takes.
const NOT_USED: &str = "not used";
/// Heights of a strip, where there are few and where there are many; between two strips; of the lines below.
const TALL: f64 = 130.0;
const LOW: f64 = 26.0;
const ALL_STRIPS: f64 = 420.0;
const BETWEEN: f64 = 10.0;
const LINES: f64 = 92.0;
/// Ticks and title of the time axis.
const BELOW: f64 = 54.0;
/// Widest name of a strip.
const WIDEST_STRIP: f64 = 110.0;

/// One resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Its name.
    pub name: String,
    /// How much there is of it; the height of the strip.
    pub capacity: f64,
    /// For each band of the plot: its share in each slot.
    pub bands: Vec<Vec<f64>>,
}

/// A line below: of things that are counted, with ticks at whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Below {
    /// Its name in the legend.
    pub name: String,
    /// In each slot, on average.
    pub mean: Vec<f64>,
    /// In each slot, at most; drawn thinner.
    pub most: Vec<f64>,
}

/// Strips over time.
#[derive(Clone, Debug, PartialEq)]
pub struct StripPlot {
    /// Above the picture.
    pub heading: Heading,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// Length of a slot and of all of them, in that unit; the last slot may be shorter.
    pub slot: f64,
    /// See `slot`.
    pub end: f64,
    /// Into how many columns slots are drawn together, at most; no more than [`MOST_COLUMNS`] whatever stands here.
    pub columns: usize,
    /// What the strips show, with the unit.
    pub y: String,
    /// The bands, from below.
    pub names: Vec<String>,
    /// From above.
    pub strips: Vec<Strip>,
    /// What the lines below show, with the unit.
    pub below_label: String,
    /// Lines below; none where there are none.
    pub below: Vec<Below>,
}

/// Where a time stands in the picture, in its pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Of time 0.
    pub left: f64,
    /// Of the end.
    pub right: f64,
    /// Of the first strip.
    pub top: f64,
    /// Of the last strip or, where there are any, of the lines below.
    pub bottom: f64,
}

/// What stands where.
struct Layout {
    /// As short as there is room.
    strip_names: Vec<String>,
    /// Width of the numbers beside the strips and lines.
    number_width: f64,
    /// The names of the bands in rows.
    legend: Vec<Vec<(usize, f64)>>,
    /// Height of a strip.
    height: f64,
    strips_end: f64,
    /// The names of the lines in rows.
    below_legend: Vec<Vec<(usize, f64)>>,
    lines_top: f64,
    area: Area,
}

impl StripPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let bands = self.bands();
        let below_axis = self.below_axis();
        let layout = self.layout(&bands, &below_axis);
        let Layout { number_width, height, strips_end, lines_top, .. } = layout;
        let Area { left, right, top, bottom } = layout.area;

        let mut canvas = Canvas::new(f64::from(SIZE.0), bottom + BELOW, &self.heading);
        let (names, colours) = bands.in_legend(NOT_USED);
        legend::draw(&mut canvas, &names, &colours, &layout.legend);
        let time = Coordinate::exactly(0.0..if self.end > 0.0 { self.end } else { 1.0 });
        let across = |at: f64| left + (right - left) * time.share(at);
        for ((strip, name), i) in self.strips.iter().zip(&layout.strip_names).zip(0_u32..) {
            let at = Place::new(left, top + f64::from(i) * (height + BETWEEN), right - left, height);
            self.draw_strip(&mut canvas, strip, &bands, at, &across);
            let middle = at.y + height / 2.0;
            canvas.text(left - number_width - 22.0, middle, name, Font::new(SMALL).anchor(Anchor::End));
            let number = Font::new(SMALL).anchor(Anchor::End);
            canvas.text(left - 6.0, at.y + 6.0, &figures::short(strip.capacity), number);
            if height > 2.0 * SMALL {
                canvas.text(left - 6.0, at.bottom() - 4.0, "0", number);
            }
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle).turned(-90.0);
        canvas.text(f64::from(MARGIN) + 8.0, f64::midpoint(top, strips_end), &self.y, title);
        if !self.below.is_empty() {
            let at = Place::new(left, lines_top, right - left, LINES);
            self.draw_below(&mut canvas, &below_axis, at, &across);
            let rows_top = strips_end + 18.0;
            below::draw(&mut canvas, &self.below, &layout.below_legend, rows_top);
        }
        for (at, label) in time.ticks() {
            canvas.line((across(at), bottom), (across(at), bottom + 4.0), Stroke::new(TEXT, 1.0));
            canvas.text(across(at), bottom + 14.0, label, Font::new(SMALL).anchor(Anchor::Middle));
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(left, right), bottom + 38.0, &self.x, title);
        canvas.finish()
    }

    /// For how many bands and strips there are columns.
    pub fn rows(&self) -> usize {
        self.strips.len() * self.bands().names.len() + 2 * self.below.len()
    }

    /// The bands that take most have colours of their own; the others are one, above them.
    fn bands(&self) -> Shown {
        let area = |band: usize| -> f64 {
            self.strips.iter().filter_map(|strip| strip.bands.get(band)).flatten().sum()
        };
        Shown::largest(&self.names, || (0..self.names.len()).map(area).collect())
    }

    /// Where the strips and the lines below lie in the picture.
    pub fn area(&self) -> Area {
        self.layout(&self.bands(), &self.below_axis()).area
    }

    fn layout(&self, bands: &Shown, below_axis: &Coordinate) -> Layout {
        let width = f64::from(SIZE.0);
        let strip_names = self.strips.iter().map(|strip| metrics::cut(&strip.name, SMALL, WIDEST_STRIP));
        let strip_names: Vec<String> = strip_names.collect();
        let name_width = strip_names.iter().map(|name| metrics::width(name, SMALL)).fold(0.0, f64::max);
        let most = self.strips.iter().map(|strip| strip.capacity).fold(0.0, f64::max);
        let labels = below_axis.labels().map(|label| metrics::width(label, SMALL));
        let number_width = labels.fold(metrics::width(&figures::short(most), SMALL), f64::max);
        let not_used = (!self.strips.is_empty()).then_some(NOT_USED);
        let legend = legend::rows(bands.names.iter().map(String::as_str).chain(not_used), width);
        let top = f64::from(HEADING) + 8.0 + LEGEND * legend.len() as f64;
        let count = self.strips.len().max(1) as f64;
        let height = (ALL_STRIPS / count - BETWEEN).clamp(LOW, TALL);
        let strips_end = top + count * (height + BETWEEN) - BETWEEN;
        let note = (!self.below.is_empty()).then_some(THICK_AND_THIN);
        let below_names = self.below.iter().map(|line| line.name.as_str()).chain(note);
        let below_legend = legend::rows(below_names, width);
        let lines_top = strips_end + 20.0 + LEGEND * below_legend.len() as f64;
        let area = Area {
            left: f64::from(MARGIN) + 26.0 + name_width + 14.0 + number_width + 8.0,
            right: width - f64::from(MARGIN) - 12.0,
            top,
            bottom: if self.below.is_empty() { strips_end } else { lines_top + LINES },
        };
        Layout { strip_names, number_width, legend, height, strips_end, below_legend, lines_top, area }
    }

    /// How many slots make a column.
    pub fn slots_per_column(&self) -> usize {
        let slots = self.strips.iter().flat_map(|strip| &strip.bands).map(Vec::len);
        let below = self.below.iter().map(|line| line.mean.len());
        let slots = slots.chain(below).max().unwrap_or(0);
        Columns::new(self.slot, self.end, slots, self.columns).slots
    }

    fn in_columns(&self) -> Columns {
        Columns { slot: self.slot, end: self.end, slots: self.slots_per_column() }
    }

    fn draw_strip(
        &self,
        canvas: &mut Canvas,
        strip: &Strip,
        bands: &Shown,
        at: Place,
        across: &impl Fn(f64) -> f64,
    ) {
        canvas.rect(at, 0.0, Some(FAINT_LINE), None);
        let slots = strip.bands.iter().map(Vec::len).max().unwrap_or(0);
        let mut below = vec![0.0; slots];
        let in_columns = self.in_columns();
        for band_number in 0..bands.names.len() {
            let mut upper = below.clone();
            let members =
                bands.part_of.iter().zip(&strip.bands).filter(|(part_of, _)| **part_of == band_number);
            members.for_each(|(_, values)| columns::add(&mut upper, values));
            let band = (below.as_slice(), upper.as_slice(), strip.capacity);
            in_columns.fill(canvas, at, band, bands.colour(band_number), across);
            below = upper;
        }
        canvas.line((at.x, at.bottom()), (at.right(), at.bottom()), Stroke::new(TEXT, 1.0));
        canvas.line((at.x, at.y), (at.x, at.bottom()), Stroke::new(TEXT, 1.0));
    }

    fn below_axis(&self) -> Coordinate {
        let most = self.below.iter().flat_map(|line| &line.most).copied().fold(0.0, f64::max);
        Coordinate::whole(0.0..if most > 0.0 { 1.06 * most } else { 1.0 })
    }

    fn draw_below(&self, canvas: &mut Canvas, axis: &Coordinate, at: Place, across: &impl Fn(f64) -> f64) {
        let up = |value: f64| at.bottom() - at.height * axis.share(value);
        let mut last = f64::INFINITY;
        for (value, label) in axis.ticks() {
            canvas.line((at.x, up(value)), (at.right(), up(value)), Stroke::new(FAINT_LINE, 1.0));
            if last - up(value) > SMALL + 4.0 {
                canvas.text(at.x - 6.0, up(value), label, Font::new(SMALL).anchor(Anchor::End));
                last = up(value);
            }
        }
        for (i, line) in self.below.iter().enumerate() {
            for (values, of, width) in [(&line.most, Of::Most, 0.7), (&line.mean, Of::Mean, 2.0)] {
                let stroke = Stroke::new(line_colour(i), width);
                self.in_columns().line(canvas, (values, of), stroke, across, &up);
            }
        }
        canvas.line((at.x, at.bottom()), (at.right(), at.bottom()), Stroke::new(TEXT, 1.0));
        canvas.line((at.x, at.y), (at.x, at.bottom()), Stroke::new(TEXT, 1.0));
        let title = Font::new(MEDIUM).anchor(Anchor::Middle).turned(-90.0);
        canvas.text(f64::from(MARGIN) + 8.0, at.y + at.height / 2.0, &self.below_label, title);
    }
}

#[cfg(test)]
mod tests;
