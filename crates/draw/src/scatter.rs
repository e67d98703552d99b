//! Predictions over measurements, with the line of equality.

use crate::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke, THIN};
use crate::figures;
use crate::legend::{FAINT, Legend, draw_mark, draw_open_mark};
use crate::metrics;
use crate::metrics::{between, place_of_name};
use crate::palette::{BAND as BAND_COLOUR, Colour, FAINT_TEXT, TEXT, line_colour};
use crate::panel::{Lines, Panel};
use crate::scale::{Coordinate, extent};

/// Points with the largest errors that are named.
const NAMED: usize = 6;
/// The band on both sides of equality; at the same time the largest error that needs no name.
const BAND: f64 = 0.05;
/// Maximum width of the text next to the points, and the room before the names of points.
const WIDEST: f64 = 240.0;
const BEFORE_NAME: f64 = 24.0;
/// From this ratio of the largest to the smallest value, axes are logarithmic.
const WIDE: f64 = 12.0;
/// Empty space at both ends, as a fraction of the data's range.
const AROUND: f64 = 0.06;
/// Ranges that have this fraction of their union in common are drawn alike, so that equality is the diagonal.
const ALIKE: f64 = 0.75;

/// A measurement and its prediction by the model.
#[derive(Clone, Debug)]
pub struct Point {
    /// Its name in the legend or in a label.
    pub name: String,
    /// In the unit of the plot.
    pub measured: f64,
    /// In the unit of the plot.
    pub predicted: f64,
    /// Both ends of the interval of the prediction, if it has one.
    pub interval: Option<[f64; 2]>,
}

/// Points with the same mark.
#[derive(Clone, Debug)]
pub struct Series {
    /// Their name in the legend or in a label.
    pub name: String,
    /// In any order.
    pub points: Vec<Point>,
}

/// Predicted over measured.
#[derive(Clone, Debug)]
pub struct ScatterPlot {
    /// Above the picture.
    pub heading: Heading,
    /// The unit of both axes.
    pub unit: String,
    /// In the order of the legend.
    pub series: Vec<Series>,
}

/// A point that can be drawn, with the number of its series.
struct Shown<'a> {
    series: usize,
    point: &'a Point,
}

impl Shown<'_> {
    fn error(&self) -> f64 {
        (self.point.predicted - self.point.measured) / self.point.measured
    }
}

impl ScatterPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let points = (0..)
            .zip(&self.series)
            .flat_map(|(series, one)| one.points.iter().map(move |point| Shown { series, point }));
        let all: Vec<Shown<'_>> =
            points.filter(|one| one.point.measured.is_finite() && one.point.predicted.is_finite()).collect();
        let mut worst: Vec<&Shown<'_>> = all.iter().filter(|one| one.error().abs() > BAND).collect();
        worst.sort_by(|a, b| b.error().abs().total_cmp(&a.error().abs()));
        worst.truncate(NAMED);

        let cut = |text: &str| metrics::cut(text, SMALL, WIDEST);
        let mut series = Legend::new(Font::new(SMALL));
        for (i, one) in self.series.iter().enumerate().filter(|_| self.series.len() > 1) {
            series.sign(cut(&one.name), move |canvas, at| draw_mark(canvas, i, at));
        }
        let mut equality = Legend::new(FAINT);
        equality
            .sign("measured = predicted", |canvas, (x, y)| canvas.line((x - 13.0, y), (x + 13.0, y), THIN));
        equality.sign("within 5 %", |canvas, at| canvas.filled(Place::around(at, 26.0, 14.0), BAND_COLOUR));
        let names: Vec<String> = worst.iter().map(|one| cut(&one.point.name)).collect();
        let widths = names.iter().map(|name| BEFORE_NAME + metrics::width(name, SMALL));
        let beside = widths.fold(series.width_beside().max(equality.width_beside()), f64::max);
        let titles = ["measured", "predicted"].map(|what| format!("{what} ({})", self.unit));
        let titles = [titles[0].as_str(), titles[1].as_str()];
        let panel = Panel::framed(scales(&all), titles, (HEADING, SIZE.0 - MARGIN - 12.0 - beside, SIZE.1));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        draw_band(&mut canvas, &panel);
        panel.axes(&mut canvas, [Lines::Grid; 2], titles);
        // The line of equality.
        let (x, y) = (panel.x.ends(), panel.y.ends());
        let (from, to) = (x.0.max(y.0), x.1.min(y.1));
        if from < to {
            canvas.line(panel.at((from, from)), panel.at((to, to)), THIN);
        }
        let mut taken: Vec<Place> = Vec::new();
        let pixel = |one: &Shown<'_>| panel.at((one.point.measured, one.point.predicted));
        for one in &all {
            if let Some(ends) = one.point.interval {
                let ends = ends.map(|end| panel.at((one.point.measured, end)));
                canvas.interval(ends, (3.0, 0.0), Stroke::new(line_colour(one.series), 1.0));
            }
            let (x, y) = pixel(one);
            draw_mark(&mut canvas, one.series, (x, y));
            taken.push(Place::around((x.round(), y.round()), 10.0, 10.0));
        }
        // Numbers, with the names in the list: names are longer than the room between points.
        for (i, one) in worst.iter().enumerate() {
            let text = (i + 1).to_string();
            let place = place_of_name(pixel(one), metrics::width(&text, SMALL), &taken, panel.place);
            taken.push(place);
            canvas.text(place.x, place.middle().1, &text, Font::new(SMALL));
        }
        let left = panel.place.right() + 12.0;
        let y = series.draw_beside(&mut canvas, (left, HEADING + 12.0));
        let gap = if self.series.len() > 1 { 6.0 } else { 0.0 };
        let mut y = equality.draw_beside(&mut canvas, (left, y + gap)) + 10.0;
        for (i, (one, name)) in worst.iter().zip(&names).enumerate() {
            let title = format!("{}  {:+.1} %", i + 1, 100.0 * one.error());
            canvas.text(left + 10.0, y, &title, Font::new(SMALL));
            canvas.text(left + BEFORE_NAME, y + 18.0, name, FAINT);
            y += 42.0;
        }
        canvas.finish(SIZE.1)
    }
}

/// Within 5 % on both sides of equality, cut at the borders.
fn draw_band(canvas: &mut Canvas, panel: &Panel) {
    let (from, to) = panel.x.ends();
    let corners = [(from, 1.0 + BAND), (to, 1.0 + BAND), (to, 1.0 - BAND), (from, 1.0 - BAND)];
    let corners: Vec<At> = corners.into_iter().map(|(x, factor)| panel.at((x, x * factor))).collect();
    let band = between(&corners, panel.place.y, panel.place.bottom());
    if band.len() > 2 {
        canvas.polygon(&band, Some(BAND_COLOUR), None);
    }
}

/// Both scales: with the range of the data, linear or logarithmic.
fn scales(points: &[Shown<'_>]) -> (Coordinate, Coordinate) {
    let measured = extent(points.iter().map(|one| one.point.measured));
    let of_interval = points.iter().filter_map(|one| one.point.interval).flatten();
    let predicted = extent(points.iter().map(|one| one.point.predicted).chain(of_interval));
    let (Some(x), Some(y)) = (measured, predicted) else {
        return (Coordinate::exactly(0.0..1.0), Coordinate::exactly(0.0..1.0));
    };
    let (lowest, highest) = (x.0.min(y.0), x.1.max(y.1));
    // With a margin at both ends, and at least `least`.
    let padded = |(low, high): (f64, f64), least: f64| {
        let more = (AROUND * (high - low)).max(least);
        (low - more, high + more)
    };
    let [x, y] = if lowest > 0.0 && highest > WIDE * lowest {
        alike(x, y, f64::log10).map(|(low, high)| {
            let (low, high) = padded((low.log10(), high.log10()), 0.1);
            Coordinate::logarithmic(10_f64.powf(low), 10_f64.powf(high))
        })
    } else {
        alike(x, y, |value| value).map(|ends| {
            // At least as wide as the band.
            let (low, high) = padded(ends, AROUND * ends.1.abs().max(1e-12));
            Coordinate::exactly(if ends.0 >= 0.0 { low.max(0.0) } else { low }..high)
        })
    };
    (x, y)
}

/// The union for both if they are nearly the same, by positions.
fn alike(x: (f64, f64), y: (f64, f64), position: fn(f64) -> f64) -> [(f64, f64); 2] {
    let union = (x.0.min(y.0), x.1.max(y.1));
    let length = |from: f64, to: f64| position(to) - position(from);
    let common = length(x.0.max(y.0), x.1.min(y.1));
    if common >= ALIKE * length(union.0, union.1) { [union, union] } else { [x, y] }
}

// The front between two objectives, together with other allocations.

/// Maximum width of a name next to a mark.
const WIDEST_MARK: f64 = 380.0;
/// Half of the size of the sign of an allocation next to the front, there and before its name, and the room of the latter.
const SIGN: f64 = 7.0;
const SMALL_SIGN: f64 = 5.0;
const BEFORE_MARK: f64 = 16.0;
/// The area that the front beats, and its border. It is not transparent, because some SVG programs do not support that.
const BEATEN: Colour = Colour(238, 245, 250);
const BORDER: Colour = Colour(115, 178, 214);

/// An allocation with a name.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Both values.
    pub at: [f64; 2],
    /// Its name.
    pub text: String,
    /// Whether it is on the front.
    pub on_front: bool,
}

/// A front.
#[derive(Clone, Debug)]
pub struct FrontPlot {
    /// Above the picture.
    pub heading: Heading,
    /// Titles of the axes with their units: to the right, upwards.
    pub labels: [String; 2],
    /// For each axis.
    pub smaller_is_better: [bool; 2],
    /// Both values of each point, from the best for the first to the best for the second.
    pub points: Vec<[f64; 2]>,
    /// Allocations with a name.
    pub marks: Vec<Mark>,
}

impl FrontPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let marks: Vec<&Mark> =
            self.marks.iter().filter(|mark| mark.at.iter().all(|value| value.is_finite())).collect();
        let [x, y] = [0, 1].map(|i| {
            let values = self.points.iter().chain(marks.iter().map(|mark| &mark.at)).map(|at| at[i]);
            let (low, high) = extent(values).unwrap_or((0.0, 1.0));
            Coordinate::of_results(low, high)
        });
        let worst = [(0, &x), (1, &y)].map(|(i, scale)| {
            let (low, high) = scale.ends();
            if self.smaller_is_better[i] { high } else { low }
        });
        // A truncated axis exaggerates small differences: its title shows the difference.
        let [across, up] = [(&x, 0), (&y, 1)].map(|(scale, i)| match scale.covers() {
            Some(share) => format!("{}; the axis covers {}", self.labels[i], figures::percent(share)),
            None => self.labels[i].clone(),
        });
        let titles = [across.as_str(), up.as_str()];
        let panel = Panel::framed((x, y), titles, (HEADING, SIZE.0 - MARGIN, SIZE.1));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let pixel = |[x, y]: [f64; 2]| panel.at((x, y));
        let points: Vec<At> = self.points.iter().map(|&at| pixel(at)).collect();
        let steps: Vec<At> = self.steps().into_iter().map(pixel).collect();
        // The area that some point beats is behind the steps: nothing is guaranteed between two points.
        if let (Some(first), Some(last)) = (points.first(), points.last()) {
            let worst = pixel(worst);
            let behind = [&[worst, (first.0, worst.1)], &steps[..], &[(worst.0, last.1)]].concat();
            canvas.polygon(&behind, Some(BEATEN), None);
        }
        panel.axes(&mut canvas, [Lines::Grid; 2], titles);
        let front = line_colour(0);
        canvas.path(&steps, Stroke::new(BORDER, 1.0));
        let size = if points.len() > 60 { 2.0 } else { 3.0 };
        for &at in &points {
            canvas.circle(at, size, Some(front), None);
        }
        for mark in marks.iter().filter(|mark| mark.on_front) {
            canvas.circle(pixel(mark.at), 6.0, None, Some(Stroke::new(front, 2.0)));
        }
        for (i, mark) in marks.iter().filter(|mark| !mark.on_front).enumerate() {
            draw_open_mark(&mut canvas, i, pixel(mark.at), SIGN);
        }
        let mut taken: Vec<Place> = points.iter().map(|&at| Place::around(at, 8.0, 8.0)).collect();
        // The steps as well: they must not cross a name.
        taken.extend(steps.windows(2).map(|pair| Place::between(pair[0], pair[1]).inset(-1.0)));
        taken.extend(marks.iter().map(|mark| Place::around(pixel(mark.at), 2.0 * SIGN, 2.0 * SIGN)));
        let mut sign = 0;
        for mark in &marks {
            let name = metrics::cut(&mark.text, SMALL, WIDEST_MARK);
            let before = if mark.on_front { 0.0 } else { BEFORE_MARK };
            let width = metrics::width(&name, SMALL) + before;
            let place = place_of_name(pixel(mark.at), width, &taken, panel.place);
            taken.push(place);
            let y = place.middle().1;
            if !mark.on_front {
                draw_open_mark(&mut canvas, sign, (place.x + SMALL_SIGN, y), SMALL_SIGN);
                sign += 1;
            }
            let colour = if mark.on_front { TEXT } else { FAINT_TEXT };
            canvas.text(place.x + before, y, &name, Font::new(SMALL).colour(colour));
        }
        canvas.finish(SIZE.1)
    }

    /// The border of the area that the points beat, from the first to the last.
    fn steps(&self) -> Vec<[f64; 2]> {
        let between = self.points.windows(2).flat_map(|pair| [[pair[1][0], pair[0][1]], pair[1]]);
        self.points.first().copied().into_iter().chain(between).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        // Errors are 0.012 x -5 to 5: 6 % at most twice, with the one above.
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
        // The maximum number of corners of a strip in a box: its four corners, and one more for each border that cuts it.
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
    fn axes_match_the_range_of_the_data() {
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
    fn a_plot_without_points_is_valid() {
        let empty = ScatterPlot { series: Vec::new(), ..plot(1.1) };
        assert_apart(&empty.svg());
    }

    #[test]
    fn nearly_equal_ranges_are_drawn_alike_and_others_separately() {
        // 8 of 10 in common
        assert_eq!(alike((0.0, 9.0), (1.0, 10.0), |value| value), [(0.0, 10.0), (0.0, 10.0)]);
        assert_eq!(alike((2.0, 9.0), (0.0, 11.0), |value| value), [(2.0, 9.0), (0.0, 11.0)]);
    }
}

#[cfg(test)]
mod front_tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot() -> FrontPlot {
        let mark = |at, text: &str, on_front| Mark { at, text: text.to_owned(), on_front };
        FrontPlot {
            heading: Heading { title: "4 nodes".to_owned(), subtitle: "complete".to_owned() },
            labels: ["total (GFLOPS)".to_owned(), "fair (p)".to_owned()],
            smaller_is_better: [false, false],
            points: vec![[320.0, 0.1], [300.0, 0.3], [250.0, 0.4]],
            marks: vec![mark([320.0, 0.1], "best total", true), mark([140.0, 0.2], "even", false)],
        }
    }

    #[test]
    fn axes_and_marks_are_named() {
        let svg = plot().svg();
        for word in ["4 nodes", "complete", "total (GFLOPS)", "fair (p)", "best total", "even"] {
            assert!(svg.contains(&format!("\n{word}\n")), "{word} is missing:\n{svg}");
        }
        // three points and the ring of the mark on the front
        assert_eq!(svg.matches("<circle").count(), 3 + 1);
    }

    #[test]
    fn overlapping_allocations_are_both_visible() {
        let mut plot = plot();
        let mark = |at, text: &str| Mark { at, text: text.to_owned(), on_front: false };
        plot.marks = vec![
            mark([185.8, 0.25], "even"),
            mark([183.9, 0.2491], "one app per node"),
            mark([320.0, 0.1], "one app per node, one app per node, data local"),
        ];
        let svg = plot.svg();
        assert_apart(&svg);
        assert!(words(&svg).contains("one app per node, one app per node, data local\n"), "{svg}");
        // A cross, a diamond and a square, each twice: at its place and before its name.
        let count =
            |colour: Colour| svg.matches(&format!("stroke=\"{}\" stroke-width=\"2\"", colour.hex())).count();
        // A cross is two lines.
        assert_eq!([1, 2, 3].map(|i| count(line_colour(i))), [4, 2, 2]);
    }

    #[test]
    fn steps_never_suggest_an_allocation_between_two_points() {
        let corners = [[320.0, 0.1], [300.0, 0.1], [300.0, 0.3], [250.0, 0.3], [250.0, 0.4]];
        assert_eq!(plot().steps(), corners);
    }
}
