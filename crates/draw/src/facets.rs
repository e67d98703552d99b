//! Small panels in rows and columns: clouds of points, and measured points with curves that should go through them.

use crate::canvas::{At, Canvas, Font, HEADING, Heading, Place, SIZE, SMALL, Stroke, THIN, TINY};
use crate::legend::{Kind, Legend, Named, patch, short};
use crate::metrics;
use crate::palette::{BAND, PAPER, TEXT};
use crate::panel::{Facets, Lines, Panel};
use crate::scale::{Coordinate, extent, largest};

// Small panels of points: predicted over measured as a factor, one panel for each set.
//
// The factor is on a logarithmic axis that all panels share, so that 2 and 1/2 are at the same distance from 1. Points beyond its ends are
// drawn at them.

/// Number of panels in a row.
const CLOUD_COLUMNS: usize = 4;
/// Height of a panel, of a line of its name, of the labels below, and the space between two.
const CLOUD_PANEL: f64 = 104.0;
const CLOUD_LINE: f64 = 12.0;
const NAME_LINES: usize = 2;
const CLOUD_LABELS: f64 = 17.0;
const CLOUD_BETWEEN: f64 = 16.0;

/// The points of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    /// Above the panel.
    pub name: String,
    /// The unit of the measurements, shown after the name.
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
    /// In drawing order: later series are drawn above the others.
    pub series: Vec<Named>,
    /// Width of the band around 1, as a fraction; its text in the legend.
    pub band: (f64, String),
    /// The end of the axis of factors; it starts at 1 over this.
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
        let above = CLOUD_LINE * NAME_LINES as f64;
        let heights = (above, CLOUD_PANEL, above + CLOUD_PANEL + CLOUD_LABELS + 12.0);
        let facets = Facets::new(factor.label_width(TINY), (CLOUD_COLUMNS, CLOUD_BETWEEN), top, heights);
        for (number, cloud) in self.clouds.iter().enumerate() {
            let place = facets.place(number / CLOUD_COLUMNS, number % CLOUD_COLUMNS);
            for (line, text) in cloud.names(place.width).iter().rev().enumerate() {
                canvas.text(place.x, place.y - 7.0 - CLOUD_LINE * line as f64, text, Font::new(TINY));
            }
            let panel = Panel { x: cloud.measured(), y: factor.clone(), place };
            self.draw_cloud(&mut canvas, cloud, &panel, number.is_multiple_of(CLOUD_COLUMNS));
        }
        let bottom = facets.row(self.clouds.len().div_ceil(CLOUD_COLUMNS).max(1));
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
    /// The scale of the measurements: slightly wider than the data, and never a point.
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

    /// The name in lines, with the unit in the last one or, if there is no room, below it.
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

// Small panels in rows and columns: measured points, and curves that should go through them.

/// Height of a panel, of the name above a row of them, of the labels below, and the space between two.
const PANEL: f64 = 80.0;
const NAME: f64 = 17.0;
const LABELS: f64 = 17.0;
const BETWEEN: f64 = 12.0;
/// Radius of a measured point.
const POINT: f64 = 2.2;

/// Measured points and curves. Positions to the right and upwards, in the units of the axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurvePanel {
    /// Points that a fit used: hollow.
    pub fitted: Vec<(f64, f64)>,
    /// The others.
    pub others: Vec<(f64, f64)>,
    /// A curve for each series; cut at the border of the panel.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// The note for each curve, in its colour; none if it is empty.
    pub notes: Vec<String>,
}

/// Panels with the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveRow {
    /// Above them.
    pub name: String,
    /// One for each column; an empty one is left out.
    pub panels: Vec<Option<CurvePanel>>,
}

/// Panels in rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveGrid {
    /// Above the picture.
    pub heading: Heading,
    /// Titles of the axes, with their units: to the right, upwards.
    pub titles: [String; 2],
    /// The meaning of the points: those that a fit used, the others.
    pub points: [String; 2],
    /// The meaning of the curves.
    pub series: Vec<Named>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// From above.
    pub rows: Vec<CurveRow>,
}

impl CurveRow {
    /// Both scales: from 0 to slightly more than the measurements.
    fn scales(&self) -> (Coordinate, Coordinate) {
        let points =
            || self.panels.iter().flatten().flat_map(|panel| panel.fitted.iter().chain(&panel.others));
        let end = |most: f64, more: f64| if most > 0.0 { more * most } else { 1.0 };
        let most = [largest(points().map(|point| point.0)), largest(points().map(|point| point.1))];
        (Coordinate::whole(0.0..end(most[0], 1.04)), Coordinate::from_zero(most[1], 1.15))
    }
}

impl CurveGrid {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let mut legend = Legend::new(Font::new(SMALL));
        for (name, is_hollow) in self.points.iter().zip([true, false]) {
            legend.sign(short(name), move |canvas, at| draw_point(canvas, is_hollow, at));
        }
        self.series.iter().for_each(|series| legend.line(&series.name, series.kind.stroke()));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let top = HEADING + legend.draw(&mut canvas, HEADING + 2.0) + 12.0;
        let scales: Vec<(Coordinate, Coordinate)> = self.rows.iter().map(CurveRow::scales).collect();
        let labels = largest(scales.iter().map(|(_, y)| y.label_width(TINY)));
        let heights = (NAME + 9.0, PANEL, NAME + PANEL + LABELS + BETWEEN);
        let facets = Facets::new(labels, (self.columns.len(), BETWEEN), top, heights);
        for (column, name) in self.columns.iter().enumerate() {
            let middle = facets.place(0, column).middle().0;
            canvas.text(middle, top, name, Font::middle(SMALL).bold());
        }
        for (number, (row, (x, y))) in self.rows.iter().zip(&scales).enumerate() {
            let name_y = facets.row(number) + if number == 0 { 2.0 } else { 3.0 };
            canvas.text(facets.left, name_y + NAME - 3.0, &row.name, Font::new(SMALL));
            for (column, panel) in row.panels.iter().enumerate() {
                if let Some(panel) = panel {
                    let place = facets.place(number, column);
                    let plane = Panel { x: x.clone(), y: y.clone(), place };
                    self.draw_panel(&mut canvas, panel, &plane, column == 0);
                }
            }
        }
        let bottom = facets.row(self.rows.len()) + 3.0;
        facets.titles(&mut canvas, &self.titles, bottom + 8.0, (top + NAME, bottom - LABELS));
        canvas.finish(bottom + 22.0)
    }

    fn draw_panel(&self, canvas: &mut Canvas, panel: &CurvePanel, plane: &Panel, is_first: bool) {
        plane.ticks_below(canvas, Lines::No, (TINY, 9.0));
        plane.ticks_left(canvas, Lines::Grid, is_first.then_some((TINY, 5.0)));
        plane.edges(canvas);
        for (curve, series) in panel.curves.iter().zip(&self.series) {
            let inside = below(curve, plane.y.ends().1);
            let pixels: Vec<At> = inside.into_iter().map(|point| plane.at(point)).collect();
            canvas.path(&pixels, series.kind.stroke());
        }
        for (points, is_hollow) in [(&panel.others, false), (&panel.fitted, true)] {
            for &point in points {
                draw_point(canvas, is_hollow, plane.at(point));
            }
        }
        let notes = panel.notes.iter().zip(&self.series).filter(|(note, _)| !note.is_empty());
        let (right, bottom) = (plane.place.right() - 3.0, plane.place.bottom() - 9.0);
        for (line, (note, series)) in notes.enumerate() {
            let font = Font::end(TINY).colour(series.kind.colour()).halo();
            canvas.text(right, bottom - 12.0 * line as f64, note, font);
        }
    }
}

fn draw_point(canvas: &mut Canvas, is_hollow: bool, at: At) {
    canvas.circle(at, POINT, Some(if is_hollow { PAPER } else { TEXT }), Some(THIN));
}

/// The start of a curve, below a height.
fn below(curve: &[(f64, f64)], top: f64) -> Vec<(f64, f64)> {
    let mut kept: Vec<(f64, f64)> = Vec::new();
    for &(x, y) in curve {
        if y <= top {
            kept.push((x, y));
            continue;
        }
        if let Some(&(from_x, from_y)) = kept.last() {
            kept.push((from_x + (x - from_x) * (top - from_y) / (y - from_y), top));
        }
        break;
    }
    kept
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
    fn points_beyond_the_axis_are_at_its_end() {
        let svg = grid(1).svg();
        // A factor of 9 is drawn like one of 4, at the top of the panel.
        let top = HEADING + 20.0 + 8.0 + CLOUD_LINE * NAME_LINES as f64;
        assert!(svg.contains(&format!(" {top}h0M")), "{top} in {svg}");
    }
}

#[cfg(test)]
mod curves_tests {
    use super::*;
    use crate::legend::Kind;
    use crate::testing::{assert_apart, words};

    fn curve_grid(rows: usize, columns: usize) -> CurveGrid {
        let panel = CurvePanel {
            fitted: vec![(1.0, 10.0), (4.0, 30.0)],
            others: vec![(2.0, 19.0), (3.0, 27.0)],
            curves: vec![vec![(1.0, 10.0), (4.0, 30.0)], vec![(1.0, 10.0), (4.0, 40.0)]],
            notes: vec!["1.4 %".to_owned(), String::new()],
        };
        let row = |number: usize| CurveRow {
            name: format!("machine {number}, 2 threads per core"),
            panels: vec![Some(panel.clone()); columns],
        };
        let named = |name: &str, kind| Named { name: name.to_owned(), kind };
        CurveGrid {
            heading: Heading { title: "Curves".to_owned(), subtitle: "of some machines".to_owned() },
            titles: ["cores".to_owned(), "GB/s".to_owned()],
            points: ["fitted".to_owned(), "not fitted".to_owned()],
            series: vec![named("model", Kind::Model(0)), named("no sharing", Kind::Null(0))],
            columns: (0..columns).map(|i| format!("kernel {i}")).collect(),
            rows: (0..rows).map(row).collect(),
        }
    }

    #[test]
    fn nothing_overlaps() {
        for (rows, columns) in [(1, 1), (2, 3), (7, 5)] {
            assert_apart(&curve_grid(rows, columns).svg());
        }
    }

    #[test]
    fn every_panel_has_its_points_and_one_note() {
        let svg = curve_grid(2, 3).svg();
        // 4 in each of 6 panels, and two in the legend.
        assert_eq!(svg.matches("<circle").count(), 4 * 6 + 2);
        assert_eq!(words(&svg).lines().filter(|word| *word == "1.4 %").count(), 6);
    }

    #[test]
    fn a_curve_ends_where_it_leaves_the_panel() {
        // From (1, 10) to (4, 40): 34.5 is reached at 3.45; the rest is cut.
        assert_eq!(below(&[(1.0, 10.0), (4.0, 40.0), (5.0, 20.0)], 34.5), [(1.0, 10.0), (3.45, 34.5)]);
        assert_eq!(below(&[(1.0, 50.0)], 34.5), []);
    }

    #[test]
    fn a_plot_without_rows_is_valid() {
        assert_apart(&curve_grid(0, 2).svg());
    }
}
