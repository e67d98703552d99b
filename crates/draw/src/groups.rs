//! Groups of bars beside values that others printed: a bar for each series, with the interval in which its mean lies.
//!
//! Drawn shape by shape: plotters has no marks on bars.

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::metrics;
use super::palette::{FAINT_LINE, PAPER, TEXT, fill_colour};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};

/// Height of a row of the legend.
const ROW: f64 = 20.0;
/// Most lines of the name of a group.
const NAME_LINES: usize = 3;
/// Height of a line of names.
const LINE: f64 = 14.0;
/// Part of the room of a group that its bars fill.
const FILLED: f64 = 0.86;
/// Half of the height and width of the diamond that marks a printed value.
const DIAMOND: f64 = 4.5;

/// A bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupBar {
    /// Its height, in the unit of the plot.
    pub value: f64,
    /// Both ends of an interval around it.
    pub range: Option<[f64; 2]>,
    /// What others say of the same.
    pub mark: Option<f64>,
}

/// Bars side by side: one for each series.
#[derive(Clone, Debug)]
pub struct Group {
    /// Below it.
    pub name: String,
    /// In the order of the series.
    pub bars: Vec<GroupBar>,
}

/// Groups of bars.
#[derive(Clone, Debug)]
pub struct GroupPlot {
    /// Above the picture.
    pub heading: Heading,
    /// What the bars show, with its unit.
    pub label: String,
    /// What the bars of a group are.
    pub series: Vec<String>,
    /// What the intervals are.
    pub ranges: String,
    /// What the marks are.
    pub marks: String,
    /// A line across all groups: where nothing is gained.
    pub line: f64,
    /// From left to right.
    pub groups: Vec<Group>,
    /// A line stands before this group: those from it on are sums of the others.
    pub sums_from: usize,
}

/// What the legend explains.
enum Entry {
    Series(usize),
    Range,
    Mark,
}

impl GroupPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
        let bars = || self.groups.iter().flat_map(|group| &group.bars);
        let tops = bars().flat_map(|bar| [Some(bar.value), bar.range.map(|ends| ends[1]), bar.mark]);
        let highest = tops.flatten().filter(|value| value.is_finite()).fold(self.line, f64::max);
        let axis = Coordinate::exactly(0.0..highest * 1.06);
        let labels = axis.labels().map(|label| metrics::width(label, SMALL)).fold(0.0, f64::max);
        let left = f64::from(MARGIN) + 26.0 + labels + 8.0;
        let right = width - f64::from(MARGIN);
        let slot = (right - left) / self.groups.len().max(1) as f64;
        let names: Vec<Vec<String>> = self
            .groups
            .iter()
            .map(|group| metrics::wrapped(&group.name, SMALL, slot - 4.0, NAME_LINES))
            .collect();
        let lines = names.iter().map(Vec::len).max().unwrap_or(1);

        let mut canvas = Canvas::new(width, height, &self.heading);
        let top = f64::from(HEADING) + self.legend(&mut canvas, right) + 6.0;
        let bottom = height - 20.0 - LINE * lines as f64;
        let up = |value: f64| bottom - (bottom - top) * axis.share(value);
        for (at, label) in axis.ticks() {
            canvas.line((left, up(at)), (right, up(at)), Stroke::new(FAINT_LINE, 1.0));
            canvas.text(left - 6.0, up(at), label, Font::new(SMALL).anchor(Anchor::End));
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle).turned(-90.0);
        canvas.text(f64::from(MARGIN) + 8.0, f64::midpoint(top, bottom), &self.label, title);
        for (number, (group, name)) in self.groups.iter().zip(&names).enumerate() {
            let from = left + slot * number as f64;
            for (line, text) in name.iter().enumerate() {
                let y = bottom + 15.0 + LINE * line as f64;
                canvas.text(from + slot / 2.0, y, text, Font::new(SMALL).anchor(Anchor::Middle));
            }
            if number > 0 && number == self.sums_from {
                let dashed = Stroke { dashes: &[3, 3], ..Stroke::new(TEXT, 1.0) };
                canvas.line((from, top), (from, bottom), dashed);
            }
            let bar_width = slot * FILLED / group.bars.len().max(1) as f64;
            for (series, bar) in group.bars.iter().enumerate() {
                let x = from + slot * (1.0 - FILLED) / 2.0 + bar_width * series as f64;
                if bar.value.is_finite() {
                    let place = Place::new(x, up(bar.value), bar_width, bottom - up(bar.value));
                    filled(&mut canvas, place, series);
                }
            }
        }
        canvas.line((left, up(self.line)), (right, up(self.line)), Stroke::new(TEXT, 1.4));
        canvas.line((left, bottom), (right, bottom), Stroke::new(TEXT, 1.0));
        canvas.line((left, top), (left, bottom), Stroke::new(TEXT, 1.0));
        // Above the line.
        for (number, group) in self.groups.iter().enumerate() {
            let bar_width = slot * FILLED / group.bars.len().max(1) as f64;
            for (series, bar) in group.bars.iter().enumerate() {
                let x = left + slot * (number as f64 + (1.0 - FILLED) / 2.0);
                let x = x + bar_width * (series as f64 + 0.5);
                if let Some([low, high]) = bar.range.filter(|ends| ends.iter().all(|end| end.is_finite())) {
                    whisker(&mut canvas, x, (up(low), up(high)));
                }
                if let Some(mark) = bar.mark.filter(|mark| mark.is_finite()) {
                    diamond(&mut canvas, x, up(mark));
                }
            }
        }
        canvas.finish()
    }

    /// What everything is, in as many rows as that needs; their height.
    fn legend(&self, canvas: &mut Canvas, right: f64) -> f64 {
        let mut entries: Vec<(Entry, &str)> =
            self.series.iter().enumerate().map(|(i, name)| (Entry::Series(i), name.as_str())).collect();
        let has = |what: fn(&GroupBar) -> bool| self.groups.iter().flat_map(|group| &group.bars).any(what);
        if has(|bar| bar.range.is_some()) {
            entries.push((Entry::Range, &self.ranges));
        }
        if has(|bar| bar.mark.is_some()) {
            entries.push((Entry::Mark, &self.marks));
        }
        let start = f64::from(MARGIN);
        let (mut x, mut y) = (start, f64::from(HEADING) + 2.0);
        for (entry, text) in entries {
            let room = 24.0 + metrics::width(text, SMALL);
            if x > start && x + room > right {
                (x, y) = (start, y + ROW);
            }
            match entry {
                Entry::Series(series) => filled(canvas, Place::new(x, y - 6.0, 18.0, 12.0), series),
                Entry::Range => whisker(canvas, x + 9.0, (y + 7.0, y - 7.0)),
                Entry::Mark => diamond(canvas, x + 9.0, y),
            }
            canvas.text(x + 24.0, y, text, Font::new(SMALL));
            x += room + 22.0;
        }
        y - f64::from(HEADING) + ROW - 2.0
    }
}

fn filled(canvas: &mut Canvas, at: Place, series: usize) {
    canvas.rect(at, 0.0, Some(fill_colour(series)), Some(Stroke::new(PAPER, 0.6)));
}

/// From one end of an interval to the other.
fn whisker(canvas: &mut Canvas, x: f64, (low, high): (f64, f64)) {
    let stroke = Stroke::new(TEXT, 1.2);
    canvas.line((x, low), (x, high), stroke);
    for y in [low, high] {
        canvas.line((x - 3.0, y), (x + 3.0, y), stroke);
    }
}

/// A value that others printed.
fn diamond(canvas: &mut Canvas, x: f64, y: f64) {
    let points = [(x, y - DIAMOND), (x + DIAMOND, y), (x, y + DIAMOND), (x - DIAMOND, y)];
    canvas.polygon(&points, Some(PAPER), Some(Stroke::new(TEXT, 1.5)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot(groups: usize, series: usize) -> GroupPlot {
        let bar = |number: usize| GroupBar {
            value: 1.0 + 0.1 * number as f64,
            range: Some([0.95 + 0.1 * number as f64, 1.05 + 0.1 * number as f64]),
            mark: (number == 1).then_some(1.16),
        };
        let group = |number: usize| Group {
            name: format!("integral-histogram {number}"),
            bars: (0..series).map(bar).collect(),
        };
        GroupPlot {
            heading: Heading { title: "Speedups".to_owned(), subtitle: "10 seeds".to_owned() },
            label: "speedup over fifo".to_owned(),
            series: (0..series).map(|number| format!("scheduler {number}")).collect(),
            ranges: "95 % interval of the mean".to_owned(),
            marks: "printed".to_owned(),
            line: 1.0,
            groups: (0..groups).map(group).collect(),
            sums_from: groups.saturating_sub(1),
        }
    }

    #[test]
    fn every_group_and_series_has_its_name_once() {
        let svg = plot(2, 2).svg();
        let words = words(&svg);
        for word in
            ["scheduler 0", "scheduler 1", "95 % interval of the mean", "printed", "speedup over fifo"]
        {
            assert_eq!(words.lines().filter(|line| *line == word).count(), 1, "{word}: {words}");
        }
        // A diamond in each group and one in the legend.
        assert_eq!(svg.matches("<polygon").count(), 3);
    }

    #[test]
    fn nothing_overlaps_in_small_and_large_plots() {
        for (groups, series) in [(1, 1), (3, 5), (10, 5), (10, 7)] {
            assert_apart(&plot(groups, series).svg());
        }
    }

    #[test]
    fn bars_are_as_high_as_their_values_and_missing_ones_are_left_out() {
        let mut plot = plot(1, 2);
        plot.groups[0].bars[0].value = 2.0;
        plot.groups[0].bars[1] = GroupBar { value: f64::NAN, range: None, mark: None };
        let svg = plot.svg();
        assert!(!svg.contains("NaN"));
        // Of the first series the bar and its patch in the legend, of the second one the patch alone.
        let boxes = |colour: usize| svg.matches(&super::super::ink::hex(fill_colour(colour))).count();
        assert_eq!([boxes(0), boxes(1)], [2, 1]);
    }
}
