//! Compares model and measurement: a pair of bars for each scenario, hatched so that they differ in greyscale.

use crate::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke};
use crate::legend::{Legend, patch};
use crate::metrics;
use crate::palette::{Colour, PAPER, TEXT, fill_colour};
use crate::panel::{Lines, Panel, Slots};
use crate::scale::{Coordinate, largest};

/// The colours of model and measurement.
const MODEL: Colour = Colour(0, 114, 178);
const MEASURED: Colour = Colour(245, 205, 130);
const HATCH: Colour = Colour(150, 95, 0);
/// The stroke for uncertainty.
const WHISKER: Stroke = Stroke::new(TEXT, 1.6);
/// Up to this number, pairs are drawn upright; more pairs are drawn below each other, and the picture grows.
const MOST_UPRIGHT: usize = 8;
/// Height of a horizontal pair.
const LYING: f64 = 30.0;
/// Maximum width of the column of names next to horizontal pairs.
const WIDEST_NAME: f64 = 280.0;
/// Height of the legend above the plot.
const LEGEND: f64 = 30.0;
/// Height of the error above upright bars.
const ERROR: f64 = 22.0;

/// A scenario.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The scenario.
    pub name: String,
    /// The prediction of the model, in the unit of the plot.
    pub model: f64,
    /// The measurement, in the same unit.
    pub measured: f64,
    /// Both ends of the interval of the prediction, if it has one.
    pub model_interval: Option<[f64; 2]>,
    /// Smallest and largest of the repetitions, if there is more than one.
    pub range: Option<[f64; 2]>,
    /// Error of the model, in percent of the measurement.
    pub error_percent: Option<f64>,
}

/// Pairs of bars.
#[derive(Clone, Debug)]
pub struct BarPlot {
    /// Above the picture.
    pub heading: Heading,
    /// The quantity that the bars show, with its unit.
    pub label: String,
    /// From left to right.
    pub pairs: Vec<Pair>,
}

impl BarPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let ends = self.pairs.iter().flat_map(|pair| {
            let end = |range: Option<[f64; 2]>| range.map_or(0.0, |range| range[1]);
            [pair.model, pair.measured, end(pair.range), end(pair.model_interval)]
        });
        let scale = Coordinate::from_zero(largest(ends), 1.04);
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        self.legend(&mut canvas);
        let height = if self.pairs.len() <= MOST_UPRIGHT {
            self.upright(&mut canvas, scale)
        } else {
            self.lying(&mut canvas, scale)
        };
        canvas.finish(height)
    }

    fn upright(&self, canvas: &mut Canvas, scale: Coordinate) -> f64 {
        let names = self.pairs.iter().map(|pair| pair.name.as_str());
        let slots = Slots::new(scale, names, HEADING + LEGEND + ERROR, 10.0);
        slots.axis(canvas, &self.label);
        let panel = &slots.panel;
        let bar = (slots.width * 0.34).min(60.0);
        for (i, pair) in self.pairs.iter().enumerate() {
            let middle = panel.across(i as f64 + 0.5);
            let place = |side: f64, value: f64| {
                Place::new(middle + bar * side, panel.up(value), bar, panel.place.bottom() - panel.up(value))
            };
            let end = |side: f64, value: f64| (middle + bar * (side + 0.5), panel.up(value));
            let highest = pair.draw(canvas, place, end, (5.0, 0.0));
            if let Some(error) = pair.error_percent {
                let font = Font::middle(SMALL).bold();
                canvas.text(middle, panel.up(highest) - 12.0, &signed(error), font);
            }
            slots.name(canvas, i);
        }
        panel.edges(canvas);
        SIZE.1
    }

    fn lying(&self, canvas: &mut Canvas, scale: Coordinate) -> f64 {
        let names: Vec<String> =
            self.pairs.iter().map(|pair| metrics::cut(&pair.name, SMALL, WIDEST_NAME)).collect();
        let left = MARGIN + largest(names.iter().map(|name| metrics::width(name, SMALL))) + 10.0;
        let errors = self.pairs.iter().filter_map(|pair| pair.error_percent);
        let widest = largest(errors.map(|error| metrics::width(&signed(error), SMALL) * 1.1));
        let right = SIZE.0 - MARGIN - widest - 10.0;
        let height = LYING * self.pairs.len() as f64;
        let place = Place::new(left, HEADING + LEGEND, right - left, height);
        let panel = Panel { x: scale, y: Coordinate::bare(self.pairs.len() as f64..0.0), place };
        panel.ticks_below(canvas, Lines::Grid, (SMALL, 14.0));
        canvas.title_across(place, place.bottom() + 38.0, &self.label);
        let bar = (LYING - 8.0) / 2.0;
        for (i, (pair, name)) in self.pairs.iter().zip(&names).enumerate() {
            let middle = panel.up(i as f64 + 0.5);
            let place = |side: f64, value: f64| {
                Place::new(left, middle + bar * side, panel.across(value) - left, bar)
            };
            let end = |side: f64, value: f64| (panel.across(value), middle + bar * (side + 0.5));
            let highest = pair.draw(canvas, place, end, (0.0, 4.0));
            if let Some(error) = pair.error_percent {
                canvas.text(panel.across(highest) + 7.0, middle, &signed(error), Font::new(SMALL).bold());
            }
            canvas.text(left - 8.0, middle, name, Font::end(SMALL));
        }
        panel.edges(canvas);
        place.bottom() + 58.0
    }

    fn legend(&self, canvas: &mut Canvas) {
        let mut legend = Legend::new(Font::new(SMALL));
        legend.sign("model", |canvas, at| model_bar(canvas, Place::around(at, 18.0, 14.0)));
        legend.sign("measured", |canvas, at| measured_bar(canvas, Place::around(at, 18.0, 14.0)));
        if self.pairs.iter().any(|pair| pair.range.is_some()) {
            let has_intervals = self.pairs.iter().any(|pair| pair.model_interval.is_some());
            let model = if has_intervals { "95 % of the model, " } else { "" };
            legend.sign(format!("{model}smallest to largest repetition"), |canvas, (x, y)| {
                canvas.interval([(x, y + 7.0), (x, y - 7.0)], (5.0, 0.0), WHISKER);
            });
        }
        legend.words("% = (model - measured) / measured");
        legend.draw(canvas, HEADING + 10.0);
    }
}

impl Pair {
    /// Bars with their intervals. `place`: the bar of a value, which starts at -1 or 0 times its width from the middle of the pair; `end`:
    /// the middle of its end. Returns the highest value.
    fn draw(
        &self,
        canvas: &mut Canvas,
        place: impl Fn(f64, f64) -> Place,
        end: impl Fn(f64, f64) -> At,
        half: At,
    ) -> f64 {
        if self.model.is_finite() {
            model_bar(canvas, place(-1.0, self.model));
        }
        if self.measured.is_finite() {
            measured_bar(canvas, place(0.0, self.measured));
        }
        let mut highest = self.model.max(self.measured);
        for (side, interval) in [(-1.0, self.model_interval), (0.0, self.range)] {
            if let Some(ends) = interval {
                canvas.interval(ends.map(|value| end(side, value)), half, WHISKER);
                highest = highest.max(ends[1]);
            }
        }
        highest
    }
}

fn model_bar(canvas: &mut Canvas, at: Place) {
    canvas.rect(at, 0.0, Some(MODEL), Some(Stroke::new(MODEL, 1.0)));
}

fn measured_bar(canvas: &mut Canvas, at: Place) {
    canvas.filled(at, MEASURED);
    canvas.hatch(at, 7.0, Stroke::new(HATCH, 1.0));
    canvas.border(at, Stroke::new(HATCH, 1.0));
}

/// `+1.7 %`; a rounded zero has no sign.
fn signed(percent: f64) -> String {
    let text = format!("{percent:+.1} %");
    if text[1..].starts_with("0.0 ") { "0.0 %".to_owned() } else { text }
}

// Groups of bars compared with published values: a bar for each series, with the interval of its mean.

/// Fraction of the width of a group that its bars fill.
const FILLED: f64 = 0.86;
/// Half of the height and width of the diamond that marks a published value.
const DIAMOND: f64 = 4.5;
/// The stroke for uncertainty.
const GROUP_WHISKER: Stroke = Stroke::new(TEXT, 1.2);

/// A bar.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupBar {
    /// Its height, in the unit of the plot.
    pub value: f64,
    /// Both ends of an interval around it.
    pub range: Option<[f64; 2]>,
    /// The published value.
    pub mark: Option<f64>,
}

/// Adjacent bars: one for each series.
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
    /// The quantity that the bars show, with its unit.
    pub label: String,
    /// The names of the bars of a group.
    pub series: Vec<String>,
    /// The meaning of the intervals.
    pub ranges: String,
    /// The meaning of the marks.
    pub marks: String,
    /// A line across all groups: no gain.
    pub line: f64,
    /// From left to right.
    pub groups: Vec<Group>,
    /// A line is drawn before this group: the groups from it on are sums of the others.
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
                    canvas.interval(ends.map(at), (3.0, 0.0), GROUP_WHISKER);
                }
                if let Some(mark) = bar.mark.filter(|mark| mark.is_finite()) {
                    diamond(&mut canvas, at(mark));
                }
            }
        }
        canvas.finish(SIZE.1)
    }

    /// The meaning of all elements.
    fn legend(&self) -> Legend<'_> {
        let mut legend = Legend::new(Font::new(SMALL));
        for (series, name) in self.series.iter().enumerate() {
            legend.sign(name, move |canvas, at| filled(canvas, patch(at), series));
        }
        let has = |what: fn(&GroupBar) -> bool| self.groups.iter().flat_map(|group| &group.bars).any(what);
        if has(|bar| bar.range.is_some()) {
            legend.sign(&self.ranges, |canvas, (x, y)| {
                canvas.interval([(x, y + 7.0), (x, y - 7.0)], (3.0, 0.0), GROUP_WHISKER);
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

/// A published value.
fn diamond(canvas: &mut Canvas, (x, y): At) {
    let points = [(x, y - DIAMOND), (x + DIAMOND, y), (x, y + DIAMOND), (x - DIAMOND, y)];
    canvas.polygon(&points, Some(PAPER), Some(Stroke::new(TEXT, 1.5)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot(count: usize) -> BarPlot {
        let pair = |i: usize| Pair {
            name: format!("mem 1/{} beside compute {i}, home on node {}", 1 << (i % 6), i % 8),
            model: 10.0 + i as f64,
            measured: 10.5 + 0.9 * i as f64,
            model_interval: None,
            range: Some([10.0 + 0.9 * i as f64, 11.0 + 0.9 * i as f64]),
            error_percent: Some(i as f64 - 3.0),
        };
        BarPlot {
            heading: Heading { title: "4 nodes".to_owned(), subtitle: "model and measurement".to_owned() },
            label: "GFLOPS".to_owned(),
            pairs: (0..count).map(pair).collect(),
        }
    }

    #[test]
    fn the_paper_s_table_has_its_errors_above_its_bars() {
        // Table III: model / measured; (23.20 - 22.82) / 22.82 = +1.7 %
        let rows = [("uneven", 23.20, 22.82), ("even", 18.12, 18.14), ("one app per node", 15.18, 15.28)];
        let pairs = rows.map(|(name, model, measured)| Pair {
            name: name.to_owned(),
            model,
            measured,
            model_interval: None,
            range: None,
            error_percent: Some((model - measured) / measured * 100.0),
        });
        let svg = BarPlot { pairs: pairs.to_vec(), ..plot(0) }.svg();
        insta::assert_snapshot!(words(&svg));
        assert_apart(&svg);
    }

    #[test]
    fn nothing_overlaps_from_1_to_40_scenarios() {
        for count in [1, 2, 5, 8, 9, 40] {
            assert_apart(&plot(count).svg());
        }
    }

    #[test]
    fn a_missing_value_has_no_bar() {
        let mut one = plot(1);
        let bars = |plot: &BarPlot| plot.svg().matches("#0072B2").count();
        let both = bars(&one);
        one.pairs[0].model = f64::NAN;
        assert!(bars(&one) < both);
        assert!(!one.svg().contains("NaN"));
    }

    #[test]
    fn a_nonzero_error_has_a_sign() {
        assert_eq!([1.66, -0.11, 0.04, -0.04].map(signed), ["+1.7 %", "-0.1 %", "0.0 %", "0.0 %"]);
    }
}

#[cfg(test)]
mod groups_tests {
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
    fn bar_heights_match_values_and_missing_ones_are_omitted() {
        let mut plot = plot(1, 2);
        plot.groups[0].bars[0].value = 2.0;
        plot.groups[0].bars[1] = GroupBar { value: f64::NAN, range: None, mark: None };
        let svg = plot.svg();
        assert!(!svg.contains("NaN"));
        // The first series has a bar and its patch in the legend, the second one only the patch.
        let boxes = |colour: usize| svg.matches(&fill_colour(colour).hex()).count();
        assert_eq!([boxes(0), boxes(1)], [2, 1]);
    }
}
