//! Model beside reality: a pair of bars for each scenario.
//!
//! Drawn shape by shape: plotters has no hatches, and without them the bars look the same in grey.

use plotters::style::RGBColor;

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::metrics;
use super::palette::{FAINT_LINE, FAINT_TEXT, TEXT};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};

/// The colours of model and reality.
const MODEL: RGBColor = RGBColor(0, 114, 178);
const MEASURED: RGBColor = RGBColor(245, 205, 130);
const HATCH: RGBColor = RGBColor(150, 95, 0);
/// Up to this many pairs stand upright; more lie below each other, and the picture grows.
const MOST_UPRIGHT: usize = 8;
/// Height of a lying pair.
const LYING: f64 = 30.0;
/// Widest column of names beside lying pairs.
const WIDEST_NAME: f64 = 280.0;
/// Room above the plot for what the two bars are.
const LEGEND: f64 = 30.0;

/// A scenario.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The scenario.
    pub name: String,
    /// What the model says, in the unit of the plot.
    pub model: f64,
    /// What was measured, in the same unit.
    pub measured: f64,
    /// Both ends of the interval of the model's figure, where it has one.
    pub model_interval: Option<[f64; 2]>,
    /// Smallest and largest of the repetitions, where there is more than one.
    pub range: Option<[f64; 2]>,
    /// Of the model, in percent of what was measured.
    pub error_percent: Option<f64>,
}

/// Pairs of bars.
#[derive(Clone, Debug)]
pub struct BarPlot {
    /// Above the picture.
    pub heading: Heading,
    /// What the bars show, with its unit.
    pub label: String,
    /// From left to right.
    pub pairs: Vec<Pair>,
}

impl BarPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let highest = self.pairs.iter().flat_map(|pair| {
            let end = |range: Option<[f64; 2]>| range.map_or(0.0, |range| range[1]);
            [pair.model, pair.measured, end(pair.range), end(pair.model_interval)]
        });
        let highest = highest.filter(|value| value.is_finite()).fold(0.0, f64::max);
        let axis = Coordinate::exactly(0.0..if highest > 0.0 { highest * 1.04 } else { 1.0 });
        if self.pairs.len() <= MOST_UPRIGHT { self.upright(&axis) } else { self.lying(&axis) }
    }

    fn upright(&self, axis: &Coordinate) -> String {
        const ERROR: f64 = 22.0;
        let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
        let labels = axis.labels().map(|label| metrics::width(label, SMALL)).fold(0.0, f64::max);
        let left = f64::from(MARGIN) + 26.0 + labels + 8.0;
        let right = width - f64::from(MARGIN);
        let slot = (right - left) / self.pairs.len().max(1) as f64;
        let names: Vec<Vec<String>> =
            self.pairs.iter().map(|pair| metrics::wrapped(&pair.name, SMALL, slot - 10.0, 3)).collect();
        let lines = names.iter().map(Vec::len).max().unwrap_or(1);
        let top = f64::from(HEADING) + LEGEND + ERROR;
        let bottom = height - 18.0 - 15.0 * lines as f64;

        let mut canvas = Canvas::new(width, height, &self.heading);
        self.legend(&mut canvas);
        let up = |value: f64| bottom - (bottom - top) * axis.share(value);
        for (at, label) in axis.ticks() {
            canvas.line((left, up(at)), (right, up(at)), Stroke::new(FAINT_LINE, 1.0));
            canvas.text(left - 6.0, up(at), label, Font::new(SMALL).anchor(Anchor::End));
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle).turned(-90.0);
        canvas.text(f64::from(MARGIN) + 8.0, f64::midpoint(top, bottom), &self.label, title);
        let bar = (slot * 0.34).min(60.0);
        for (i, (pair, name)) in self.pairs.iter().zip(&names).enumerate() {
            let middle = left + slot * (i as f64 + 0.5);
            let place = |x: f64, value: f64| Place::new(x, up(value), bar, bottom - up(value));
            draw_bars(&mut canvas, place(middle - bar, pair.model), place(middle, pair.measured), pair);
            let mut highest = pair.model.max(pair.measured);
            if let Some([low, high]) = pair.model_interval {
                let x = middle - bar / 2.0;
                whisker(&mut canvas, (x, up(low)), (x, up(high)), (5.0, 0.0));
                highest = highest.max(high);
            }
            if let Some([low, high]) = pair.range {
                let x = middle + bar / 2.0;
                whisker(&mut canvas, (x, up(low)), (x, up(high)), (5.0, 0.0));
                highest = highest.max(high);
            }
            if let Some(error) = pair.error_percent {
                let font = Font::new(SMALL).anchor(Anchor::Middle).bold();
                canvas.text(middle, up(highest) - 12.0, &signed(error), font);
            }
            for (line, text) in name.iter().enumerate() {
                let y = bottom + 14.0 + 15.0 * line as f64;
                canvas.text(middle, y, text, Font::new(SMALL).anchor(Anchor::Middle));
            }
        }
        canvas.line((left, bottom), (right, bottom), Stroke::new(TEXT, 1.0));
        canvas.line((left, top), (left, bottom), Stroke::new(TEXT, 1.0));
        canvas.finish()
    }

    fn lying(&self, axis: &Coordinate) -> String {
        let width = f64::from(SIZE.0);
        let cut = |pair: &Pair| metrics::cut(&pair.name, SMALL, WIDEST_NAME);
        let names = self.pairs.iter().map(|pair| metrics::width(&cut(pair), SMALL)).fold(0.0, f64::max);
        let left = f64::from(MARGIN) + names + 10.0;
        let errors = self.pairs.iter().filter_map(|pair| pair.error_percent);
        let widest = errors.map(|error| metrics::width(&signed(error), SMALL) * 1.1).fold(0.0, f64::max);
        let right = width - f64::from(MARGIN) - widest - 10.0;
        let top = f64::from(HEADING) + LEGEND;
        let bottom = top + LYING * self.pairs.len() as f64;

        let mut canvas = Canvas::new(width, bottom + 58.0, &self.heading);
        self.legend(&mut canvas);
        let across = |value: f64| left + (right - left) * axis.share(value);
        for (at, label) in axis.ticks() {
            canvas.line((across(at), top), (across(at), bottom), Stroke::new(FAINT_LINE, 1.0));
            canvas.text(across(at), bottom + 14.0, label, Font::new(SMALL).anchor(Anchor::Middle));
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(left, right), bottom + 38.0, &self.label, title);
        let bar = (LYING - 8.0) / 2.0;
        for (i, pair) in self.pairs.iter().enumerate() {
            let middle = top + LYING * (i as f64 + 0.5);
            let place = |y: f64, value: f64| Place::new(left, y, across(value) - left, bar);
            draw_bars(&mut canvas, place(middle - bar, pair.model), place(middle, pair.measured), pair);
            let mut highest = pair.model.max(pair.measured);
            if let Some([low, high]) = pair.model_interval {
                let y = middle - bar / 2.0;
                whisker(&mut canvas, (across(low), y), (across(high), y), (0.0, 4.0));
                highest = highest.max(high);
            }
            if let Some([low, high]) = pair.range {
                let y = middle + bar / 2.0;
                whisker(&mut canvas, (across(low), y), (across(high), y), (0.0, 4.0));
                highest = highest.max(high);
            }
            if let Some(error) = pair.error_percent {
                canvas.text(across(highest) + 7.0, middle, &signed(error), Font::new(SMALL).bold());
            }
            canvas.text(left - 8.0, middle, &cut(pair), Font::new(SMALL).anchor(Anchor::End));
        }
        canvas.line((left, top), (left, bottom), Stroke::new(TEXT, 1.0));
        canvas.line((left, bottom), (right, bottom), Stroke::new(TEXT, 1.0));
        canvas.finish()
    }

    fn legend(&self, canvas: &mut Canvas) {
        let y = f64::from(HEADING) + 10.0;
        let mut x = f64::from(MARGIN);
        let mut entry = |canvas: &mut Canvas, text: &str| {
            canvas.text(x + 24.0, y, text, Font::new(SMALL));
            let at = x;
            x += 24.0 + metrics::width(text, SMALL) + 26.0;
            at
        };
        let at = entry(canvas, "model");
        model_bar(canvas, Place::new(at, y - 7.0, 18.0, 14.0));
        let at = entry(canvas, "measured");
        measured_bar(canvas, Place::new(at, y - 7.0, 18.0, 14.0));
        if self.pairs.iter().any(|pair| pair.range.is_some()) {
            let (measured, both) =
                ("smallest to largest repetition", "95 % of the model, smallest to largest repetition");
            let text =
                if self.pairs.iter().any(|pair| pair.model_interval.is_some()) { both } else { measured };
            let at = entry(canvas, text);
            whisker(canvas, (at + 9.0, y + 7.0), (at + 9.0, y - 7.0), (5.0, 0.0));
        }
        let text = "% = (model - measured) / measured";
        canvas.text(x, y, text, Font::new(SMALL).colour(FAINT_TEXT));
    }
}

fn draw_bars(canvas: &mut Canvas, model: Place, measured: Place, pair: &Pair) {
    if pair.model.is_finite() {
        model_bar(canvas, model);
    }
    if pair.measured.is_finite() {
        measured_bar(canvas, measured);
    }
}

fn model_bar(canvas: &mut Canvas, at: Place) {
    canvas.rect(at, 0.0, Some(MODEL), Some(Stroke::new(MODEL, 1.0)));
}

fn measured_bar(canvas: &mut Canvas, at: Place) {
    canvas.rect(at, 0.0, Some(MEASURED), None);
    canvas.hatch(at, 7.0, Stroke::new(HATCH, 1.0));
    canvas.rect(at, 0.0, None, Some(Stroke::new(HATCH, 1.0)));
}

/// A line from one end of a range to the other; `half` of the bars across its ends.
fn whisker(canvas: &mut Canvas, from: (f64, f64), to: (f64, f64), half: (f64, f64)) {
    let stroke = Stroke::new(TEXT, 1.6);
    canvas.line(from, to, stroke);
    for (x, y) in [from, to] {
        canvas.line((x - half.0, y - half.1), (x + half.0, y + half.1), stroke);
    }
}

/// `+1.7 %`; a rounded zero has no sign.
fn signed(percent: f64) -> String {
    let text = format!("{percent:+.1} %");
    if text[1..].starts_with("0.0 ") { "0.0 %".to_owned() } else { text }
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
    fn a_value_that_is_missing_has_no_bar() {
        let mut one = plot(1);
        let bars = |plot: &BarPlot| plot.svg().matches("#0072B2").count();
        let both = bars(&one);
        one.pairs[0].model = f64::NAN;
        assert!(bars(&one) < both);
        assert!(!one.svg().contains("NaN"));
    }

    #[test]
    fn an_error_has_a_sign_unless_it_is_nothing() {
        assert_eq!([1.66, -0.11, 0.04, -0.04].map(signed), ["+1.7 %", "-0.1 %", "0.0 %", "0.0 %"]);
    }
}
