//! Small panels of points: predicted over measured as a factor, one panel for each set.
//!
//! The factor is on a logarithmic axis that all panels share, so that twice and half are as far from 1; what lies beyond its ends is
//! drawn at them.

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SUBTITLES, Stroke};
use super::kind::{Kind, Named, draw_legend};
use super::legend::{self, LEGEND};
use super::metrics;
use super::palette::{BAND, FAINT_LINE, TEXT};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};

/// Panels side by side.
const COLUMNS: usize = 4;
/// Height of a panel, of a line of its name, of the labels below, and the space between two.
const PANEL: f64 = 104.0;
const LINE: f64 = 12.0;
const NAME_LINES: usize = 2;
const LABELS: f64 = 17.0;
const BETWEEN: f64 = 16.0;
/// Letters of names and labels.
const TINY: f64 = SUBTITLES[2];

/// The points of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// Above the panel.
    pub name: String,
    /// The unit of what was measured, behind the name.
    pub unit: String,
    /// For each series: measured, and predicted over measured.
    pub points: Vec<Vec<(f64, f64)>>,
}

/// Panels of points.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudGrid {
    /// Above the picture.
    pub heading: Heading,
    /// Titles of the axes: to the right, upwards.
    pub titles: [String; 2],
    /// Those that come later are drawn above the others.
    pub series: Vec<Named>,
    /// Width of the band around 1, as a share; what the legend says of it.
    pub band: (f64, String),
    /// Where the axis of factors ends; it begins at 1 over it.
    pub most: f64,
    /// Row by row.
    pub clouds: Vec<Cloud>,
}

impl CloudGrid {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let factor = Coordinate::powers_of_two(1.0 / self.most, self.most);
        let labels = factor.labels().map(|label| metrics::width(label, TINY)).fold(0.0, f64::max);
        let width = f64::from(SIZE.0);
        let left = f64::from(MARGIN) + 22.0 + labels + 6.0;
        let step = (width - f64::from(MARGIN) - left + BETWEEN) / COLUMNS as f64;
        let texts = self.series.iter().map(|one| one.name.as_str()).chain([self.band.1.as_str()]);
        let legend_rows = legend::rows(texts.clone(), width).len();
        let top = f64::from(HEADING) + LEGEND * legend_rows as f64 + 8.0;
        let pitch = LINE * NAME_LINES as f64 + PANEL + LABELS + 12.0;
        let bottom = top + pitch * self.clouds.len().div_ceil(COLUMNS).max(1) as f64;
        let mut canvas = Canvas::new(width, bottom + 26.0, &self.heading);
        draw_legend(&mut canvas, texts, width, |canvas, i, (x, y)| match self.series.get(i) {
            Some(series) => canvas.dots(&[(x, y)], 3.0, series.kind.colour()),
            None => canvas.rect(Place::new(x - 9.0, y - 6.0, 18.0, 12.0), 0.0, Some(BAND), None),
        });
        for (number, cloud) in self.clouds.iter().enumerate() {
            let (row, column) = (number / COLUMNS, number % COLUMNS);
            let place = Place::new(
                left + step * column as f64,
                top + pitch * row as f64 + LINE * NAME_LINES as f64,
                step - BETWEEN,
                PANEL,
            );
            let names = cloud.names(place.width);
            for (line, text) in names.iter().rev().enumerate() {
                canvas.text(place.x, place.y - 7.0 - LINE * line as f64, text, Font::new(TINY));
            }
            self.draw_cloud(&mut canvas, cloud, &factor, place, column == 0);
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(left, width - f64::from(MARGIN)), bottom + 6.0, &self.titles[0], title);
        let x = f64::from(MARGIN) + 6.0;
        canvas.text(x, f64::midpoint(top, bottom), &self.titles[1], title.turned(-90.0));
        canvas.finish()
    }

    fn draw_cloud(
        &self,
        canvas: &mut Canvas,
        cloud: &Cloud,
        factor: &Coordinate,
        place: Place,
        is_first: bool,
    ) {
        let measured = cloud.points.iter().flatten().map(|point| point.0).filter(|value| *value > 0.0);
        let (low, high) =
            measured.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        let x = if low > high { Coordinate::logarithmic(1.0, 10.0) } else { around(low, high) };
        let across = |value: f64| place.x + place.width * x.share(value.log10());
        let up = |value: f64| place.bottom() - place.height * factor.share(value.log10()).clamp(0.0, 1.0);
        let (above, below) = (up(1.0 + self.band.0), up(1.0 - self.band.0));
        canvas.rect(Place::new(place.x, above, place.width, below - above), 0.0, Some(BAND), None);
        for (at, label) in factor.ticks() {
            let y = place.bottom() - place.height * factor.share(at);
            canvas.line((place.x, y), (place.right(), y), Stroke::new(FAINT_LINE, 1.0));
            if is_first {
                canvas.text(place.x - 5.0, y, label, Font::new(TINY).anchor(Anchor::End));
            }
        }
        let mut last = f64::NEG_INFINITY;
        for (at, label) in x.ticks() {
            let middle = place.x + place.width * x.share(at);
            let half = metrics::width(label, TINY) / 2.0;
            canvas.line((middle, place.bottom()), (middle, place.bottom() + 3.0), Stroke::new(TEXT, 1.0));
            if middle - half > last + 8.0 {
                canvas.text(middle, place.bottom() + 10.0, label, Font::new(TINY).anchor(Anchor::Middle));
                last = middle + half;
            }
        }
        canvas.line((place.x, up(1.0)), (place.right(), up(1.0)), Stroke::new(TEXT, 0.8));
        for (series, points) in self.series.iter().zip(&cloud.points) {
            let pixels = points.iter().filter(|point| point.0 > 0.0 && point.1 > 0.0);
            let pixels: Vec<(f64, f64)> = pixels.map(|&(x, y)| (across(x), up(y))).collect();
            let radius = if matches!(series.kind, Kind::Null(_)) { 1.1 } else { 1.6 };
            if !pixels.is_empty() {
                canvas.dots(&pixels, radius, series.kind.colour());
            }
        }
        canvas.line((place.x, place.bottom()), (place.right(), place.bottom()), Stroke::new(TEXT, 1.0));
        canvas.line((place.x, place.y), (place.x, place.bottom()), Stroke::new(TEXT, 1.0));
    }
}

impl Cloud {
    /// The name in lines, the unit in the last one or, where there is no room, below it.
    fn names(&self, width: f64) -> Vec<String> {
        let unit = format!("({})", self.unit);
        let mut lines = metrics::wrapped(&self.name, TINY, width, NAME_LINES);
        let count = lines.len();
        let Some(last) = lines.last_mut() else { return lines };
        if metrics::width(&format!("{last} {unit}"), TINY) <= width {
            *last = format!("{last} {unit}");
        } else if count < NAME_LINES {
            lines.push(unit);
        } else {
            let room = width - metrics::width(&unit, TINY) - TINY / 2.0;
            *last = format!("{} {unit}", metrics::cut(last, TINY, room));
        }
        lines
    }
}

/// A little wider than the data, and never a point.
fn around(low: f64, high: f64) -> Coordinate {
    let more = (high / low).powf(0.05).max(1.1);
    Coordinate::logarithmic(low / more, high * more)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_apart;

    fn grid(clouds: usize) -> CloudGrid {
        let cloud = |number: usize| Cloud {
            name: format!("processes at once on a machine of several sockets, set {number}"),
            unit: "GB/s".to_owned(),
            points: vec![
                vec![(10.0, 9.0), (10.0, 0.3)],
                vec![(10.0, 1.05), ([10.0, 100.0, 1000.0, 12.0][number % 4], 1.2)],
            ],
        };
        let named = |name: &str, kind| Named { name: name.to_owned(), kind };
        CloudGrid {
            heading: Heading { title: "Sets".to_owned(), subtitle: "of others".to_owned() },
            titles: ["measured, in the unit of the panel".to_owned(), "predicted / measured".to_owned()],
            series: vec![named("no sharing", Kind::Null(0)), named("model", Kind::Model(0))],
            band: (0.1, "within 10 %".to_owned()),
            most: 4.0,
            clouds: (0..clouds).map(cloud).collect(),
        }
    }

    #[test]
    fn nothing_overlaps() {
        for clouds in [0, 1, 5, 20] {
            assert_apart(&grid(clouds).svg());
        }
    }

    #[test]
    fn what_lies_beyond_the_axis_is_at_its_end() {
        let svg = grid(1).svg();
        // 9 times as much is drawn as 4 times, at the top of the panel.
        let top = f64::from(HEADING) + LEGEND + 8.0 + LINE * NAME_LINES as f64;
        assert!(svg.contains(&format!(" {top}h0M")), "{top} in {svg}");
    }
}
