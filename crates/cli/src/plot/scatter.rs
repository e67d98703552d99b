//! Predicted over measured, with the line where both are equal.

use plotters::prelude::*;

use super::axis::Coordinate;
use super::names::place_of_name;
use super::style::{
    Area, FAINT_TEXT, Mesh, SIZE, SMALL, TEXT, chart, draw_axes, drawn, headed, left_middle, line_colour,
    shortened, text_width,
};
use super::{DrawError, Heading};

/// A longer name is cut.
const LONGEST_NAME: usize = 38;
/// Width of the list on the right.
const LIST: u32 = 290;
/// Points with the largest errors that are named.
const NAMED: usize = 6;
/// The band on both sides of equality; at the same time the largest error that needs no name.
const BAND: f64 = 0.05;
pub(super) const BAND_COLOUR: RGBColor = RGBColor(205, 225, 238);
/// From this ratio of the largest to the smallest value on, axes are logarithmic.
const WIDE: f64 = 12.0;

/// A measurement and what the model says.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) name: String,
    pub(crate) measured: f64,
    pub(crate) predicted: f64,
}

/// Points with the same mark.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// Predicted over measured.
#[derive(Clone, Debug)]
pub(crate) struct ScatterPlot {
    pub(crate) heading: Heading,
    /// The unit of both axes.
    pub(crate) unit: String,
    pub(crate) series: Vec<Series>,
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
    ///
    /// # Errors
    /// Only those of the drawing library.
    pub(crate) fn svg(&self) -> Result<String, DrawError> {
        drawn(SIZE, |root| self.draw(root))
    }

    fn draw(&self, root: &Area<'_>) -> Result<(), DrawError> {
        let below = headed(root, &self.heading)?;
        let (area, legend) = below.split_horizontally(SIZE.0 - LIST);

        let points = (0..)
            .zip(&self.series)
            .flat_map(|(series, one)| one.points.iter().map(move |point| Shown { series, point }));
        let all: Vec<Shown<'_>> =
            points.filter(|one| one.point.measured.is_finite() && one.point.predicted.is_finite()).collect();
        let values = || all.iter().flat_map(|one| [one.point.measured, one.point.predicted]);
        let lowest = values().fold(f64::INFINITY, f64::min);
        let highest = values().fold(f64::NEG_INFINITY, f64::max);
        let logarithmic = lowest > 0.0 && highest > WIDE * lowest;
        let (axis, position): (Coordinate, fn(f64) -> f64) = if logarithmic {
            (Coordinate::logarithmic(lowest / 1.3, highest * 1.3), f64::log10)
        } else if lowest.is_finite() {
            let axis = Coordinate::of_results(lowest.min(0.95 * highest), highest);
            (axis, |value| value)
        } else {
            (Coordinate::exactly(0.0..1.0), |value| value)
        };
        let range = axis.range.clone();
        let mut chart = chart(&area, 0, axis.clone(), axis)?;
        draw_band(&mut chart, &range, logarithmic)?;
        let titles = ["measured", "predicted"].map(|what| format!("{what} ({})", self.unit));
        draw_axes(&mut chart, [&titles[0], &titles[1]], Mesh::Both)?;
        chart.draw_series([PathElement::new([(range.start, range.start), (range.end, range.end)], TEXT)])?;

        let plotting = chart.plotting_area();
        let pixel = |one: &Shown<'_>| {
            plotting.map_coordinate(&(position(one.point.measured), position(one.point.predicted)))
        };
        let mut taken: Vec<[i32; 4]> = Vec::new();
        for one in &all {
            let (x, y) = pixel(one);
            draw_mark(root, one.series, (x, y))?;
            taken.push([x - 5, y - 5, x + 5, y + 5]);
        }
        let mut worst: Vec<&Shown<'_>> = all.iter().filter(|one| one.error().abs() > BAND).collect();
        worst.sort_by(|a, b| b.error().abs().total_cmp(&a.error().abs()));
        worst.truncate(NAMED);
        // Numbers, with the names in the list: names are longer than the room between points.
        for (i, one) in worst.iter().enumerate() {
            let (x, y) = pixel(one);
            let text = (i + 1).to_string();
            let width = i32::try_from(text_width(&text, SMALL))?;
            let place = place_of_name(x, y, width, &taken, &plotting.get_pixel_range());
            taken.push(place);
            let middle = i32::midpoint(place[1], place[3]);
            root.draw_text(&text, &left_middle(SMALL, &TEXT), (place[0], middle))?;
        }
        drop(chart);
        self.draw_legend(&legend, &worst)
    }

    fn draw_legend(&self, legend: &Area<'_>, worst: &[&Shown<'_>]) -> Result<(), DrawError> {
        let mut y = 12;
        if self.series.len() > 1 {
            for (i, series) in self.series.iter().enumerate() {
                draw_mark(legend, i, (23, y))?;
                let name = shortened(&series.name, LONGEST_NAME);
                legend.draw_text(&name, &left_middle(SMALL, &TEXT), (44, y))?;
                y += 24;
            }
            y += 6;
        }
        legend.draw(&PathElement::new([(10, y), (36, y)], TEXT))?;
        legend.draw_text("measured = predicted", &left_middle(SMALL, &FAINT_TEXT), (44, y))?;
        y += 24;
        legend.draw(&Rectangle::new([(10, y - 7), (36, y + 7)], BAND_COLOUR.filled()))?;
        legend.draw_text("within 5 %", &left_middle(SMALL, &FAINT_TEXT), (44, y))?;
        y += 34;
        for (i, one) in worst.iter().enumerate() {
            let title = format!("{}  {:+.1} %", i + 1, 100.0 * one.error());
            legend.draw_text(&title, &left_middle(SMALL, &TEXT), (10, y))?;
            let name = shortened(&one.point.name, LONGEST_NAME);
            legend.draw_text(&name, &left_middle(SMALL, &FAINT_TEXT), (24, y + 18))?;
            y += 42;
        }
        Ok(())
    }
}

/// Within 5 % on both sides of equality.
fn draw_band(
    chart: &mut super::style::Chart<'_, '_>,
    range: &std::ops::Range<f64>,
    logarithmic: bool,
) -> Result<(), DrawError> {
    let (low, high) = (range.start, range.end);
    let around = |factor: f64| -> Vec<(f64, f64)> {
        // The border from the left end to the right one, cut at the top and at the bottom.
        let steps = 200;
        (0..=steps)
            .map(|i| low + (high - low) * f64::from(i) / f64::from(steps))
            .map(|x| (x, if logarithmic { x + factor.log10() } else { x * factor }.clamp(low, high)))
            .collect()
    };
    let mut band = around(1.0 + BAND);
    band.extend(around(1.0 - BAND).into_iter().rev());
    chart.draw_series([Polygon::new(band, BAND_COLOUR.filled())])?;
    Ok(())
}

/// Series differ in colour and shape.
fn draw_mark(area: &Area<'_>, series: usize, at: (i32, i32)) -> Result<(), DrawError> {
    let colour = line_colour(series);
    let (x, y) = at;
    match series % 5 {
        0 => area.draw(&Circle::new(at, 4, colour.filled()))?,
        1 => area.draw(&TriangleMarker::new(at, 6, colour.filled()))?,
        2 => area.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], colour.stroke_width(2)))?,
        3 => {
            area.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y)], colour.filled()))?;
        }
        _ => area.draw(&Cross::new(at, 4, colour.stroke_width(2)))?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::testing::{assert_apart, words};

    fn plot(factor: f64) -> ScatterPlot {
        let point = |i: i32, app: usize| Point {
            name: format!("scenario {i}"),
            measured: factor.powi(i),
            predicted: factor.powi(i)
                * (1.0 + 0.012 * f64::from((i * 7 + i32::try_from(app).unwrap_or(0)) % 11 - 5)),
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
        let svg = plot.svg().expect("drawn");
        let texts = words(&svg);
        assert!(texts.contains("\n1  +20.0 %\nscenario 3\n"), "{texts}");
        assert!(texts.contains("measured (GFLOPS)\n") && texts.contains("predicted (GFLOPS)\n"), "{texts}");
        // Errors are 0.012 x -5 to 5: 6 % twice at most, with the one above.
        assert!(texts.matches('%').count() <= 1 + NAMED, "{texts}");
    }

    #[test]
    fn nothing_overlaps_on_linear_and_logarithmic_axes() {
        for factor in [1.1, 1.5, 2.0] {
            assert_apart(&plot(factor).svg().expect("drawn"));
        }
    }

    #[test]
    fn no_point_at_all_is_still_a_plot() {
        let empty = ScatterPlot { series: Vec::new(), ..plot(1.1) };
        assert_apart(&empty.svg().expect("drawn"));
    }
}
