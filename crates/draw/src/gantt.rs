//! A Gantt chart: a row for each worker, rows in bands, kinds of work as colours.
//!
//! Work shorter than a pixel is not lost: a row with more pieces than there is room for shows in each column the kind that took most of its
//! time. If a row has no work, the ground shows the reason, if it is known.

use super::canvas::{Canvas, Font, HEADING, Heading, MARGIN, Place, SIZE, SMALL};
use super::legend::Shown;
use super::metrics;
use super::palette::{Colour, FAINT_LINE, ground_colour};
use super::panel::Panel;
use super::scale::{Coordinate, largest};

/// The kind of idle workers.
const IDLE: &str = "idle";
/// Columns of a row with many pieces: two pixels each.
pub const MOST_COLUMNS: usize = super::strips::MOST;
/// Height of all rows if there are few or many, and of one row.
const ALL_ROWS: f64 = 420.0;
const TALL: f64 = 22.0;
const LOW: f64 = 2.0;
/// Between two bands.
const BETWEEN: f64 = 10.0;
/// Ticks and title of the time axis.
const BELOW: f64 = 54.0;
/// Maximum width of the name of a band.
const WIDEST_BAND: f64 = 110.0;

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Its start, in the unit of the axis.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// Its kind.
    pub kind: usize,
}

/// A group of rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Band {
    /// Its name.
    pub name: String,
    /// For each row, its pieces in the order of time; they do not overlap.
    pub rows: Vec<Vec<Bar>>,
}

/// A Gantt chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Gantt {
    /// Above the picture.
    pub heading: Heading,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// The end of the axis.
    pub end: f64,
    /// Maximum number of columns of a row with many pieces: [`MOST_COLUMNS`], or fewer for a smaller file.
    pub columns: usize,
    /// The kinds of work.
    pub kinds: Vec<String>,
    /// From above.
    pub bands: Vec<Band>,
    /// Possible reasons why rows have no work.
    pub reasons: Vec<String>,
    /// The reason at each time, if it is known; in the order of time, without overlaps.
    pub idle: Vec<Bar>,
}

impl Gantt {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let kinds = self.shown_kinds();
        let top = HEADING + 8.0 + kinds.legend(&self.grounds()).draw(&mut canvas, HEADING + 2.0);
        let names: Vec<String> =
            self.bands.iter().map(|band| metrics::cut(&band.name, SMALL, WIDEST_BAND)).collect();
        let left = MARGIN + largest(names.iter().map(|name| metrics::width(name, SMALL))) + 14.0;
        let rows: usize = self.bands.iter().map(|band| band.rows.len()).sum();
        let height = (ALL_ROWS / rows.max(1) as f64).clamp(LOW, TALL);
        let between = BETWEEN * self.bands.len().saturating_sub(1) as f64;
        let place = Place::new(left, top, SIZE.0 - MARGIN - 12.0 - left, height * rows as f64 + between);
        let panel = Panel { x: Coordinate::from_zero(self.end, 1.0), y: Coordinate::bare(0.0..1.0), place };
        // After the last work there is no ground: no worker waits any more.
        let bars = self.bands.iter().flat_map(|band| &band.rows).flatten().chain(&self.idle);
        let over = bars.map(|bar| bar.to).fold(0.0, f64::max).min(self.end);
        let own: Vec<usize> = (0..self.reasons.len()).collect();
        let idle = self.pieces(&self.idle, &own);
        let mut y = top;
        let row = |y: f64, height: f64, from: f64, to: f64| {
            let x = panel.across(from);
            Place::new(x, y, panel.across(to) - x, height)
        };
        for (band, name) in self.bands.iter().zip(&names) {
            let whole = Place { y, height: height * band.rows.len() as f64, ..place };
            canvas.filled(row(y, whole.height, 0.0, over), FAINT_LINE);
            for ground in &idle {
                canvas.filled(row(y, whole.height, ground.from, ground.to), ground_colour(ground.kind));
            }
            canvas.text(left - 8.0, whole.middle().1, name, Font::end(SMALL));
            for work in &band.rows {
                // A gap that shows the border between rows, if there is room for it.
                let gap = if height >= 6.0 { 1.0 } else { 0.0 };
                for bar in self.pieces(work, &kinds.part_of) {
                    let at = row(y, height - gap, bar.from, bar.to);
                    canvas.filled(Place { width: at.width.max(0.2), ..at }, kinds.colour(bar.kind));
                }
                if gap > 0.0 && !idle.is_empty() {
                    canvas.filled(row(y + height - gap, gap, 0.0, over), FAINT_LINE);
                }
                y += height;
            }
            canvas.edges(whole);
            y += BETWEEN;
        }
        panel.time_axis(&mut canvas, &self.x);
        canvas.finish(place.bottom() + BELOW)
    }

    /// The kinds that took most time have separate colours.
    fn shown_kinds(&self) -> Shown {
        Shown::largest(&self.kinds, || {
            let mut time = vec![0.0; self.kinds.len()];
            for bar in self.bands.iter().flat_map(|band| &band.rows).flatten() {
                if let Some(time) = time.get_mut(bar.kind) {
                    *time += bar.to - bar.from;
                }
            }
            time
        })
    }

    /// The meaning of the colours of the ground.
    fn grounds(&self) -> Vec<(&str, Colour)> {
        let holds = |&(reason, _): &(usize, &String)| self.idle.iter().any(|bar| bar.kind == reason);
        let reasons = self.reasons.iter().enumerate().filter(holds);
        let grounds: Vec<_> = reasons.map(|(i, name)| (name.as_str(), ground_colour(i))).collect();
        if grounds.is_empty() { vec![(IDLE, FAINT_LINE)] } else { grounds }
    }

    /// The drawn pieces of a row, with adjacent equal ones merged; if there are too many, the kind that took most of each column.
    /// `part_of`: the drawn kind for each kind.
    fn pieces(&self, row: &[Bar], part_of: &[usize]) -> Vec<Bar> {
        let shown = |bar: &Bar| Bar { kind: part_of.get(bar.kind).copied().unwrap_or(0), ..*bar };
        let columns = self.columns.max(1);
        if row.len() <= columns {
            return row.iter().map(shown).collect();
        }
        let width = self.end / columns as f64;
        let mut pieces: Vec<Bar> = Vec::new();
        let mut next = 0;
        let mut time = vec![0.0; part_of.iter().max().map_or(1, |most| most + 1)];
        for column in 0..columns {
            let (from, to) = (width * column as f64, width * (column + 1) as f64);
            time.fill(0.0);
            while let Some(bar) = row.get(next).map(shown) {
                if bar.from >= to {
                    break;
                }
                time[bar.kind] += (bar.to.min(to) - bar.from.max(from)).max(0.0);
                if bar.to > to {
                    break; // continues in the next column
                }
                next += 1;
            }
            let busy: f64 = time.iter().sum();
            let most = (0..time.len()).max_by(|&a, &b| time[a].total_cmp(&time[b]).then(b.cmp(&a)));
            let Some(kind) = most.filter(|_| busy >= width / 2.0) else { continue };
            match pieces.last_mut() {
                Some(last) if last.kind == kind && (last.to - from).abs() <= 1e-9 * self.end => last.to = to,
                _ => pieces.push(Bar { from, to, kind }),
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{assert_apart, words};

    fn chart(nodes: usize, workers: usize, tasks: usize, kinds: usize) -> Gantt {
        let row = |worker: usize| {
            let bar = |task: usize| {
                let from = task as f64 + 0.1;
                Bar { from, to: from + 0.8, kind: (task + worker) % kinds }
            };
            (0..tasks).map(bar).collect()
        };
        Gantt {
            heading: Heading { title: "dep: 1.5 s".to_owned(), subtitle: "gauss-seidel".to_owned() },
            x: "time (s)".to_owned(),
            end: tasks as f64,
            columns: MOST_COLUMNS,
            kinds: (0..kinds).map(|kind| format!("kind-{kind}")).collect(),
            bands: (0..nodes)
                .map(|node| Band { name: format!("node {node}"), rows: (0..workers).map(row).collect() })
                .collect(),
            reasons: Vec::new(),
            idle: Vec::new(),
        }
    }

    #[test]
    fn a_few_tasks_are_drawn_individually() {
        let svg = chart(2, 2, 3, 2).svg();
        assert_apart(&svg);
        insta::assert_snapshot!(svg);
    }

    #[test]
    fn with_many_tasks_each_column_shows_the_longest_kind() {
        // 3800 tasks on 380 columns: ten each. Kind 0 has those whose number is not a multiple of 10.
        let row: Vec<Bar> = (0..3800)
            .map(|task| Bar {
                from: f64::from(task),
                to: f64::from(task + 1),
                kind: usize::from(task % 10 == 0),
            })
            .collect();
        let gantt = Gantt {
            bands: vec![Band { name: String::new(), rows: vec![row] }],
            end: 3800.0,
            ..chart(0, 0, 0, 2)
        };
        let pieces = gantt.pieces(&gantt.bands[0].rows[0], &gantt.shown_kinds().part_of);
        assert_eq!(pieces, [Bar { from: 0.0, to: 3800.0, kind: 0 }]);
    }

    #[test]
    fn many_kinds_and_workers_have_room() {
        let svg = chart(8, 40, 50, 12).svg();
        assert_apart(&svg);
        assert!(words(&svg).contains("5 others"), "{}", words(&svg));
    }

    #[test]
    fn the_ground_shows_why_there_is_no_work() {
        let ground = |from, to, kind| Bar { from, to, kind };
        let gantt = Gantt {
            reasons: vec![
                "idle: never".to_owned(),
                "idle: master creates".to_owned(),
                "idle: none left".to_owned(),
            ],
            idle: vec![ground(0.0, 1.0, 1), ground(1.0, 3.0, 2)],
            ..chart(2, 2, 3, 2)
        };
        let svg = gantt.svg();
        assert_apart(&svg);
        assert!(!words(&svg).contains("never"), "{}", words(&svg));
        insta::assert_snapshot!(svg);
    }

    #[test]
    fn the_ground_ends_with_the_work_on_a_longer_axis() {
        // Three tasks of one second on an axis of 6: the ground is half as wide as the rows could be.
        let widest_ground = |gantt: &Gantt| {
            let svg = gantt.svg();
            let grounds = svg.lines().filter(|line| line.contains("<rect") && line.contains("#E1E1E1"));
            let widths =
                grounds.filter_map(|line| line.split("width=\"").nth(1)?.split('"').next()?.parse().ok());
            widths.fold(0.0, f64::max)
        };
        let short = chart(1, 1, 3, 1);
        let long = Gantt { end: 6.0, ..chart(1, 1, 3, 1) };
        let ratio = widest_ground(&long) / widest_ground(&short);
        assert!((ratio - 0.5).abs() < 0.01, "{ratio}");
    }

    #[test]
    fn an_empty_chart_is_a_valid_picture() {
        assert_apart(&chart(0, 0, 0, 1).svg());
        assert_apart(&chart(1, 1, 0, 1).svg());
    }
}
