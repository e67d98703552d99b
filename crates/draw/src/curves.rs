//! Small panels in rows and columns: measured points, and curves that should go through them.

use super::axis::Coordinate;
use super::canvas::Canvas;
use super::heading::Heading;
use super::ink::{Anchor, Font, MEDIUM, SMALL, SUBTITLES, Stroke};
use super::kind::{Named, draw_legend};
use super::metrics;
use super::palette::{FAINT_LINE, PAPER, TEXT};
use super::place::Place;
use super::style::{HEADING, MARGIN, SIZE};

/// Height of a panel, of the name above a row of them, of the labels below, and the space between two.
const PANEL: f64 = 80.0;
const NAME: f64 = 17.0;
const LABELS: f64 = 17.0;
const BETWEEN: f64 = 12.0;
/// Letters of labels and notes.
const TINY: f64 = SUBTITLES[2];
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

/// Both axes of a row.
struct Axes {
    x: Coordinate,
    y: Coordinate,
}

impl Axes {
    /// From 0 to a little more than what was measured.
    fn of(row: &Row) -> Self {
        let points =
            || row.panels.iter().flatten().flat_map(|panel| panel.fitted.iter().chain(&panel.others));
        let most = |of: fn(&(f64, f64)) -> f64| {
            points().map(of).filter(|value| value.is_finite()).fold(0.0, f64::max)
        };
        let end = |most: f64, more: f64| if most > 0.0 { more * most } else { 1.0 };
        Self {
            x: Coordinate::whole(0.0..end(most(|point| point.0), 1.04)),
            y: Coordinate::exactly(0.0..end(most(|point| point.1), 1.15)),
        }
    }
}

impl CurveGrid {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let axes: Vec<Axes> = self.rows.iter().map(Axes::of).collect();
        let labels = axes.iter().flat_map(|axes| axes.y.labels()).map(|label| metrics::width(label, TINY));
        let left = f64::from(MARGIN) + 22.0 + labels.fold(0.0, f64::max) + 6.0;
        let width = f64::from(SIZE.0);
        let step = (width - f64::from(MARGIN) - left + BETWEEN) / self.columns.len().max(1) as f64;

        // The legend says how much room it takes only when it was drawn.
        let names = self.points.iter().chain(self.series.iter().map(|one| &one.name)).map(String::as_str);
        let rows = super::legend::rows(names.clone(), width).len();
        let top = f64::from(HEADING) + super::legend::LEGEND * rows as f64 + 12.0;
        let pitch = NAME + PANEL + LABELS + BETWEEN;
        let bottom = top + pitch * self.rows.len() as f64 + 3.0;
        let mut canvas = Canvas::new(width, bottom + 22.0, &self.heading);
        draw_legend(&mut canvas, names, width, |canvas, i, (x, y)| match i.checked_sub(self.points.len()) {
            None => draw_point(canvas, i == 0, (x, y)),
            Some(series) => canvas.line((x - 9.0, y), (x + 9.0, y), self.series[series].kind.stroke()),
        });
        for (number, name) in self.columns.iter().enumerate() {
            let middle = left + step * number as f64 + (step - BETWEEN) / 2.0;
            canvas.text(middle, top, name, Font::new(SMALL).anchor(Anchor::Middle).bold());
        }
        for (number, (row, axes)) in self.rows.iter().zip(&axes).enumerate() {
            let y = top + pitch * number as f64;
            let name_y = if number == 0 { y + 2.0 } else { y + 3.0 };
            canvas.text(left, name_y + NAME - 3.0, &row.name, Font::new(SMALL));
            for (column, panel) in row.panels.iter().enumerate() {
                let place = Place::new(left + step * column as f64, y + NAME + 9.0, step - BETWEEN, PANEL);
                if let Some(panel) = panel {
                    self.draw_panel(&mut canvas, panel, axes, place, column == 0);
                }
            }
        }
        let title = Font::new(MEDIUM).anchor(Anchor::Middle);
        canvas.text(f64::midpoint(left, width - f64::from(MARGIN)), bottom + 8.0, &self.titles[0], title);
        let x = f64::from(MARGIN) + 6.0;
        canvas.text(x, f64::midpoint(top + NAME, bottom - LABELS), &self.titles[1], title.turned(-90.0));
        canvas.finish()
    }

    fn draw_panel(&self, canvas: &mut Canvas, panel: &Panel, axes: &Axes, place: Place, is_first: bool) {
        let across = |value: f64| place.x + place.width * axes.x.share(value);
        let up = |value: f64| place.bottom() - place.height * axes.y.share(value);
        let mut last = f64::NEG_INFINITY;
        for (at, label) in axes.x.ticks() {
            let half = metrics::width(label, TINY) / 2.0;
            if across(at) - half > last + 6.0 {
                canvas.text(across(at), place.bottom() + 9.0, label, Font::new(TINY).anchor(Anchor::Middle));
                last = across(at) + half;
            }
        }
        let mut last = f64::INFINITY;
        for (at, label) in axes.y.ticks() {
            canvas.line((place.x, up(at)), (place.right(), up(at)), Stroke::new(FAINT_LINE, 1.0));
            if is_first && last - up(at) > TINY + 3.0 {
                canvas.text(place.x - 5.0, up(at), label, Font::new(TINY).anchor(Anchor::End));
                last = up(at);
            }
        }
        canvas.line((place.x, place.bottom()), (place.right(), place.bottom()), Stroke::new(TEXT, 1.0));
        canvas.line((place.x, place.y), (place.x, place.bottom()), Stroke::new(TEXT, 1.0));
        for (curve, series) in panel.curves.iter().zip(&self.series) {
            let inside = below(curve, axes.y.range.end);
            let pixels: Vec<(f64, f64)> = inside.iter().map(|&(x, y)| (across(x), up(y))).collect();
            canvas.path(&pixels, series.kind.stroke());
        }
        for (points, hollow) in [(&panel.others, false), (&panel.fitted, true)] {
            for &(x, y) in points {
                draw_point(canvas, hollow, (across(x), up(y)));
            }
        }
        let said = panel.notes.iter().zip(&self.series).filter(|(note, _)| !note.is_empty());
        for (line, (note, series)) in said.enumerate() {
            let font = Font::new(TINY).anchor(Anchor::End).colour(series.kind.colour()).halo();
            canvas.text(place.right() - 3.0, place.bottom() - 9.0 - 12.0 * line as f64, note, font);
        }
    }
}

fn draw_point(canvas: &mut Canvas, hollow: bool, (x, y): (f64, f64)) {
    let fill = if hollow { PAPER } else { TEXT };
    canvas.circle(x, y, POINT, Some(fill), Some(Stroke::new(TEXT, 1.0)));
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
