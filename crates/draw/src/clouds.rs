//! Small panels of points: predicted over measured as a factor, one panel for each set.
//!
//! The factor is on a logarithmic axis that all panels share, so that twice and half are as far from 1; what lies beyond its ends is
//! drawn at them.

use super::canvas::{At, Canvas, Font, HEADING, Heading, Place, SIZE, SMALL, Stroke, TINY};
use super::kind::{Kind, Named};
use super::legend::{Legend, patch, short};
use super::metrics;
use super::palette::{BAND, TEXT};
use super::panel::{Facets, Lines, Panel};
use super::scale::{Coordinate, extent};

/// Panels side by side.
const COLUMNS: usize = 4;
/// Height of a panel, of a line of its name, of the labels below, and the space between two.
const PANEL: f64 = 104.0;
const LINE: f64 = 12.0;
const NAME_LINES: usize = 2;
const LABELS: f64 = 17.0;
const BETWEEN: f64 = 16.0;

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
        let mut legend = Legend::new(Font::new(SMALL));
        for series in &self.series {
            legend.series(series, |canvas, at| canvas.dots(&[at], 3.0, series.kind.colour()));
        }
        legend.sign(short(&self.band.1), |canvas, at| canvas.filled(patch(at), BAND));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let top = HEADING + legend.draw(&mut canvas, HEADING + 2.0) + 8.0;
        let factor = Coordinate::powers_of_two(1.0 / self.most, self.most);
        let above = LINE * NAME_LINES as f64;
        let heights = (above, PANEL, above + PANEL + LABELS + 12.0);
        let facets = Facets::new(factor.label_width(TINY), (COLUMNS, BETWEEN), top, heights);
        for (number, cloud) in self.clouds.iter().enumerate() {
            let place = facets.place(number / COLUMNS, number % COLUMNS);
            for (line, text) in cloud.names(place.width).iter().rev().enumerate() {
                canvas.text(place.x, place.y - 7.0 - LINE * line as f64, text, Font::new(TINY));
            }
            let panel = Panel { x: cloud.measured(), y: factor.clone(), place };
            self.draw_cloud(&mut canvas, cloud, &panel, number.is_multiple_of(COLUMNS));
        }
        let bottom = facets.row(self.clouds.len().div_ceil(COLUMNS).max(1));
        facets.titles(&mut canvas, &self.titles, bottom + 6.0, (top, bottom));
        canvas.finish(bottom + 26.0)
    }

    fn draw_cloud(&self, canvas: &mut Canvas, cloud: &Cloud, panel: &Panel, is_first: bool) {
        let Place { x: left, y: top, height, .. } = panel.place;
        let at = |x: f64, y: f64| (panel.across(x), panel.up(y).clamp(top, top + height));
        let (above, below) = (panel.up(1.0 + self.band.0), panel.up(1.0 - self.band.0));
        canvas.filled(Place::between((left, above), (panel.place.right(), below)), BAND);
        panel.ticks_left(canvas, Lines::Grid, is_first.then_some((TINY, 5.0)));
        panel.ticks_below(canvas, Lines::Outside(3.0), (TINY, 10.0));
        canvas.line((left, panel.up(1.0)), (panel.place.right(), panel.up(1.0)), Stroke::new(TEXT, 0.8));
        for (series, points) in self.series.iter().zip(&cloud.points) {
            let points = points.iter().filter(|point| point.0 > 0.0 && point.1 > 0.0);
            let pixels: Vec<At> = points.map(|&(x, y)| at(x, y)).collect();
            let radius = if matches!(series.kind, Kind::Null(_)) { 1.1 } else { 1.6 };
            if !pixels.is_empty() {
                canvas.dots(&pixels, radius, series.kind.colour());
            }
        }
        panel.edges(canvas);
    }
}

impl Cloud {
    /// The scale of what was measured: a little wider than the data, and never a point.
    fn measured(&self) -> Coordinate {
        let measured = self.points.iter().flatten().map(|point| point.0).filter(|value| *value > 0.0);
        extent(measured).map_or_else(
            || Coordinate::logarithmic(1.0, 10.0),
            |(low, high)| {
                let more = (high / low).powf(0.05).max(1.1);
                Coordinate::logarithmic(low / more, high * more)
            },
        )
    }

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
        let top = HEADING + 20.0 + 8.0 + LINE * NAME_LINES as f64;
        assert!(svg.contains(&format!(" {top}h0M")), "{top} in {svg}");
    }
}
