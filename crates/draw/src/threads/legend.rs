//! The meaning of the letters and signs of a thread map.

use super::links::PlacedLinks;
use super::{
    BAR, BORDER, Layout, MapLink, MapNode, MapSharedLink, TAG, ThreadMap, draw_domain_border, draw_idle,
    draw_tag, draw_thread, links, own_memory, remote_memory,
};
use crate::canvas::{Canvas, Font, Place, SMALL, Stroke};
use crate::legend::FAINT;
use crate::metrics;
use crate::palette::{FULL, LINK};

const MARGIN: f64 = 24.0;
/// Height of an application (two lines), and of a line.
const APP: f64 = 36.0;
const LINE: f64 = 21.0;
/// Space before the text of an application and of a sign.
const BEFORE_APP: f64 = 30.0;
const BEFORE_SIGN: f64 = 36.0;
/// Space after a text.
const BEHIND: f64 = 26.0;
/// Up to this number, links are listed; more are only counted.
const MOST_LISTED: usize = 60;

/// A sign of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Core,
    Idle,
    Domain,
    FullDomain,
    Own,
    Remote,
    Link,
    BareLink,
    Bundle,
    FullLink,
    FullBundle,
    Data,
}

impl Sign {
    const fn text(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Idle => "idle core",
            Self::Domain => "cores of an L3 domain",
            Self::FullDomain => "cores of an L3 domain that reads all it can",
            Self::Own => "memory read by its own node",
            Self::Remote => "memory read by other nodes",
            Self::Link => "cores read this memory over a link: used / capacity in GB/s",
            Self::BareLink => "cores read this memory over a link: capacity in GB/s",
            Self::Bundle => "cores of a node read other memories over all its links: GB/s in all",
            Self::FullLink => "full",
            Self::FullBundle => "at least one of these links is full",
            Self::Data => "data of an application, read from any node",
        }
    }
}

/// The text below a map, laid out.
pub(super) struct Legend {
    apps_in_row: usize,
    app_width: f64,
    app_rows: usize,
    /// Each with its line and distance from the left.
    signs: Vec<(Sign, usize, f64)>,
    sign_lines: usize,
    listed: List,
    shared: List,
    room: f64,
}

impl Legend {
    pub(super) fn of(map: &ThreadMap, placed: &PlacedLinks<'_>, layout: &Layout) -> Self {
        let room = layout.width - 2.0 * MARGIN;
        let widths = map
            .apps
            .iter()
            .map(|app| (1.1 * metrics::width(&app.name, SMALL)).max(metrics::width(&app.detail, SMALL)));
        let widest = (widths.fold(0.0, f64::max) + BEFORE_APP + BEHIND).min(room);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
        let fitting = ((room / widest) as usize).clamp(1, map.apps.len().max(1));
        // The required number of rows, but no more columns than these rows need.
        let app_rows = map.apps.len().div_ceil(fitting);
        let apps_in_row = map.apps.len().div_ceil(app_rows.max(1)).max(1);

        let mut signs: Vec<(Sign, usize, f64)> = Vec::new();
        let (mut line, mut x) = (0, 0.0);
        for sign in shown(map) {
            let width = BEFORE_SIGN + metrics::width(sign.text(), SMALL) + BEHIND;
            if x > 0.0 && x + width - BEHIND > room {
                (line, x) = (line + 1, 0.0);
            }
            signs.push((sign, line, x));
            x += width;
        }
        let sign_lines = signs.last().map_or(0, |(_, line, _)| line + 1);
        Self {
            apps_in_row,
            app_width: room / apps_in_row as f64,
            app_rows,
            signs,
            sign_lines,
            // Capacities of many links are a matrix, not a list.
            listed: List::of(placed.unlabelled().filter(|link| link.used_gbs.is_some()).collect(), room),
            shared: List::of_shared(map, room),
            room,
        }
    }

    pub(super) fn height(&self) -> f64 {
        let lines = (self.sign_lines + self.listed.lines() + self.shared.lines()) as f64;
        18.0 + APP * self.app_rows as f64 + 6.0 + LINE * lines + 10.0
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, map: &ThreadMap, top: f64) {
        let top = top + 18.0;
        for (i, app) in map.apps.iter().enumerate() {
            let x = MARGIN + self.app_width * (i % self.apps_in_row) as f64;
            let y = top + APP * (i / self.apps_in_row) as f64;
            draw_thread(canvas, map, i, (x + 11.0, y + APP / 2.0), 11.0);
            let room = self.app_width - BEFORE_APP - 8.0;
            let name = metrics::cut(&app.name, SMALL * 1.1, room);
            canvas.text(x + BEFORE_APP, y + 11.0, &name, Font::new(SMALL).bold());
            canvas.text(x + BEFORE_APP, y + 26.0, &metrics::cut(&app.detail, SMALL, room), FAINT);
        }
        let top = top + APP * self.app_rows as f64 + 6.0;
        for &(sign, line, x) in &self.signs {
            let (x, y) = (MARGIN + x, top + LINE * (line as f64 + 0.5));
            draw_sign(canvas, map, sign, x, y);
            canvas.text(x + BEFORE_SIGN, y, sign.text(), FAINT);
        }
        let top = top + LINE * self.sign_lines as f64;
        self.listed.draw(canvas, top, self.room);
        self.shared.draw(canvas, top + LINE * self.listed.lines() as f64, self.room);
    }
}

/// The signs that this map has.
fn shown(map: &ThreadMap) -> Vec<Sign> {
    let busy = |node: &MapNode| node.threads.iter().map(|(_, count)| *count).sum::<u32>();
    let mut signs = Vec::new();
    let mut add = |sign: Sign, there: bool| {
        if there {
            signs.push(sign);
        }
    };
    let alone = |node: &MapNode| node.used_gbs.is_none();
    add(Sign::Core, map.nodes.iter().any(|node| alone(node) && node.cores > 0));
    add(Sign::Idle, map.nodes.iter().any(|node| !alone(node) && busy(node) < node.cores));
    let domains =
        |full: bool| map.nodes.iter().flat_map(|node| &node.domains).any(|domain| domain.is_full == full);
    add(Sign::Domain, domains(false));
    add(Sign::FullDomain, domains(true));
    add(Sign::Own, map.nodes.iter().any(|node| node.used_gbs.is_some_and(|used| used > node.remote_gbs)));
    add(Sign::Remote, map.nodes.iter().any(|node| node.remote_gbs > 0.0));
    add(Sign::Data, map.nodes.iter().any(|node| !node.data.is_empty()));
    let bare = |link: &MapLink| link.used_gbs.is_none();
    let is_bundled = map.is_bundled();
    add(Sign::Link, !is_bundled && map.used_links().any(|link| !bare(link)));
    add(Sign::BareLink, !is_bundled && map.used_links().any(bare));
    add(Sign::Bundle, is_bundled && map.used_links().any(|link| !bare(link)));
    let is_full = map.used_links().any(MapLink::is_full);
    add(if is_bundled { Sign::FullBundle } else { Sign::FullLink }, is_full);
    signs
}

fn draw_sign(canvas: &mut Canvas, map: &ThreadMap, sign: Sign, x: f64, y: f64) {
    let bar = Place::new(x, y - BAR / 2.0, 28.0, BAR);
    match sign {
        Sign::Core | Sign::Idle => draw_idle(canvas, (x + 14.0, y), 9.0),
        Sign::Domain | Sign::FullDomain => {
            draw_domain_border(canvas, Place::new(x, y - 8.0, 28.0, 16.0), sign == Sign::FullDomain);
        }
        Sign::Own | Sign::Remote => {
            if sign == Sign::Own {
                own_memory(canvas, bar);
            } else {
                remote_memory(canvas, bar);
            }
            canvas.border(bar, Stroke::new(BORDER, 1.0));
        }
        Sign::Link | Sign::BareLink | Sign::Bundle | Sign::FullLink | Sign::FullBundle => {
            let is_full = matches!(sign, Sign::FullLink | Sign::FullBundle);
            let colour = if is_full { FULL } else { LINK };
            canvas.line((x, y), (x + 20.0, y), Stroke::new(colour, 4.0));
            if is_full {
                canvas.line((x, y), (x + 20.0, y), links::full_core(4.0));
            }
            canvas.polygon(&[(x + 28.0, y), (x + 18.0, y - 5.5), (x + 18.0, y + 5.5)], Some(colour), None);
        }
        Sign::Data => {
            let app = map.nodes.iter().flat_map(|node| &node.data).map(|data| data.app).next().unwrap_or(0);
            draw_tag(canvas, map, app, Place::new(x + 5.0, y - TAG / 2.0, TAG, TAG));
        }
    }
}

/// The values of links that have no room next to their lines, in columns.
struct List {
    title: &'static str,
    words: Vec<String>,
    columns: usize,
}

impl List {
    fn of(mut links: Vec<&MapLink>, room: f64) -> Self {
        let more = links.len().saturating_sub(MOST_LISTED);
        if more > 0 {
            links.sort_by(|a, b| b.share().total_cmp(&a.share()));
            links.truncate(MOST_LISTED);
        }
        links.sort_by_key(|link| (link.from, link.to));
        let mut words = links::all_listed(&links);
        if more > 0 {
            words.push(format!("and {more} more"));
        }
        let title = if more > 0 {
            "The busiest links (core → memory: used / capacity in GB/s)"
        } else {
            "Links in use (core → memory: used / capacity in GB/s)"
        };
        Self::of_words(title, words, room)
    }

    /// Links that several pairs of nodes share, if they are not drawn between the rows.
    fn of_shared(map: &ThreadMap, room: f64) -> Self {
        let bridges = map.bridges();
        let mut shown: Vec<&MapSharedLink> =
            map.shared_links.iter().filter(|link| !bridges.contains(link)).collect();
        let more = shown.len().saturating_sub(MOST_LISTED);
        shown.truncate(MOST_LISTED);
        let mut words: Vec<String> = shown.into_iter().map(MapSharedLink::listed).collect();
        if more > 0 {
            words.push(format!("and {more} more"));
        }
        let title = if map.shared_links.iter().any(|link| link.used_gbs.is_some()) {
            "Links that these pairs share (cores → memories: used / capacity in GB/s)"
        } else {
            "Links that these pairs share (cores → memories: capacity in GB/s)"
        };
        Self::of_words(title, words, room)
    }

    fn of_words(title: &'static str, words: Vec<String>, room: f64) -> Self {
        let widest = words.iter().map(|word| metrics::width(word, SMALL)).fold(1.0, f64::max) + BEHIND;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few")]
        let columns = ((room + BEHIND) / widest).max(1.0) as usize;
        Self { title, words, columns }
    }

    /// With a heading.
    fn lines(&self) -> usize {
        if self.words.is_empty() { 0 } else { 1 + self.words.len().div_ceil(self.columns) }
    }

    fn draw(&self, canvas: &mut Canvas, top: f64, room: f64) {
        if self.words.is_empty() {
            return;
        }
        canvas.text(MARGIN, top + 0.5 * LINE, self.title, Font::new(SMALL).bold());
        for (i, word) in self.words.iter().enumerate() {
            let x = MARGIN + (room + BEHIND) / self.columns as f64 * (i % self.columns) as f64;
            let line = 1.5 + (i / self.columns) as f64;
            canvas.text(x, top + LINE * line, word, Font::new(SMALL));
        }
    }
}
