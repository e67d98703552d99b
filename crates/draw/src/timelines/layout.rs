//! What stands where.

use super::super::axis::Coordinate;
use super::super::figures;
use super::super::ink::SMALL;
use super::super::legend::LEGEND;
use super::super::metrics;
use super::super::place::Place;
use super::super::style::{HEADING, MARGIN, SIZE};
use super::{MOST_APPS, MOST_ROWS, TimelinePlot, legend};

/// Ticks and title of the time axis.
pub(super) const BELOW: f64 = 56.0;
/// Height of a row of the table.
pub(super) const TABLE_ROW: f64 = 17.0;
/// Height of the row in which a makespan stands.
const END: f64 = 16.0;
/// Between two strips of a pair, two pairs, two kinds of panels.
const IN_PAIR: f64 = 3.0;
const PAIRS: f64 = 10.0;
const KINDS: f64 = 22.0;
/// Where the orders stand, above a strip of threads.
pub(super) const LANE: f64 = 7.0;
/// All strips of a kind, and how high one of them is at least and at most.
const ALL_STRIPS: f64 = 300.0;
const SHARES: (f64, f64) = (16.0, 54.0);
const THREADS: (f64, f64) = (12.0, 28.0);
/// Panels of lines.
const ITEMS: f64 = 54.0;
const PROGRESS: f64 = 120.0;
/// Widest name of a resource or an application.
const WIDEST: f64 = 110.0;

/// Two strips or panels, one for each timeline.
pub(super) struct Pair {
    /// As short as there is room.
    pub(super) name: String,
    pub(super) at: [Place; 2],
}

pub(super) struct Layout {
    pub(super) left: f64,
    pub(super) right: f64,
    /// Where the right ends of the names, of the words beside each strip and of the numbers are.
    pub(super) names: f64,
    pub(super) words: f64,
    pub(super) numbers: f64,
    pub(super) legend: Vec<Vec<(usize, f64)>>,
    /// The middles of the rows of the makespans.
    pub(super) ends: [f64; 2],
    pub(super) shares: Vec<Pair>,
    pub(super) threads: Vec<Pair>,
    pub(super) items: Option<[Place; 2]>,
    pub(super) items_axis: Coordinate,
    pub(super) progress: Place,
    pub(super) progress_axis: Coordinate,
    /// Of everything that is on the time axis.
    pub(super) bottom: f64,
}

impl Layout {
    pub(super) fn new(plot: &TimelinePlot) -> Self {
        let width = f64::from(SIZE.0);
        let names = plot.names.iter().take(MOST_APPS);
        let resources = plot.resources.iter().take(MOST_ROWS);
        let cut = |name: &String| metrics::cut_in_the_middle(name, SMALL, WIDEST);
        let apps: Vec<String> = names.map(cut).collect();
        // The only one needs no name.
        let alone = plot.resources.len() == 1;
        let resources: Vec<String> =
            resources.map(|(name, _)| if alone { String::new() } else { cut(name) }).collect();
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| metrics::width(text, SMALL)).fold(0.0, f64::max)
        };
        let name_width = widest(&mut apps.iter().chain(&resources).map(String::as_str));
        let word_width = widest(&mut plot.both().into_iter().map(|one| one.name.as_str()));
        let items_axis = Coordinate::whole(0.0..1.06 * plot.most_items().max(1.0));
        let progress_axis =
            Coordinate::exactly(0.0..if plot.progress_end > 0.0 { plot.progress_end } else { 1.0 });
        let sizes = plot.threads.iter().chain(plot.resources.iter().map(|(_, size)| size));
        let sizes: Vec<String> = sizes.map(|&size| figures::short(size)).collect();
        let labels = items_axis.labels().chain(progress_axis.labels());
        let number_width = widest(&mut sizes.iter().map(String::as_str).chain(labels));
        let names_end = f64::from(MARGIN) + 24.0 + name_width;
        let words = names_end + 8.0 + word_width;
        let numbers = words + 8.0 + number_width;
        let (left, right) = (numbers + 6.0, width - f64::from(MARGIN) - 12.0);

        let legend = legend::rows(plot, width);
        let ends = f64::from(HEADING) + 6.0 + LEGEND * legend.len() as f64;
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
            left,
            right,
            names: names_end,
            words,
            numbers,
            legend,
            ends: [ends + END / 2.0, ends + 1.5 * END],
            shares,
            threads,
            items,
            items_axis,
            progress,
            progress_axis,
            bottom: top + PROGRESS,
        }
    }
}

impl TimelinePlot {
    pub(super) fn has_items(&self) -> bool {
        self.both().into_iter().any(|one| one.items.iter().any(Option::is_some))
    }

    fn most_items(&self) -> f64 {
        let items = self.both().into_iter().flat_map(|one| one.items.iter().flatten());
        items.flat_map(|(_, most)| most).copied().fold(0.0, f64::max)
    }
}
