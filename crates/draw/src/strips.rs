//! Strips over time: the stacked shares of each of several resources, one strip for each; lines below on the same axis.
//!
//! They show cores of applications on the nodes of a machine, and items between them, in a simulation or on a real machine. Values are
//! means over slots of equal length; several slots are merged if there are more than the picture has room for.

use crate::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke};
use crate::legend::{FAINT, Legend, Shown, line_stroke};
use crate::palette::{Colour, FAINT_LINE};
use crate::panel::{Lines, Panel};
use crate::scale::{Coordinate, largest};
use crate::{figures, metrics};

/// Maximum number of columns of a strip: two pixels each.
pub const MOST_COLUMNS: usize = MOST;
/// The unused part.
const NOT_USED: &str = "not used";
/// The text after the names of the lines below.
const THICK_AND_THIN: &str = "thick: mean, thin: most";
/// Heights of a strip, with few and with many strips; between two strips; of the lines below.
const TALL: f64 = 130.0;
const LOW: f64 = 26.0;
const ALL_STRIPS: f64 = 420.0;
const BETWEEN: f64 = 10.0;
const LINES: f64 = 92.0;
/// Ticks and title of the time axis.
const BELOW: f64 = 54.0;
/// Maximum width of the name of a strip.
const WIDEST_STRIP: f64 = 110.0;

/// One resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// Its name.
    pub name: String,
    /// Its size; the height of the strip.
    pub capacity: f64,
    /// For each band of the plot: its share in each slot.
    pub bands: Vec<Vec<f64>>,
}

/// A line below: of counts, with ticks at whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Below {
    /// Its name in the legend.
    pub name: String,
    /// The mean in each slot.
    pub mean: Vec<f64>,
    /// The maximum in each slot; drawn thinner.
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
    /// Maximum number of columns into which slots are merged; never more than [`MOST_COLUMNS`].
    pub columns: usize,
    /// The quantity of the strips, with the unit.
    pub y: String,
    /// The bands, from below.
    pub names: Vec<String>,
    /// From above.
    pub strips: Vec<Strip>,
    /// The quantity of the lines below, with the unit.
    pub below_label: String,
    /// Lines below; may be empty.
    pub below: Vec<Below>,
}

/// Pixels of the time axis in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Pixel of time 0.
    pub left: f64,
    /// Pixel of the end.
    pub right: f64,
    /// Top of the first strip.
    pub top: f64,
    /// Bottom of the last strip or, if there are any, of the lines below.
    pub bottom: f64,
}

/// The positions of all parts.
struct Layout {
    /// Names of the strips, shortened to the room, and their ends.
    names: Vec<String>,
    names_end: f64,
    /// Height of a strip.
    height: f64,
    strips_end: f64,
    lines_top: f64,
    area: Area,
}

impl StripPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let bands = self.bands();
        let below = self.below_scale();
        let layout = self.layout(&bands, &below);
        let (height, Area { left, right, top, bottom }) = (layout.height, layout.area);
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        self.legend(&bands).draw(&mut canvas, HEADING + 2.0);
        let time = Coordinate::from_zero(self.end, 1.0);
        let panel = |y: Coordinate, top: f64, height: f64| Panel {
            x: time.clone(),
            y,
            place: Place::new(left, top, right - left, height),
        };
        for ((strip, name), i) in self.strips.iter().zip(&layout.names).zip(0_u32..) {
            let scale = Coordinate::bare(0.0..strip.capacity);
            let panel = panel(scale, top + f64::from(i) * (height + BETWEEN), height);
            self.draw_strip(&mut canvas, strip, &bands, &panel);
            let at = panel.place;
            canvas.text(layout.names_end, at.middle().1, name, Font::end(SMALL));
            canvas.text(left - 6.0, at.y + 6.0, &figures::short(strip.capacity), Font::end(SMALL));
            if height > 2.0 * SMALL {
                canvas.text(left - 6.0, at.bottom() - 4.0, "0", Font::end(SMALL));
            }
        }
        let all = Place::new(left, top, right - left, layout.strips_end - top);
        canvas.title_up(all, MARGIN + 8.0, &self.y);
        if !self.below.is_empty() {
            self.draw_below(&mut canvas, &panel(below, layout.lines_top, LINES));
            self.below_legend().draw(&mut canvas, layout.strips_end + 18.0);
        }
        let all = Place { height: bottom - top, ..all };
        Panel { x: time, y: Coordinate::bare(0.0..1.0), place: all }.time_axis(&mut canvas, &self.x);
        canvas.finish(bottom + BELOW)
    }

    /// Number of bands and strips with columns.
    pub fn rows(&self) -> usize {
        self.strips.len() * self.bands().names.len() + 2 * self.below.len()
    }

    /// The largest bands have separate colours; the others are one, above them.
    fn bands(&self) -> Shown {
        let area = |band: usize| -> f64 {
            self.strips.iter().filter_map(|strip| strip.bands.get(band)).flatten().sum()
        };
        Shown::largest(&self.names, || (0..self.names.len()).map(area).collect())
    }

    /// The area of the strips and the lines below in the picture.
    pub fn area(&self) -> Area {
        self.layout(&self.bands(), &self.below_scale()).area
    }

    /// The names of the bands.
    fn legend(&self, bands: &Shown) -> Legend<'static> {
        let not_used = (!self.strips.is_empty()).then_some((NOT_USED, FAINT_LINE));
        bands.legend(not_used.as_slice())
    }

    /// The names of the lines below.
    fn below_legend(&self) -> Legend<'static> {
        let mut legend = Legend::new(FAINT);
        for (i, line) in self.below.iter().enumerate() {
            legend.line(&line.name, line_stroke(i, 2.0));
        }
        if !self.below.is_empty() {
            legend.words(THICK_AND_THIN);
        }
        legend
    }

    fn layout(&self, bands: &Shown, below_scale: &Coordinate) -> Layout {
        let names = self.strips.iter().map(|strip| metrics::cut(&strip.name, SMALL, WIDEST_STRIP));
        let names: Vec<String> = names.collect();
        let name_width = largest(names.iter().map(|name| metrics::width(name, SMALL)));
        let most = figures::short(largest(self.strips.iter().map(|strip| strip.capacity)));
        let numbers = metrics::width(&most, SMALL).max(below_scale.label_width(SMALL));
        let top = HEADING + 8.0 + self.legend(bands).height(SIZE.0);
        let count = self.strips.len().max(1) as f64;
        let height = (ALL_STRIPS / count - BETWEEN).clamp(LOW, TALL);
        let strips_end = top + count * (height + BETWEEN) - BETWEEN;
        let lines_top = strips_end + 20.0 + self.below_legend().height(SIZE.0);
        let area = Area {
            left: MARGIN + 26.0 + name_width + 14.0 + numbers + 8.0,
            right: SIZE.0 - MARGIN - 12.0,
            top,
            bottom: if self.below.is_empty() { strips_end } else { lines_top + LINES },
        };
        Layout { names, names_end: area.left - numbers - 22.0, height, strips_end, lines_top, area }
    }

    /// Number of slots of a column.
    pub fn slots_per_column(&self) -> usize {
        let slots = self.strips.iter().flat_map(|strip| &strip.bands).map(Vec::len);
        let below = self.below.iter().map(|line| line.mean.len());
        let slots = slots.chain(below).max().unwrap_or(0);
        Columns::new(self.slot, self.end, slots, self.columns).slots
    }

    fn in_columns(&self) -> Columns {
        Columns { slot: self.slot, end: self.end, slots: self.slots_per_column() }
    }

    fn draw_strip(&self, canvas: &mut Canvas, strip: &Strip, bands: &Shown, panel: &Panel) {
        canvas.filled(panel.place, FAINT_LINE);
        let slots = strip.bands.iter().map(Vec::len).max().unwrap_or(0);
        let parts = (0..bands.names.len()).map(|band| {
            let of_band = bands.part_of.iter().zip(&strip.bands).filter(|(part_of, _)| **part_of == band);
            (of_band.map(|(_, values)| values.as_slice()).collect(), bands.colour(band))
        });
        self.in_columns().stack(canvas, panel, slots, parts);
        panel.edges(canvas);
    }

    fn below_scale(&self) -> Coordinate {
        let most = largest(self.below.iter().flat_map(|line| line.most.iter().copied()));
        Coordinate::whole(0.0..if most > 0.0 { 1.06 * most } else { 1.0 })
    }

    fn draw_below(&self, canvas: &mut Canvas, panel: &Panel) {
        panel.ticks_left(canvas, Lines::Grid, Some((SMALL, 6.0)));
        for (i, line) in self.below.iter().enumerate() {
            for (values, of, width) in [(&line.most, Of::Most, 0.7), (&line.mean, Of::Mean, 2.0)] {
                let stroke = line_stroke(i, width);
                self.in_columns().line(canvas, panel, (values, of), stroke);
            }
        }
        panel.edges(canvas);
        canvas.title_up(panel.place, MARGIN + 8.0, &self.below_label);
    }
}

#[cfg(test)]
mod tests;

// Values in slots of time, drawn as the columns of a picture: several slots are merged if there are more than it has room for.

/// Maximum number of columns of a picture: two pixels each.
pub(super) const MOST: usize = 380;

/// The mapping of slots to columns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// Length of a slot and of all of them, in the unit of the axis; the last slot may be shorter.
    pub(super) slot: f64,
    pub(super) end: f64,
    /// Slots of a column.
    pub(super) slots: usize,
}

/// Values in the columns of the picture: the end of each, and its value.
pub(super) type Steps = Vec<(f64, f64)>;

/// The value that represents several slots in one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Mean,
    Most,
    /// The last value: for values that only grow.
    Last,
}

impl Columns {
    /// This number of slots in at most this number of columns.
    pub(super) fn new(slot: f64, end: f64, slots: usize, columns: usize) -> Self {
        Self { slot, end, slots: slots.div_ceil(columns.clamp(1, MOST)).max(1) }
    }

    /// The values of slots; equal neighbours are one.
    pub(super) fn steps(&self, values: &[f64], of: Of) -> Steps {
        let mut steps = Steps::new();
        for (i, column) in values.chunks(self.slots).enumerate() {
            let end = (self.slot * (i * self.slots + column.len()) as f64).min(self.end);
            let value = match of {
                Of::Most => column.iter().copied().fold(0.0, f64::max),
                // The last slot may be shorter than the others; among several in one column that is not visible.
                Of::Mean => mean(column),
                Of::Last => column.last().copied().unwrap_or(0.0),
            };
            match steps.last_mut() {
                Some(last) if (last.1 - value).abs() <= 1e-9 * value.abs() => last.0 = end,
                _ => steps.push((end, value)),
            }
        }
        steps
    }

    /// The runs in which `upper` is above `lower`: (from, to, lower, upper).
    pub(super) fn filled(&self, lower: &[f64], upper: &[f64]) -> Vec<Vec<(f64, f64, f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64, f64, f64)>> = Vec::new();
        let mut is_open = false;
        for (i, (low, high)) in lower.chunks(self.slots).zip(upper.chunks(self.slots)).enumerate() {
            let from = self.slot * (i * self.slots) as f64;
            let to = (from + self.slot * low.len() as f64).min(self.end);
            let (low, high) = (mean(low), mean(high));
            if high - low <= 1e-12 {
                is_open = false;
                continue;
            }
            match runs.last_mut().filter(|_| is_open) {
                Some(run) => match run.last_mut() {
                    Some(last) if (last.2, last.3) == (low, high) => last.1 = to,
                    _ => run.push((from, to, low, high)),
                },
                None => runs.push(vec![(from, to, low, high)]),
            }
            is_open = true;
        }
        runs
    }

    /// Fills the area between two rows of values; draws nothing if it is empty.
    pub(super) fn fill(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        (lower, upper): (&[f64], &[f64]),
        colour: Colour,
    ) {
        let at = |time: f64, value: f64| (panel.across(time), panel.up(value).max(panel.place.y));
        // A shape for each non-empty time.
        for part in &self.filled(lower, upper) {
            let mut points: Vec<At> = Vec::new();
            let mut back: Vec<At> = Vec::new();
            for &(from, to, low, high) in part {
                points.extend([at(from, high), at(to, high)]);
                back.extend([at(from, low), at(to, low)]);
            }
            points.extend(back.into_iter().rev());
            canvas.polygon(&points, Some(colour), None);
        }
    }

    /// Fills sums of rows of `slots` values, each above the previous one.
    pub(super) fn stack<'a>(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        slots: usize,
        sums: impl IntoIterator<Item = (Vec<&'a [f64]>, Colour)>,
    ) {
        let mut lower = vec![0.0; slots];
        for (rows, colour) in sums {
            let mut upper = lower.clone();
            for row in rows {
                upper.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
            self.fill(canvas, panel, (&lower, &upper), colour);
            lower = upper;
        }
    }

    /// Draws values as a line of steps.
    pub(super) fn line(
        &self,
        canvas: &mut Canvas,
        panel: &Panel,
        (values, of): (&[f64], Of),
        stroke: Stroke,
    ) {
        let mut points: Vec<At> = Vec::new();
        let mut from = 0.0;
        for (to, value) in self.steps(values, of) {
            points.extend([panel.at((from, value)), panel.at((to, value))]);
            from = to;
        }
        canvas.path(&points, stroke);
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod columns_tests {
    use super::*;

    #[test]
    fn equal_slots_are_one_shape() {
        let columns = Columns::new(0.0375, 37.5, 1000, MOST);
        assert_eq!(columns.filled(&[0.0; 1000], &[4.0; 1000]), [vec![(0.0, 37.5, 0.0, 4.0)]]);
    }

    #[test]
    fn merged_columns_keep_the_mean_maximum_or_last_value() {
        // Four slots of 1 s in two columns; the last slot ends with the picture.
        let columns = Columns::new(1.0, 3.5, 4, 2);
        let values = [1.0, 3.0, 0.0, 2.0];
        assert_eq!(columns.steps(&values, Of::Mean), [(2.0, 2.0), (3.5, 1.0)]);
        assert_eq!(columns.steps(&values, Of::Most), [(2.0, 3.0), (3.5, 2.0)]);
        assert_eq!(columns.steps(&values, Of::Last), [(2.0, 3.0), (3.5, 2.0)]);
    }
}
