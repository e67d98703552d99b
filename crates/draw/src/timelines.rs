//! Two timelines of the same things on one axis, one measured and one simulated: strips in pairs, the measured one above; growing lines of
//! both in one panel; a table below.
//!
//! They show cores and threads of applications, the items between them, and their progress. Values are means over slots of equal length,
//! and each timeline has separate slots. Several are merged if there are more than the picture has room for.

use super::canvas::{At, Canvas, Font, HEADING, Heading, MARGIN, MEDIUM, Place, SIZE, SMALL, Stroke, THIN};
use super::legend::{Legend, patch};
use super::palette::{Colour, FAINT_LINE, FAINT_TEXT, PAPER, TEXT, fill_colour, ground_colour};
use super::panel::{Lines, Panel};
use super::scale::{Coordinate, largest};
use super::strips::{Columns, Of};
use super::{figures, metrics};

/// Maximum number of applications: more would need additional colours.
pub const MOST_APPS: usize = 7;
/// Maximum number of rows of strips of each kind: more would be too low to read.
pub const MOST_ROWS: usize = 8;
/// With more rises of an application's threads the strips would be unreadable: they then show means over this number of columns.
const MOST_RISES: usize = 20;
const COARSE: usize = 16;
/// The dashes of the second timeline if both overlap.
const DASHES: &[u8] = &[5, 3];
/// Commands closer than this many pixels are one tick.
const CLOSE: f64 = 1.5;
/// Number of text columns of the table; the others are numbers. Maximum width of a text column, and the room between two.
const TEXTS: usize = 2;
const WIDEST_TEXT: f64 = 220.0;
const GAP: f64 = 22.0;
/// Ticks and title of the time axis.
const BELOW: f64 = 56.0;
/// Height of a row of the table.
const TABLE_ROW: f64 = 17.0;
/// Height of the row of a makespan.
const END: f64 = 16.0;
/// Between two strips of a pair, two pairs, two kinds of panels.
const IN_PAIR: f64 = 3.0;
const PAIRS: f64 = 10.0;
const KINDS: f64 = 22.0;
/// Height of the commands, above a strip of threads.
const LANE: f64 = 7.0;
/// Height of all strips of a kind, and the minimum and maximum of one of them.
const ALL_STRIPS: f64 = 300.0;
const SHARES: (f64, f64) = (16.0, 54.0);
const THREADS: (f64, f64) = (12.0, 28.0);
/// Panels of lines.
const ITEMS: f64 = 54.0;
const PROGRESS: f64 = 120.0;
/// Maximum width of the name of a resource or an application.
const WIDEST: f64 = 110.0;

/// One of the two timelines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    /// Its kind: `measured`.
    pub name: String,
    /// Its result: `makespan 12.3 s`.
    pub outcome: String,
    /// When everything was finished, if it was.
    pub finished: Option<f64>,
    /// Length of a slot and of all of them, in the unit of the axis; the last slot may be shorter.
    pub slot: f64,
    /// See `slot`.
    pub end: f64,
    /// For each resource and each application: its share in each slot.
    pub shares: Vec<Vec<Vec<f64>>>,
    /// For each application: its running threads in each slot.
    pub running: Vec<Vec<f64>>,
    /// For each application: its blocked threads.
    pub blocked: Vec<Vec<f64>>,
    /// For each application that produces any: the waiting items, mean and maximum.
    pub items: Vec<Option<(Vec<f64>, Vec<f64>)>>,
    /// For each application: its progress at the end of each slot.
    pub progress: Vec<Vec<f64>>,
    /// For each application: the times of commands to it.
    pub orders: Vec<Vec<f64>>,
}

/// Both, with their common parts.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelinePlot {
    /// Above the picture.
    pub heading: Heading,
    /// Title of the horizontal axis, with its unit.
    pub x: String,
    /// The applications, at most [`MOST_APPS`]; more are not drawn.
    pub names: Vec<String>,
    /// Threads of each application.
    pub threads: Vec<f64>,
    /// Name and size of each resource, at most [`MOST_ROWS`]; more are not drawn.
    pub resources: Vec<(String, f64)>,
    /// The name of the resources: `cores`.
    pub resource_label: String,
    /// The unit of progress.
    pub progress_label: String,
    /// The end of its axis.
    pub progress_end: f64,
    /// Above, solid.
    pub measured: Timeline,
    /// Below, dashed.
    pub simulated: Timeline,
    /// The title of the table.
    pub table_title: String,
    /// Titles of its columns, then its rows; the first two columns are text, the others numbers.
    pub table: Vec<Vec<String>>,
}

/// Two strips or panels, one for each timeline.
struct Pair {
    /// Shortened to the room.
    name: String,
    at: [Place; 2],
}

struct Layout {
    /// The right ends of the names, of the words next to each strip and of the numbers.
    names: f64,
    words: f64,
    numbers: f64,
    /// The middles of the rows of the makespans.
    ends: [f64; 2],
    shares: Vec<Pair>,
    threads: Vec<Pair>,
    items: Option<[Place; 2]>,
    items_scale: Coordinate,
    progress: Place,
    progress_scale: Coordinate,
    /// Everything on the time axis.
    all: Place,
}

impl Layout {
    fn new(plot: &TimelinePlot, legend: f64) -> Self {
        let names = plot.names.iter().take(MOST_APPS);
        let resources = plot.resources.iter().take(MOST_ROWS);
        let cut = |name: &String| metrics::cut_in_the_middle(name, SMALL, WIDEST);
        let apps: Vec<String> = names.map(cut).collect();
        // A single one needs no name.
        let alone = plot.resources.len() == 1;
        let resources: Vec<String> =
            resources.map(|(name, _)| if alone { String::new() } else { cut(name) }).collect();
        let width = |text: &String| metrics::width(text, SMALL);
        let name_width = largest(apps.iter().chain(&resources).map(width));
        let word_width = largest(plot.both().map(|one| width(&one.name)));
        let items_scale = Coordinate::whole(0.0..1.06 * plot.most_items().max(1.0));
        let progress_scale = Coordinate::from_zero(plot.progress_end, 1.0);
        let sizes = plot.threads.iter().chain(plot.resources.iter().map(|(_, size)| size));
        let sizes = largest(sizes.map(|&size| width(&figures::short(size))));
        let number_width = sizes.max(items_scale.label_width(SMALL)).max(progress_scale.label_width(SMALL));
        let names_end = MARGIN + 24.0 + name_width;
        let words = names_end + 8.0 + word_width;
        let numbers = words + 8.0 + number_width;
        let (left, right) = (numbers + 6.0, SIZE.0 - MARGIN - 12.0);

        let ends = HEADING + 6.0 + legend;
        let mut top = ends + 2.0 * END;
        let mut pairs = |names: Vec<String>, (least, most): (f64, f64), lane: f64| {
            let each = ALL_STRIPS / (2.0 * names.len().max(1) as f64) - lane - IN_PAIR;
            let height = each.clamp(least, most);
            let mut found = Vec::new();
            for name in names {
                let strip = |y: f64| Place::new(left, y + lane, right - left, height);
                let second = top + lane + height + IN_PAIR;
                found.push(Pair { name, at: [strip(top), strip(second)] });
                top = second + lane + height + PAIRS;
            }
            top += KINDS - PAIRS;
            found
        };
        let shares = pairs(resources, SHARES, 0.0);
        let threads = pairs(apps, THREADS, LANE);
        let items = plot.has_items().then(|| {
            let panel = |y: f64| Place::new(left, y, right - left, ITEMS);
            let both = [panel(top), panel(top + ITEMS + PAIRS)];
            top += 2.0 * ITEMS + PAIRS + KINDS;
            both
        });
        let progress = Place::new(left, top, right - left, PROGRESS);
        Self {
            names: names_end,
            words,
            numbers,
            ends: [ends + END / 2.0, ends + 1.5 * END],
            shares,
            threads,
            items,
            items_scale,
            progress,
            progress_scale,
            all: Place::new(left, ends, right - left, top + PROGRESS - ends),
        }
    }
}

impl TimelinePlot {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(SIZE.0, &self.heading);
        let layout = Layout::new(self, self.legend().draw(&mut canvas, HEADING + 2.0));
        let end = largest(self.both().map(|one| one.end));
        let time = Coordinate::from_zero(end, 1.0);
        let all = Panel { x: time, y: Coordinate::bare(0.0..1.0), place: layout.all };
        self.draw_panels(&mut canvas, &layout, &all);
        self.draw_ends(&mut canvas, &layout, &all);
        all.ticks_below(&mut canvas, Lines::Outside(4.0), (SMALL, 14.0));
        let bottom = layout.all.bottom();
        canvas.title_across(layout.all, bottom + 36.0, &self.x);
        self.draw_table(&mut canvas, bottom + BELOW);
        let rows = if self.table.is_empty() { 0.0 } else { 1.5 + self.table.len() as f64 };
        canvas.finish(bottom + BELOW + TABLE_ROW * rows)
    }

    /// Whether the strips change too often to be drawn in full.
    fn is_coarse(&self) -> bool {
        self.both().into_iter().flat_map(|one| &one.running).any(|values| rises(values) > MOST_RISES)
    }

    /// Maximum number of columns of a strip.
    fn most_columns(&self) -> usize {
        if self.is_coarse() { COARSE } else { usize::MAX }
    }

    const fn both(&self) -> [&Timeline; 2] {
        [&self.measured, &self.simulated]
    }

    /// Both with the dashes of their lines if they overlap.
    fn dashed(&self) -> [(&Timeline, &'static [u8]); 2] {
        [(&self.measured, &[]), (&self.simulated, DASHES)]
    }

    fn has_items(&self) -> bool {
        self.both().into_iter().any(|one| one.items.iter().any(Option::is_some))
    }

    fn most_items(&self) -> f64 {
        let items = self.both().into_iter().flat_map(|one| one.items.iter().flatten());
        largest(items.flat_map(|(_, most)| most.iter().copied()))
    }

    /// The meaning of the colours and lines.
    fn legend(&self) -> Legend<'_> {
        let mut legend = Legend::new(Font::new(SMALL));
        for (app, name) in self.names.iter().take(MOST_APPS).enumerate() {
            legend.patch(name, fill_colour(app));
        }
        legend.patch(&format!("{} not used", self.resource_label), FAINT_LINE);
        legend.sign("threads without a task", |canvas, at| {
            canvas.rect(patch(at), 0.0, Some(PAPER), Some(Stroke::new(FAINT_TEXT, 0.7)));
        });
        legend.patch("threads blocked", ground_colour(0));
        legend.sign("an order to the threads below", |canvas, (x, y)| {
            canvas.line((x, y - 3.0), (x, y + 4.0), THIN);
        });
        for (one, dashes) in self.dashed() {
            legend.line(&one.name, Stroke::new(TEXT, 1.6).dashed(dashes));
        }
        if self.is_coarse() {
            let unit = self.x.split(['(', ')']).nth(1).unwrap_or_default();
            let long = largest(self.both().map(|one| one.end)) / COARSE as f64;
            legend.words(&format!(
                "strips: means over about {} {unit}",
                figures::rounded((long * 100.0).round() / 100.0)
            ));
        }
        if self.has_items() {
            legend.words("items: thick is the mean, thin the most");
        }
        legend
    }

    /// The result of each, in a separate row, with a line down to the axis at the time when all were finished.
    fn draw_ends(&self, canvas: &mut Canvas, layout: &Layout, all: &Panel) {
        for ((one, dashes), y) in self.dashed().into_iter().zip(layout.ends) {
            let text = format!("{}: {}", one.name, one.outcome);
            let x = all.across(one.finished.unwrap_or(one.end));
            if one.finished.is_some() {
                let stroke = Stroke::new(FAINT_TEXT, 1.2).dashed(dashes);
                canvas.line((x, y - 6.0), (x, layout.all.bottom()), stroke);
            }
            if x > layout.all.middle().0 {
                canvas.text(x - 5.0, y, &text, Font::end(SMALL));
            } else {
                canvas.text(x + 5.0, y, &text, Font::new(SMALL));
            }
        }
    }

    fn draw_panels(&self, canvas: &mut Canvas, layout: &Layout, all: &Panel) {
        let panel = |y: &Coordinate, place: Place| Panel { x: all.x.clone(), y: y.clone(), place };
        for (number, (pair, (_, size))) in layout.shares.iter().zip(&self.resources).enumerate() {
            for (one, at) in self.both().into_iter().zip(pair.at) {
                let panel = panel(&Coordinate::bare(0.0..*size), at);
                canvas.filled(one.whole(&panel), FAINT_LINE);
                let Some(apps) = one.shares.get(number) else { continue };
                let slots = apps.first().map_or(0, Vec::len);
                let parts = apps.iter().take(MOST_APPS).enumerate();
                let parts = parts.map(|(app, values)| (vec![values.as_slice()], fill_colour(app)));
                one.columns(slots, &panel, self.most_columns()).stack(canvas, &panel, slots, parts);
            }
            self.beside(canvas, layout, pair, *size);
        }
        title(canvas, &layout.shares, &format!("{} in use", self.resource_label));
        for (app, (pair, size)) in layout.threads.iter().zip(&self.threads).enumerate() {
            for (one, at) in self.both().into_iter().zip(pair.at) {
                one.draw_threads(
                    canvas,
                    app,
                    &panel(&Coordinate::bare(0.0..*size), at),
                    (*size, self.most_columns()),
                );
            }
            self.beside(canvas, layout, pair, *size);
        }
        title(canvas, &layout.threads, "threads");
        for (one, at) in self.both().into_iter().zip(layout.items.into_iter().flatten()) {
            let panel = panel(&layout.items_scale, at);
            panel.ticks_left(canvas, Lines::Grid, Some((SMALL, 6.0)));
            panel.edges(canvas);
            for (app, items) in one.items.iter().take(MOST_APPS).enumerate() {
                let Some((mean, most)) = items else { continue };
                for (values, of, width) in [(most, Of::Most, 0.7), (mean, Of::Mean, 1.6)] {
                    let stroke = Stroke::new(fill_colour(app), width);
                    one.columns(values.len(), &panel, self.most_columns()).line(
                        canvas,
                        &panel,
                        (values, of),
                        stroke,
                    );
                }
            }
            word(canvas, layout, at, &one.name);
        }
        if let Some([first, second]) = layout.items {
            title_of(canvas, (first.y, second.bottom()), "items");
        }
        let panel = panel(&layout.progress_scale, layout.progress);
        panel.ticks_left(canvas, Lines::Grid, Some((SMALL, 6.0)));
        panel.edges(canvas);
        for (one, dashes) in self.dashed() {
            for (app, values) in one.progress.iter().take(MOST_APPS).enumerate() {
                let stroke = Stroke::new(fill_colour(app), 1.6).dashed(dashes);
                one.draw_progress(canvas, &panel, values, stroke);
            }
        }
        title_of(canvas, (panel.place.y, panel.place.bottom()), &self.progress_label);
    }

    /// Name of a pair, and word and size of each of its strips.
    fn beside(&self, canvas: &mut Canvas, layout: &Layout, pair: &Pair, size: f64) {
        let [first, second] = pair.at;
        let end = Font::end(SMALL);
        canvas.text(layout.names, f64::midpoint(first.y, second.bottom()), &pair.name, end);
        for (one, at) in self.both().into_iter().zip(pair.at) {
            word(canvas, layout, at, &one.name);
            // With room for two numbers the strip has an axis from 0; lower strips show only their size.
            if at.height > 2.2 * SMALL {
                canvas.text(layout.numbers, at.y + 6.0, &figures::short(size), end);
                canvas.text(layout.numbers, at.bottom() - 4.0, "0", end);
            } else {
                canvas.text(layout.numbers, at.middle().1, &figures::short(size), end);
            }
        }
    }

    fn draw_table(&self, canvas: &mut Canvas, top: f64) {
        let Some((titles, rows)) = self.table.split_first() else { return };
        let most = SIZE.0 - 2.0 * MARGIN;
        let title = metrics::cut(&self.table_title, MEDIUM, most);
        canvas.text(MARGIN, top, &title, Font::new(MEDIUM));
        let text = |cell: &str| metrics::cut_in_the_middle(cell, SMALL, WIDEST_TEXT);
        let width = |column: usize| {
            let cells = self.table.iter().filter_map(|row| row.get(column));
            largest(cells.map(|cell| metrics::width(&text(cell), SMALL)))
        };
        // Text starts at the start of its column, numbers end at its end.
        let mut x = MARGIN;
        let mut places = Vec::new();
        for column in 0..titles.len() {
            places.push(if column < TEXTS { x } else { x + width(column) });
            x += width(column) + GAP;
        }
        let end = x - GAP;
        for (row, cells) in self.table.iter().enumerate() {
            let y = top + TABLE_ROW * (row as f64 + 1.2);
            for (column, (cell, &x)) in cells.iter().zip(&places).enumerate() {
                let font = if column < TEXTS { Font::new(SMALL) } else { Font::end(SMALL) };
                let colour = if row == 0 { FAINT_TEXT } else { TEXT };
                canvas.text(x, y, &text(cell), font.colour(colour));
            }
            if row < rows.len() {
                let below = y + TABLE_ROW / 2.0;
                canvas.line((MARGIN, below), (end, below), Stroke::new(FAINT_LINE, 1.0));
            }
        }
    }
}

impl Timeline {
    /// Columns of two pixels each, at most this number: a timeline that ends early has fewer.
    fn columns(&self, slots: usize, panel: &Panel, columns: usize) -> Columns {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a picture")]
        let most = (self.whole(panel).width / 2.0).ceil() as usize;
        Columns::new(self.slot, self.end, slots, most.min(columns))
    }

    /// The part of a panel from its start to its end.
    fn whole(&self, panel: &Panel) -> Place {
        Place { width: panel.across(self.end) - panel.place.x, ..panel.place }
    }

    /// Running threads from below, blocked ones from above, commands over both.
    fn draw_threads(&self, canvas: &mut Canvas, app: usize, panel: &Panel, (size, columns): (f64, usize)) {
        let of = |values: &[Vec<f64>]| values.get(app).cloned().unwrap_or_default();
        let (running, blocked) = (of(&self.running), of(&self.blocked));
        let mut fill = |lower: &[f64], upper: &[f64], colour: Colour| {
            self.columns(upper.len(), panel, columns).fill(canvas, panel, (lower, upper), colour);
        };
        fill(&vec![0.0; running.len()], &running, fill_colour(app));
        let free: Vec<f64> = blocked.iter().map(|blocked| (size - blocked).max(0.0)).collect();
        fill(&free, &vec![size; free.len()], ground_colour(0));
        let at = self.whole(panel);
        canvas.border(at, Stroke::new(FAINT_TEXT, 0.7));
        let mut last = f64::NEG_INFINITY;
        for &order in self.orders.get(app).into_iter().flatten() {
            let x = panel.across(order);
            if x - last >= CLOSE && (at.x..=at.right() + 1.0).contains(&x) {
                canvas.line((x, at.y - LANE + 1.0), (x, at.y - 1.0), Stroke::new(TEXT, 0.7));
                last = x;
            }
        }
    }

    /// From slot to slot, not in steps: work continues inside each.
    fn draw_progress(&self, canvas: &mut Canvas, panel: &Panel, values: &[f64], stroke: Stroke) {
        let columns = self.columns(values.len(), panel, usize::MAX);
        let column = columns.slot * columns.slots as f64;
        let mut points: Vec<At> = vec![panel.at((0.0, 0.0))];
        let mut from = 0.0;
        for (to, value) in columns.steps(values, Of::Last) {
            // Equal columns are one step: the value reached by the first of them stays until its end.
            let reached = (from + column).min(to);
            points.push(panel.at((reached, value)));
            if to > reached {
                points.push(panel.at((to, value)));
            }
            from = to;
        }
        canvas.path(&points, stroke);
    }
}

/// Number of times that values rise from a quarter of their largest to three quarters.
fn rises(values: &[f64]) -> usize {
    let most = largest(values.iter().copied());
    let (mut rises, mut is_low) = (0, true);
    for &value in values {
        if is_low && value > 0.75 * most {
            (rises, is_low) = (rises + 1, false);
        } else if value < 0.25 * most {
            is_low = true;
        }
    }
    rises
}

fn word(canvas: &mut Canvas, layout: &Layout, at: Place, text: &str) {
    canvas.text(layout.words, at.middle().1, text, Font::end(SMALL).colour(FAINT_TEXT));
}

fn title(canvas: &mut Canvas, pairs: &[Pair], text: &str) {
    if let (Some(first), Some(last)) = (pairs.first(), pairs.last()) {
        title_of(canvas, (first.at[0].y, last.at[1].bottom()), text);
    }
}

fn title_of(canvas: &mut Canvas, (top, bottom): (f64, f64), text: &str) {
    canvas.title_up(Place::new(0.0, top, 0.0, bottom - top), MARGIN + 2.0, text);
}

#[cfg(test)]
mod tests;
