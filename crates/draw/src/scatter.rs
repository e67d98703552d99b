//! Predicted over measured, with the line where both are equal.

mod legend;
mod points;
mod ranges;

use super::canvas::Canvas;
use super::frame::{BELOW, Frame};
use super::geometry::between;
use super::ink::{Font, SMALL, Stroke};
use super::metrics;
use super::names::place_of_name;
use super::palette::{BAND as BAND_COLOUR, TEXT};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};
pub(super) use points::draw_mark;
use points::{Shown, draw_interval};
use ranges::Axes;

pub use points::{Point, ScatterPlot, Series};

/// Points with the largest errors that are named.
const NAMED: usize = 6;
/// The band on both sides of equality; at the same time the largest error that needs no name.
const BAND: f64 = 0.05;

impl ScatterPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let points = (0..)
            .zip(&self.series)
            .flat_map(|(series, one)| one.points.iter().map(move |point| Shown { series, point }));
        let all: Vec<Shown<'_>> =
            points.filter(|one| one.point.measured.is_finite() && one.point.predicted.is_finite()).collect();
        let axes = Axes::of(&all);
        let mut worst: Vec<&Shown<'_>> = all.iter().filter(|one| one.error().abs() > BAND).collect();
        worst.sort_by(|a, b| b.error().abs().total_cmp(&a.error().abs()));
        worst.truncate(NAMED);

        let (width, height) = (f64::from(SIZE.0), f64::from(SIZE.1));
        let legend = legend::Legend::of(self, &worst);
        let (left, top) = (Frame::left(&axes.y), f64::from(HEADING));
        let place =
            Place::new(left, top, width - f64::from(MARGIN) - legend.width() - left, height - BELOW - top);
        let position = axes.position;
        let frame = Frame { x: axes.x, y: axes.y, place };
        let mut canvas = Canvas::new(width, height, &self.heading);
        draw_band(&mut canvas, &frame, axes.is_logarithmic);
        let titles = ["measured", "predicted"].map(|what| format!("{what} ({})", self.unit));
        frame.draw(&mut canvas, [&titles[0], &titles[1]]);
        draw_equality(&mut canvas, &frame);

        let pixel = |one: &Shown<'_>| frame.at(position(one.point.measured), position(one.point.predicted));
        let mut taken: Vec<[i32; 4]> = Vec::new();
        for one in &all {
            let at = pixel(one);
            if let Some([low, high]) = one.point.interval {
                let end = |value: f64| frame.at(position(one.point.measured), position(value));
                draw_interval(&mut canvas, one.series, end(low), end(high));
            }
            draw_mark(&mut canvas, one.series, at);
            let (x, y) = whole(at);
            taken.push([x - 5, y - 5, x + 5, y + 5]);
        }
        let inside = {
            let ((left, top), (right, bottom)) =
                (whole((place.x, place.y)), whole((place.right(), place.bottom())));
            (left..right, top..bottom)
        };
        // Numbers, with the names in the list: names are longer than the room between points.
        for (i, one) in worst.iter().enumerate() {
            let (x, y) = whole(pixel(one));
            let text = (i + 1).to_string();
            let (wide, _) = whole((metrics::width(&text, SMALL).ceil(), 0.0));
            let place = place_of_name(x, y, wide, &taken, &inside);
            taken.push(place);
            let middle = f64::from(i32::midpoint(place[1], place[3]));
            canvas.text(f64::from(place[0]), middle, &text, Font::new(SMALL));
        }
        legend.draw(&mut canvas, &worst, place.right() + 12.0);
        canvas.finish()
    }
}

/// The nearest pixel.
#[allow(clippy::cast_possible_truncation, reason = "pixels")]
fn whole((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// Within 5 % on both sides of equality, cut at the borders.
fn draw_band(canvas: &mut Canvas, frame: &Frame, is_logarithmic: bool) {
    let (x, y) = (&frame.x.range, &frame.y.range);
    let border = |factor: f64, x: f64| if is_logarithmic { x + factor.log10() } else { x * factor };
    let (above, below) = (1.0 + BAND, 1.0 - BAND);
    let corners = [(x.start, above), (x.end, above), (x.end, below), (x.start, below)];
    let corners = corners.map(|(x, factor)| (x, border(factor, x)));
    let band = between(&corners, y.start, y.end);
    if band.len() > 2 {
        let pixels: Vec<(f64, f64)> = band.into_iter().map(|(x, y)| frame.at(x, y)).collect();
        canvas.polygon(&pixels, Some(BAND_COLOUR), None);
    }
}

/// Where both are equal.
fn draw_equality(canvas: &mut Canvas, frame: &Frame) {
    let from = frame.x.range.start.max(frame.y.range.start);
    let to = frame.x.range.end.min(frame.y.range.end);
    if from < to {
        canvas.line(frame.at(from, from), frame.at(to, to), Stroke::new(TEXT, 1.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heading::Heading;
    use crate::testing::{assert_apart, words};

    fn plot(factor: f64) -> ScatterPlot {
        let point = |i: i32, app: usize| Point {
            name: format!("scenario {i}"),
            measured: factor.powi(i),
            predicted: factor.powi(i)
                * (1.0 + 0.012 * f64::from((i * 7 + i32::try_from(app).unwrap_or(0)) % 11 - 5)),
            interval: None,
        };
        let series = |app: usize| Series {
            name: format!("app-{app}"),
            points: (0..12).map(|i| point(i, app)).collect(),
        };
        ScatterPlot {
            heading: Heading { title: "4 nodes".to_owned(), subtitle: "12 scenarios".to_owned() },
            unit: "GFLOPS".to_owned(),
            series: (0..5).map(series).collect(),
        }
    }

    #[test]
    fn the_worst_points_are_named_with_their_errors() {
        let mut plot = plot(1.5);
        plot.series.truncate(1);
        plot.series[0].points[3].predicted = 1.2 * plot.series[0].points[3].measured;
        let svg = plot.svg();
        let texts = words(&svg);
        assert!(texts.contains("\n1  +20.0 %\nscenario 3\n"), "{texts}");
        assert!(texts.contains("measured (GFLOPS)\n") && texts.contains("predicted (GFLOPS)\n"), "{texts}");
        // Errors are 0.012 x -5 to 5: 6 % twice at most, with the one above.
        assert!(texts.matches('%').count() <= 1 + NAMED, "{texts}");
    }

    #[test]
    fn nothing_overlaps_on_linear_and_logarithmic_axes() {
        for factor in [1.1, 1.5, 2.0] {
            assert_apart(&plot(factor).svg());
        }
    }

    /// The corners of the polygon with the colour of the band.
    fn band(svg: &str) -> Vec<(f64, f64)> {
        let tag = svg.split("<polygon").find(|tag| tag.contains("#CDE1EE")).expect("a band");
        let points = tag.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("corners");
        let number = |text: &str| text.parse::<f64>().expect("a number");
        points
            .split(' ')
            .filter_map(|pair| pair.split_once(','))
            .map(|(x, y)| (number(x), number(y)))
            .collect()
    }

    #[test]
    fn the_band_has_straight_borders() {
        // As many corners as a strip has at most in a box: four of its own, one more for each border that cuts it.
        for factor in [1.1, 1.5, 2.0] {
            let corners = band(&plot(factor).svg());
            assert!((4..=6).contains(&corners.len()), "{corners:?}");
        }
        // Logarithmic axes: both borders are parallel to the line of equality.
        let mut corners = band(&plot(2.0).svg());
        corners.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(corners.len() >= 4);
    }

    #[test]
    fn axes_are_as_wide_as_the_data() {
        let mut plot = plot(1.1);
        plot.series.truncate(1);
        let at = |measured: f64, predicted: f64| Point {
            name: "x".to_owned(),
            measured,
            predicted,
            interval: None,
        };
        plot.series[0].points = vec![at(14.0, 14.1), at(23.0, 23.2)];
        let svg = plot.svg();
        let texts = words(&svg);
        assert!(!texts.lines().any(|word| word == "0" || word == "5"), "{texts}");
        // The two marks are at opposite ends of the box: with an axis from 0 they would be 200 pixels apart.
        let xs: Vec<f64> = svg
            .split("<circle")
            .skip(1)
            .filter_map(|tag| tag.split("cx=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!((xs[1] - xs[0]).abs() > 450.0, "{xs:?}");
    }

    #[test]
    fn no_point_at_all_is_still_a_plot() {
        let empty = ScatterPlot { series: Vec::new(), ..plot(1.1) };
        assert_apart(&empty.svg());
    }
}
