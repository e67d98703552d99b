//! Errors of several methods on many sets: a mark for the mean, a line to the worst, on a logarithmic axis.

use super::canvas::{Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL, Stroke, THIN};
use super::legend::{Kind, Legend, Named, short};
use super::metrics;
use super::palette::{FAINT_LINE, FAINT_TEXT};
use super::panel::Panel;
use super::scale::{Coordinate, extent, largest};

/// Height of a lane of a row, of the space between two rows, of the name of a group.
const LANE: f64 = 9.0;
const BETWEEN: f64 = 7.0;
const GROUP: f64 = 22.0;
/// Maximum width of the name of a row.
const WIDEST: f64 = 330.0;
/// Half of the tick at a worst error.
const TICK: f64 = 3.0;

/// The errors of a method on a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// Mean error.
    pub mean: f64,
    /// Largest error; not drawn for null models.
    pub worst: f64,
}

/// A set.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// For each series: its errors, if it covers the set.
    pub dots: Vec<Option<Dot>>,
}

/// A group of related sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Above them.
    pub name: String,
    /// From above.
    pub rows: Vec<Row>,
}

/// Errors of methods on sets.
#[derive(Clone, Debug, PartialEq)]
pub struct DotPlot {
    /// Above the picture.
    pub heading: Heading,
    /// The quantity that is drawn, with its unit.
    pub label: String,
    /// The methods: null models share a lane of each row, others have separate lanes.
    pub series: Vec<Named>,
    /// The meaning of the end of a line.
    pub ends: String,
    /// From above.
    pub groups: Vec<Group>,
}

impl Row {
    /// The lane of each series that is present, and the number of lanes.
    fn lanes(&self, series: &[Named]) -> (Vec<Option<usize>>, usize) {
        let is_null = |one: &Named| matches!(one.kind, Kind::Null(_));
        let there = |i: usize| self.dots.get(i).is_some_and(Option::is_some);
        let mut next = usize::from(series.iter().enumerate().any(|(i, one)| is_null(one) && there(i)));
        let lanes = series.iter().enumerate().map(|(i, one)| match (there(i), is_null(one)) {
            (false, _) => None,
            (true, true) => Some(0),
            (true, false) => {
                next += 1;
                Some(next - 1)
            }
        });
        (lanes.collect(), next.max(1))
    }
}

impl DotPlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let mut legend = Legend::new(Font::new(SMALL));
        for series in &self.series {
            legend.series(series, |canvas, at| series.kind.draw_mark(canvas, at));
        }
        legend
            .sign(short(&self.ends), |canvas, (x, y)| draw_range(canvas, Kind::Again, (x - 9.0, x + 9.0), y));
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let top = HEADING + legend.draw(&mut canvas, HEADING + 2.0) + 18.0;
        let rows = || self.groups.iter().flat_map(|group| &group.rows);
        let names = largest(rows().map(|row| metrics::width(&row.name, SMALL)));
        let left = MARGIN + 8.0 + names.min(WIDEST) + 10.0;
        let right = SIZE.0 - MARGIN - 12.0;
        let height = |row: &Row| LANE * row.lanes(&self.series).1 as f64 + BETWEEN;
        let bottom = top + GROUP * self.groups.len() as f64 + rows().map(height).sum::<f64>() + 4.0;
        let place = Place::new(left, top, right - left, bottom - top);
        let panel = Panel { x: self.scale(), y: Coordinate::bare(0.0..1.0), place };
        for (value, label) in panel.x.ticks() {
            let x = panel.across(value);
            canvas.line((x, top), (x, bottom), Stroke::new(FAINT_LINE, 1.0));
            for y in [top - 9.0, bottom + 12.0] {
                canvas.text(x, y, label, Font::middle(SMALL));
            }
        }
        let across = |value: f64| panel.across(value).clamp(left, right);
        let mut y = top;
        for (number, group) in self.groups.iter().enumerate() {
            if number > 0 {
                canvas.line((MARGIN, y + 1.0), (right, y + 1.0), Stroke::new(FAINT_TEXT, 0.6));
            }
            canvas.text(MARGIN, y + GROUP / 2.0 + 1.0, &group.name, Font::new(SMALL).bold().halo());
            y += GROUP;
            for row in &group.rows {
                let (lanes, count) = row.lanes(&self.series);
                let name = metrics::cut_in_the_middle(&row.name, SMALL, WIDEST);
                canvas.text(MARGIN + 8.0, y + LANE * count as f64 / 2.0, &name, Font::new(SMALL));
                for ((series, dot), lane) in self.series.iter().zip(&row.dots).zip(lanes) {
                    let (Some(dot), Some(lane)) = (dot, lane) else { continue };
                    let at = y + LANE * (lane as f64 + 0.5);
                    if !matches!(series.kind, Kind::Null(_)) {
                        draw_range(&mut canvas, series.kind, (across(dot.mean), across(dot.worst)), at);
                    }
                    series.kind.draw_mark(&mut canvas, (across(dot.mean), at));
                }
                y += height(row);
            }
        }
        canvas.line((left, bottom), (right, bottom), THIN);
        canvas.title_across(place, bottom + 36.0, &self.label);
        canvas.finish(bottom + 54.0)
    }

    /// From the smallest mean to the largest value drawn.
    fn scale(&self) -> Coordinate {
        let rows = self.groups.iter().flat_map(|group| &group.rows);
        let dots = rows.flat_map(|row| self.series.iter().zip(&row.dots));
        let values = dots.filter_map(|(series, dot)| Some((series, (*dot)?))).flat_map(|(series, dot)| {
            let worst = if matches!(series.kind, Kind::Null(_)) { dot.mean } else { dot.worst };
            [dot.mean, worst]
        });
        extent(values.filter(|value| *value > 0.0)).map_or_else(
            || Coordinate::logarithmic(1.0, 10.0),
            |(low, high)| Coordinate::logarithmic(low / 1.3, high * 1.3),
        )
    }
}

/// From a mean to the worst.
fn draw_range(canvas: &mut Canvas, kind: Kind, (from, to): (f64, f64), y: f64) {
    let stroke = Stroke::new(kind.colour(), 1.2);
    canvas.line((from, y), (to, y), stroke);
    canvas.line((to, y - TICK), (to, y + TICK), stroke);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn plot(groups: usize, rows: usize) -> DotPlot {
        let named = |name: &str, kind| Named { name: name.to_owned(), kind };
        let row = |number: usize| Row {
            name: format!("a set of a machine with a long name, several domains {number}"),
            dots: vec![
                Some(Dot { mean: 85.0, worst: 5000.0 }),
                (number > 0).then_some(Dot { mean: 30.0, worst: 60.0 }),
                Some(Dot { mean: 2.0, worst: 12.5 }),
                None,
            ],
        };
        let group =
            |number: usize| Group { name: format!("question {number}"), rows: (0..rows).map(row).collect() };
        DotPlot {
            heading: Heading { title: "Errors".to_owned(), subtitle: "of some sets".to_owned() },
            label: "absolute error (%)".to_owned(),
            series: vec![
                named("no sharing", Kind::Null(0)),
                named("equal parts", Kind::Null(1)),
                named("model", Kind::Model(0)),
                named("measured again", Kind::Again),
            ],
            ends: "worst".to_owned(),
            groups: (0..groups).map(group).collect(),
        }
    }

    #[test]
    fn nothing_overlaps() {
        for (groups, rows) in [(1, 1), (3, 4), (6, 6)] {
            assert_apart(&plot(groups, rows).svg());
        }
        assert_apart(&plot(0, 0).svg());
    }

    #[test]
    fn null_models_share_a_lane_and_do_not_stretch_the_axis() {
        let plot = plot(1, 2);
        // The one without equal parts: no sharing and the model.
        assert_eq!(plot.groups[0].rows[0].lanes(&plot.series), (vec![Some(0), None, Some(1), None], 2));
        assert_eq!(plot.groups[0].rows[1].lanes(&plot.series), (vec![Some(0), Some(0), Some(1), None], 2));
        let texts = words(&plot.svg());
        assert!(
            texts.lines().any(|word| word == "10") && !texts.lines().any(|word| word == "1000"),
            "{texts}"
        );
    }
}
