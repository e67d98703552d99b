//! Small panels in rows and columns: measured points, and curves that should go through them.

use super::canvas::{At, Canvas, Font, HEADING, Heading, SIZE, SMALL, THIN, TINY};
use super::kind::Named;
use super::legend::{Legend, short};
use super::palette::{PAPER, TEXT};
use super::panel::{Facets, Lines, Panel as Plane};
use super::scale::{Coordinate, largest};

/// Height of a panel, of the name above a row of them, of the labels below, and the space between two.
const PANEL: f64 = 80.0;
const NAME: f64 = 17.0;
const LABELS: f64 = 17.0;
const BETWEEN: f64 = 12.0;
/// Radius of a measured point.
const POINT: f64 = 2.2;

/// Measured points and curves. Positions to the right and upwards, in the units of the axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Points that a fit used: hollow.
    pub fitted: Vec<(f64, f64)>,
    /// The others.
    pub others: Vec<(f64, f64)>,
    /// A curve for each series; cut where it leaves the panel.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// What is said of each curve, in its colour; nothing where it is empty.
    pub notes: Vec<String>,
}

/// Panels with the same axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Above them.
    pub name: String,
    /// One for each column; an empty one is left out.
    pub panels: Vec<Option<Panel>>,
}

/// Panels in rows and columns.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveGrid {
    /// Above the picture.
    pub heading: Heading,
    /// Titles of the axes, with their units: to the right, upwards.
    pub titles: [String; 2],
    /// What the points are: those that a fit used, the others.
    pub points: [String; 2],
    /// What the curves are.
    pub series: Vec<Named>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// From above.
    pub rows: Vec<Row>,
}

impl Row {
    /// Both scales: from 0 to a little more than what was measured.
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
        let scales: Vec<(Coordinate, Coordinate)> = self.rows.iter().map(Row::scales).collect();
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
                    let plane = Plane { x: x.clone(), y: y.clone(), place };
                    self.draw_panel(&mut canvas, panel, &plane, column == 0);
                }
            }
        }
        let bottom = facets.row(self.rows.len()) + 3.0;
        facets.titles(&mut canvas, &self.titles, bottom + 8.0, (top + NAME, bottom - LABELS));
        canvas.finish(bottom + 22.0)
    }

    fn draw_panel(&self, canvas: &mut Canvas, panel: &Panel, plane: &Plane, is_first: bool) {
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

/// The beginning of a curve that lies below a height.
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
    use crate::kind::Kind;
    use crate::testing::{assert_apart, words};

    fn grid(rows: usize, columns: usize) -> CurveGrid {
        let panel = Panel {
            fitted: vec![(1.0, 10.0), (4.0, 30.0)],
            others: vec![(2.0, 19.0), (3.0, 27.0)],
            curves: vec![vec![(1.0, 10.0), (4.0, 30.0)], vec![(1.0, 10.0), (4.0, 40.0)]],
            notes: vec!["1.4 %".to_owned(), String::new()],
        };
        let row = |number: usize| Row {
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
            assert_apart(&grid(rows, columns).svg());
        }
    }

    #[test]
    fn every_panel_has_its_points_and_one_note() {
        let svg = grid(2, 3).svg();
        // 4 in each of 6 panels, and two in the legend.
        assert_eq!(svg.matches("<circle").count(), 4 * 6 + 2);
        assert_eq!(words(&svg).lines().filter(|word| *word == "1.4 %").count(), 6);
    }

    #[test]
    fn a_curve_ends_where_it_leaves_the_panel() {
        // From (1, 10) to (4, 40): 34.5 is reached at 3.45; what comes after that is gone.
        assert_eq!(below(&[(1.0, 10.0), (4.0, 40.0), (5.0, 20.0)], 34.5), [(1.0, 10.0), (3.45, 34.5)]);
        assert_eq!(below(&[(1.0, 50.0)], 34.5), []);
    }

    #[test]
    fn no_row_at_all_is_still_a_plot() {
        assert_apart(&grid(0, 2).svg());
    }
}
