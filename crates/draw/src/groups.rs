//! Groups of bars beside values that others printed: a bar for each series, with the interval in which its mean lies.

use super::canvas::{At, Canvas, Font, HEADING, Heading, Place, SIZE, SMALL, Stroke};
use super::legend::{Legend, patch};
use super::palette::{PAPER, TEXT, fill_colour};
use super::panel::Slots;
use super::scale::{Coordinate, largest};

/// Part of the room of a group that its bars fill.
const FILLED: f64 = 0.86;
/// Half of the height and width of the diamond that marks a printed value.
const DIAMOND: f64 = 4.5;
/// What is uncertain.
const WHISKER: Stroke = Stroke::new(TEXT, 1.2);

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

impl GroupPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let bars = self.groups.iter().flat_map(|group| &group.bars);
        let tops = bars.flat_map(|bar| [Some(bar.value), bar.range.map(|ends| ends[1]), bar.mark]);
        let scale = Coordinate::from_zero(largest(tops.flatten()).max(self.line), 1.06);
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let top = HEADING + self.legend().draw(&mut canvas, HEADING + 2.0) + 6.0;
        let slots = Slots::new(scale, self.groups.iter().map(|group| group.name.as_str()), top, 4.0);
        slots.axis(&mut canvas, &self.label);
        let panel = &slots.panel;
        for (number, group) in self.groups.iter().enumerate() {
            slots.name(&mut canvas, number);
            if number > 0 && number == self.sums_from {
                let x = panel.across(number as f64);
                let dashed = Stroke::new(TEXT, 1.0).dashed(&[3, 3]);
                canvas.line((x, panel.place.y), (x, panel.place.bottom()), dashed);
            }
            for (series, (bar, ends)) in group.bars.iter().zip(group.sides(number)).enumerate() {
                if bar.value.is_finite() {
                    filled(&mut canvas, panel.cell(ends, [0.0, bar.value]), series);
                }
            }
        }
        let line = panel.up(self.line);
        canvas.line((panel.place.x, line), (panel.place.right(), line), Stroke::new(TEXT, 1.4));
        panel.edges(&mut canvas);
        // Above the line.
        for (number, group) in self.groups.iter().enumerate() {
            for (bar, [from, to]) in group.bars.iter().zip(group.sides(number)) {
                let at = |value: f64| panel.at((f64::midpoint(from, to), value));
                if let Some(ends) = bar.range.filter(|ends| ends.iter().all(|end| end.is_finite())) {
                    canvas.interval(ends.map(at), (3.0, 0.0), WHISKER);
                }
                if let Some(mark) = bar.mark.filter(|mark| mark.is_finite()) {
                    diamond(&mut canvas, at(mark));
                }
            }
        }
        canvas.finish(SIZE.1)
    }

    /// What everything is.
    fn legend(&self) -> Legend<'_> {
        let mut legend = Legend::new(Font::new(SMALL));
        for (series, name) in self.series.iter().enumerate() {
            legend.sign(name, move |canvas, at| filled(canvas, patch(at), series));
        }
        let has = |what: fn(&GroupBar) -> bool| self.groups.iter().flat_map(|group| &group.bars).any(what);
        if has(|bar| bar.range.is_some()) {
            legend.sign(&self.ranges, |canvas, (x, y)| {
                canvas.interval([(x, y + 7.0), (x, y - 7.0)], (3.0, 0.0), WHISKER);
            });
        }
        if has(|bar| bar.mark.is_some()) {
            legend.sign(&self.marks, diamond);
        }
        legend
    }
}

impl Group {
    /// Both sides of each bar, in slots.
    fn sides(&self, number: usize) -> impl Iterator<Item = [f64; 2]> + use<> {
        let width = FILLED / self.bars.len().max(1) as f64;
        let side = move |bar: usize| number as f64 + (1.0 - FILLED) / 2.0 + width * bar as f64;
        (0..self.bars.len()).map(move |bar| [side(bar), side(bar + 1)])
    }
}

fn filled(canvas: &mut Canvas, at: Place, series: usize) {
    canvas.rect(at, 0.0, Some(fill_colour(series)), Some(Stroke::new(PAPER, 0.6)));
}

/// A value that others printed.
fn diamond(canvas: &mut Canvas, (x, y): At) {
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
        let boxes = |colour: usize| svg.matches(&fill_colour(colour).hex()).count();
        assert_eq!([boxes(0), boxes(1)], [2, 1]);
    }
}
