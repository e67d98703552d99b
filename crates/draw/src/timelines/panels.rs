//! Strips and lines.

use plotters::style::RGBColor;

use super::super::axis::Coordinate;
use super::super::canvas::Canvas;
use super::super::columns::{self, Columns, Of};
use super::super::figures;
use super::super::ink::{Anchor, Font, MEDIUM, SMALL, Stroke};
use super::super::palette::{FAINT_LINE, FAINT_TEXT, TEXT, ground_colour, line_colour};
use super::super::place::Place;
use super::super::style::MARGIN;
use super::layout::{LANE, Layout, Pair};
use super::{DASHES, MOST_APPS, Timeline, TimelinePlot};

/// Orders that stand closer than this many pixels are one tick.
const CLOSE: f64 = 1.5;

impl Timeline {
    /// Of two pixels each: a timeline that ends early has fewer.
    fn columns(&self, values: &[f64], across: &impl Fn(f64) -> f64) -> Columns {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a picture")]
        let most = ((across(self.end) - across(0.0)) / 2.0).ceil() as usize;
        Columns::new(self.slot, self.end, values.len(), most)
    }
}

pub(super) fn draw(canvas: &mut Canvas, plot: &TimelinePlot, layout: &Layout, across: &impl Fn(f64) -> f64) {
    for (number, (pair, (_, size))) in layout.shares.iter().zip(&plot.resources).enumerate() {
        for (one, at) in plot.both().into_iter().zip(pair.at) {
            let at = Place { width: across(one.end) - at.x, ..at };
            canvas.rect(at, 0.0, Some(FAINT_LINE), None);
            let Some(apps) = one.shares.get(number) else { continue };
            let mut lower = vec![0.0; apps.first().map_or(0, Vec::len)];
            for (app, values) in apps.iter().take(MOST_APPS).enumerate() {
                let mut upper = lower.clone();
                columns::add(&mut upper, values);
                let band = (lower.as_slice(), upper.as_slice(), *size);
                one.columns(values, across).fill(canvas, at, band, line_colour(app), across);
                lower = upper;
            }
        }
        beside(canvas, plot, layout, pair, *size);
    }
    title(canvas, &layout.shares, &format!("{} in use", plot.resource_label));
    for (app, (pair, size)) in layout.threads.iter().zip(&plot.threads).enumerate() {
        for (one, at) in plot.both().into_iter().zip(pair.at) {
            let at = Place { width: across(one.end) - at.x, ..at };
            threads(canvas, one, app, at, *size, across);
        }
        beside(canvas, plot, layout, pair, *size);
    }
    title(canvas, &layout.threads, "threads");
    for (one, at) in plot.both().into_iter().zip(layout.items.into_iter().flatten()) {
        let up = grid(canvas, layout, &layout.items_axis, at);
        for (app, items) in one.items.iter().take(MOST_APPS).enumerate() {
            let Some((mean, most)) = items else { continue };
            for (values, of, width) in [(most, Of::Most, 0.7), (mean, Of::Mean, 1.6)] {
                let stroke = Stroke::new(line_colour(app), width);
                one.columns(values, across).line(canvas, (values, of), stroke, across, &up);
            }
        }
        word(canvas, layout, at, &one.name);
    }
    if let Some([first, second]) = layout.items {
        let middle = f64::midpoint(first.y, second.bottom());
        turned(canvas, middle, "items");
    }
    let up = grid(canvas, layout, &layout.progress_axis, layout.progress);
    for (one, dashes) in plot.both().into_iter().zip([&[][..], DASHES]) {
        for (app, values) in one.progress.iter().take(MOST_APPS).enumerate() {
            let stroke = Stroke { dashes, ..Stroke::new(line_colour(app), 1.6) };
            progress(canvas, one, values, stroke, across, &up);
        }
    }
    turned(canvas, layout.progress.y + layout.progress.height / 2.0, &plot.progress_label);
}

/// Running threads from below, blocked ones from above, orders over both.
fn threads(
    canvas: &mut Canvas,
    one: &Timeline,
    app: usize,
    at: Place,
    size: f64,
    across: &impl Fn(f64) -> f64,
) {
    let none = Vec::new();
    let of = |values: &[Vec<f64>]| values.get(app).unwrap_or(&none).clone();
    let (running, blocked) = (of(&one.running), of(&one.blocked));
    let mut fill = |lower: &[f64], upper: &[f64], colour: RGBColor| {
        one.columns(upper, across).fill(canvas, at, (lower, upper, size), colour, across);
    };
    fill(&vec![0.0; running.len()], &running, line_colour(app));
    let free: Vec<f64> = blocked.iter().map(|blocked| (size - blocked).max(0.0)).collect();
    fill(&free, &vec![size; free.len()], ground_colour(0));
    canvas.rect(at, 0.0, None, Some(Stroke::new(FAINT_TEXT, 0.7)));
    let mut last = f64::NEG_INFINITY;
    for &order in one.orders.get(app).into_iter().flatten() {
        let x = across(order);
        if x - last >= CLOSE && (at.x..=at.right() + 1.0).contains(&x) {
            canvas.line((x, at.y - LANE + 1.0), (x, at.y - 1.0), Stroke::new(TEXT, 0.7));
            last = x;
        }
    }
}

/// From slot to slot, not in steps: work goes on inside of each.
fn progress(
    canvas: &mut Canvas,
    one: &Timeline,
    values: &[f64],
    stroke: Stroke,
    across: &impl Fn(f64) -> f64,
    up: &impl Fn(f64) -> f64,
) {
    let columns = one.columns(values, across);
    let column = columns.slot * columns.slots as f64;
    let mut points = vec![(across(0.0), up(0.0))];
    let mut from = 0.0;
    for (to, value) in columns.steps(values, Of::Last) {
        // Equal columns are one step: what the first of them reaches stays until its end.
        let reached = (from + column).min(to);
        points.push((across(reached), up(value)));
        if to > reached {
            points.push((across(to), up(value)));
        }
        from = to;
    }
    canvas.path(&points, stroke);
}

/// Grid, numbers and axes of a panel of lines; where a value stands in it.
fn grid(canvas: &mut Canvas, layout: &Layout, axis: &Coordinate, at: Place) -> impl Fn(f64) -> f64 + use<> {
    let range = (axis.share(0.0), axis.share(1.0));
    let up = move |value: f64| at.bottom() - at.height * (range.0 + value * (range.1 - range.0));
    let mut last = f64::INFINITY;
    for (value, label) in axis.ticks() {
        canvas.line((at.x, up(value)), (at.right(), up(value)), Stroke::new(FAINT_LINE, 1.0));
        if last - up(value) > SMALL + 3.0 {
            canvas.text(layout.numbers, up(value), label, Font::new(SMALL).anchor(Anchor::End));
            last = up(value);
        }
    }
    canvas.line((at.x, at.bottom()), (at.right(), at.bottom()), Stroke::new(TEXT, 1.0));
    canvas.line((at.x, at.y), (at.x, at.bottom()), Stroke::new(TEXT, 1.0));
    up
}

/// Name of a pair, and word and size of each of its strips.
fn beside(canvas: &mut Canvas, plot: &TimelinePlot, layout: &Layout, pair: &Pair, size: f64) {
    let [first, second] = pair.at;
    let end = Font::new(SMALL).anchor(Anchor::End);
    canvas.text(layout.names, f64::midpoint(first.y, second.bottom()), &pair.name, end);
    for (one, at) in plot.both().into_iter().zip(pair.at) {
        word(canvas, layout, at, &one.name);
        // With room for two numbers the strip has an axis from 0; the lower ones say their size alone.
        if at.height > 2.2 * SMALL {
            canvas.text(layout.numbers, at.y + 6.0, &figures::short(size), end);
            canvas.text(layout.numbers, at.bottom() - 4.0, "0", end);
        } else {
            canvas.text(layout.numbers, at.y + at.height / 2.0, &figures::short(size), end);
        }
    }
}

fn word(canvas: &mut Canvas, layout: &Layout, at: Place, text: &str) {
    let font = Font::new(SMALL).anchor(Anchor::End).colour(FAINT_TEXT);
    canvas.text(layout.words, at.y + at.height / 2.0, text, font);
}

fn title(canvas: &mut Canvas, pairs: &[Pair], text: &str) {
    if let (Some(first), Some(last)) = (pairs.first(), pairs.last()) {
        turned(canvas, f64::midpoint(first.at[0].y, last.at[1].bottom()), text);
    }
}

fn turned(canvas: &mut Canvas, middle: f64, text: &str) {
    let font = Font::new(MEDIUM).anchor(Anchor::Middle).turned(-90.0);
    canvas.text(f64::from(MARGIN) + 2.0, middle, text, font);
}
