//! The roofline of a machine, with its applications on it: Williams, Waterman and Patterson, "Roofline: an insightful
//! visual performance model for multicore architectures", with a roof for memory behind a link.
//!
//! Drawn shape by shape: plotters has neither sloped text nor smooth dashes, and dashes tell the roofs apart in grey.

mod badges;
mod labels;
mod values;

use std::ops::Range;

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::frame::{BELOW, Frame};
use super::ink::{Font, SMALL, Stroke};
use super::metrics;
use super::palette::{FAINT_TEXT, line_colour};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};
use crate::figures;
use badges::Badge;

pub use values::{Roof, RoofApp, Roofline};

/// Width of the list on the right.
const LIST: f64 = 262.0;
/// Height of an entry of the list: two lines.
const ENTRY: f64 = 36.0;
/// Room above the plot for the letters of the applications.
const LETTERS: f64 = 34.0;
/// The roofs' dashes.
const DASHES: [&[u8]; 5] = [&[], &[10, 4], &[10, 4, 2, 4], &[5, 4], &[2, 4]];

impl Roofline {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let entries = self.roofs.len() + self.apps.len();
        let height = (f64::from(HEADING) + LETTERS + ENTRY * entries as f64 + 40.0).max(f64::from(SIZE.1));
        let width = f64::from(SIZE.0) + 60.0;
        let (x, y) = ranges(self);
        let (x, y) = (Coordinate::powers_of_two(x.start, x.end), Coordinate::logarithmic(y.start, y.end));
        let left = Frame::left(&y);
        let top = f64::from(HEADING) + LETTERS;
        let place = Place::new(left, top, width - LIST - f64::from(MARGIN) - left, height - BELOW - top);
        let frame = Frame { x, y, place };

        let mut canvas = Canvas::new(width, height, &self.heading);
        frame.draw(&mut canvas, ["arithmetic intensity (FLOP/byte)", "performance (GFLOPS)"]);
        let mut taken = badges::draw_apps(self, &mut canvas, &frame);
        draw_roofs(self, &mut canvas, &frame);
        taken.extend(badges::draw_points(self, &mut canvas, &frame));
        labels::draw(self, &mut canvas, &frame, taken);
        draw_list(self, &mut canvas, place.right() + 24.0);
        canvas.finish()
    }
}

/// Around every ridge, application and point.
fn ranges(plot: &Roofline) -> (Range<f64>, Range<f64>) {
    let ridges = plot.roofs.iter().map(|roof| roof.peak_gflops / roof.bandwidth_gbs);
    let (low, high) = ends(ridges.chain(plot.apps.iter().map(|app| app.intensity)));
    let x = low / 3.0..high * 3.0;
    let feet = plot.roofs.iter().map(|roof| roof.bandwidth_gbs * x.start);
    let tops = plot.roofs.iter().map(|roof| roof.peak_gflops);
    let points = plot.apps.iter().filter_map(|app| app.gflops).filter(|gflops| *gflops > 0.0);
    let (low, high) = ends(feet.chain(tops).chain(points));
    (x, low / 1.5..high * 1.6)
}

/// The roofs as lines, the highest on top.
fn draw_roofs(plot: &Roofline, canvas: &mut Canvas, frame: &Frame) {
    for (i, roof) in plot.roofs.iter().enumerate().rev() {
        canvas.path(&labels::line_of(roof, frame), roof_stroke(i));
    }
}

fn draw_list(plot: &Roofline, canvas: &mut Canvas, left: f64) {
    let room = LIST - 60.0;
    let faint = Font::new(SMALL).colour(FAINT_TEXT);
    let mut y = f64::from(HEADING) + LETTERS + 8.0;
    for (i, roof) in plot.roofs.iter().enumerate() {
        canvas.line((left, y), (left + 30.0, y), roof_stroke(i));
        canvas.text(left + 40.0, y, &metrics::cut(&roof.name, SMALL, room), Font::new(SMALL));
        let figures = format!(
            "{} GB/s, {} GFLOPS",
            figures::rounded(roof.bandwidth_gbs),
            figures::rounded(roof.peak_gflops)
        );
        canvas.text(left + 40.0, y + 15.0, &figures, faint);
        y += ENTRY;
    }
    y += 6.0;
    for (i, app) in plot.apps.iter().enumerate() {
        badges::draw(plot, canvas, &Badge { x: left + 15.0, y, apps: vec![i] });
        canvas.text(left + 40.0, y, &metrics::cut(&app.name, SMALL, room), Font::new(SMALL));
        let intensity = format!("{} FLOP/byte", figures::intensity(app.intensity));
        let text = match app.gflops {
            Some(gflops) => format!("{intensity}, {} GFLOPS", figures::single(gflops)),
            None => intensity,
        };
        canvas.text(left + 40.0, y + 15.0, &text, faint);
        y += ENTRY;
    }
}

fn roof_stroke(i: usize) -> Stroke {
    Stroke { dashes: DASHES[i % DASHES.len()], ..Stroke::new(line_colour(i), 2.2) }
}

/// The smallest and the largest; a decade around 1 of nothing.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let found = values
        .filter(|value| value.is_finite() && *value > 0.0)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    if found.0.is_finite() { found } else { (0.3, 3.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heading::Heading;
    use crate::testing::{assert_apart, assert_off_lines, words};

    fn plot(apps: usize, with_results: bool) -> Roofline {
        let roof = |name: &str, bandwidth_gbs, peak_gflops| Roof {
            name: name.to_owned(),
            bandwidth_gbs,
            peak_gflops,
        };
        let app = |i: usize| RoofApp {
            letter: char::from(b'A' + u8::try_from(i).unwrap_or(0)).to_string(),
            name: format!("application-{i}"),
            intensity: 0.03125 * 2_f64.powi(i32::try_from(i).unwrap_or(0) / 2 * 2),
            gflops: with_results.then_some(3.0 + 9.0 * i as f64),
        };
        Roofline {
            heading: Heading { title: "8 nodes".to_owned(), subtitle: "scenario even".to_owned() },
            roofs: vec![
                roof("whole machine", 88.0, 588.8),
                roof("one node, its own memory", 11.28, 73.6),
                roof("node 2 reading node 3 (fastest link)", 5.73, 73.6),
                roof("node 4 reading node 7 (slowest link)", 2.05, 73.6),
                roof("one core, its own memory", 11.28, 9.2),
            ],
            apps: (0..apps).map(app).collect(),
        }
    }

    #[test]
    fn nothing_overlaps_with_8_applications() {
        for (apps, results) in [(0, false), (1, true), (8, false), (8, true)] {
            assert_apart(&plot(apps, results).svg());
        }
    }

    #[test]
    fn labels_of_roofs_are_crossed_by_no_line() {
        for (apps, results) in [(0, false), (1, true), (4, false), (8, false), (8, true)] {
            assert_off_lines(&plot(apps, results).svg());
        }
        // Some roofs are labelled even with many applications.
        assert!(words(&plot(8, true).svg()).lines().any(|word| word == "11.28 GB/s"));
    }

    #[test]
    fn roofs_and_applications_are_listed_with_their_units() {
        insta::assert_snapshot!(words(&plot(3, true).svg()));
    }

    #[test]
    fn letters_at_one_place_share_a_box() {
        // A and B have the same intensity, and so have C and D.
        let texts = words(&plot(4, false).svg());
        assert!(texts.contains("A B\n") && texts.contains("C D\n"), "{texts}");
    }
}
