//! The thread map of a scenario, as Figures 2 and 3 of Dokulil and Benkner, "NUMA-aware CPU core allocation in cooperating dynamic
//! applications": the position of threads, and the load of memories and links.
//!
//! Two rows of nodes with the links between them, so that no link runs through a node. An application is a colour and a letter.

use std::collections::HashMap;

use crate::canvas::{At, Canvas, Font, Heading, Place, SMALL, Stroke};
use crate::palette::{Colour, FAINT_TEXT, FULL, LINK, PAPER, TEXT, fill_colour, text_on};
use crate::{figures, metrics};
use layout::{BAR, COMPACT, DATA, Domains, INSIDE, LINE, Layout, TAG, WHOLE, tag_width, tags, with_circles};

mod layout;
mod legend;
mod links;
#[cfg(test)]
mod tests;

/// Links that are not used.
const UNUSED: Colour = Colour(214, 214, 214);
/// Borders of nodes.
const BORDER: Colour = Colour(120, 120, 120);
/// Borders of L3 domains.
const DOMAIN: Colour = Colour(165, 165, 165);
/// Shares from this value on are full.
const FULL_SHARE: f64 = 0.9995;
/// Maximum number of shared links that are drawn between the rows.
const MOST_BRIDGES: usize = 4;
/// More lines between nodes would be unreadable: they are drawn as one.
const MOST_LINES: usize = 16;

/// The application of a letter.
#[derive(Clone, Debug)]
pub struct MapApp {
    /// Its sign in the picture.
    pub letter: String,
    /// Its name in the legend.
    pub name: String,
    /// Arithmetic intensity, place of data, GFLOPS, ...
    pub detail: String,
}

/// Data of an application on a node.
#[derive(Clone, Debug)]
pub struct MapData {
    /// The number of the application.
    pub app: usize,
    /// The part of it, if not all.
    pub part: Option<String>,
}

/// Cores of a node that share an L3 cache.
#[derive(Clone, Debug)]
pub struct MapDomain {
    /// Number of cores.
    pub cores: u32,
    /// Number of an application and its threads here.
    pub threads: Vec<(usize, u32)>,
    /// Whether they read at the limit together.
    pub is_full: bool,
}

/// A node.
#[derive(Clone, Debug)]
pub struct MapNode {
    /// 0 for a memory without cores.
    pub cores: u32,
    /// Number of an application and its threads here.
    pub threads: Vec<(usize, u32)>,
    /// Its L3 domains, which contain all its cores; empty if no node of the machine has several.
    pub domains: Vec<MapDomain>,
    /// The bandwidth that the memory delivers, in GB/s. `None`: no scenario, the machine alone.
    pub used_gbs: Option<f64>,
    /// The part of it that goes to other nodes, in GB/s.
    pub remote_gbs: f64,
    /// Its maximum, in GB/s; 0 for a node without memory.
    pub capacity_gbs: f64,
    /// Data that is not on the node of its threads.
    pub data: Vec<MapData>,
}

/// A link, from the node of the cores to the node of the memory.
#[derive(Clone, Copy, Debug)]
pub struct MapLink {
    /// Node of the cores.
    pub from: usize,
    /// Node of the memory.
    pub to: usize,
    /// `None`: no scenario, the machine alone.
    pub used_gbs: Option<f64>,
    /// Its maximum, in GB/s.
    pub capacity_gbs: f64,
}

/// A direction of a link that several pairs of nodes share.
#[derive(Clone, Debug, PartialEq)]
pub struct MapSharedLink {
    /// Its name.
    pub name: String,
    /// Nodes of the cores.
    pub from: Vec<usize>,
    /// Nodes of the memories.
    pub to: Vec<usize>,
    /// `None`: no scenario, the machine alone.
    pub used_gbs: Option<f64>,
    /// Its maximum, in GB/s.
    pub capacity_gbs: f64,
}

/// The thread map of a scenario.
#[derive(Clone, Debug)]
pub struct ThreadMap {
    /// Above the picture.
    pub heading: Heading,
    /// In the order of the legend.
    pub apps: Vec<MapApp>,
    /// In the order of their numbers.
    pub nodes: Vec<MapNode>,
    /// The links to show.
    pub links: Vec<MapLink>,
    /// Links that several pairs share, each direction separately.
    pub shared_links: Vec<MapSharedLink>,
}

impl MapNode {
    /// The bandwidth that the memory delivers and its maximum.
    fn memory_text(&self) -> String {
        match self.used_gbs {
            _ if !self.has_memory() => "no memory".to_owned(),
            Some(used) => format!("{} / {} GB/s", gbs(used), gbs(self.capacity_gbs)),
            None => format!("{} GB/s", gbs(self.capacity_gbs)),
        }
    }

    fn has_memory(&self) -> bool {
        self.capacity_gbs > 0.0
    }

    /// Whether it delivers its maximum.
    fn is_full(&self) -> bool {
        self.has_memory() && self.used_gbs.is_some_and(|used| used >= FULL_SHARE * self.capacity_gbs)
    }
}

impl MapLink {
    fn is_used(&self) -> bool {
        self.used_gbs.is_none_or(|used| used > 0.0)
    }

    fn is_full(&self) -> bool {
        self.share() >= FULL_SHARE
    }

    /// The part of its capacity that is in use.
    fn share(&self) -> f64 {
        self.used_gbs.map_or(0.0, |used| used / self.capacity_gbs)
    }
}

impl MapSharedLink {
    /// `xGMI 0-3 → 4-7: 60.0 / 76.0`
    fn listed(&self) -> String {
        let sign = if self.is_full() { ", full" } else { "" };
        let (from, to) = (figures::ranges(&self.from), figures::ranges(&self.to));
        format!("{} {from} → {to}: {}{sign}", self.name, self.figures())
    }

    fn figures(&self) -> String {
        let used = self.used_gbs.map_or(String::new(), |used| format!("{} / ", gbs(used)));
        format!("{used}{}", gbs(self.capacity_gbs))
    }

    fn is_full(&self) -> bool {
        self.used_gbs.is_some_and(|used| used >= FULL_SHARE * self.capacity_gbs)
    }
}

impl ThreadMap {
    /// The map as SVG.
    pub fn svg(&self) -> String {
        let layout = Layout::of(self, &WHOLE);
        let placed = links::place(self, &layout);
        let legend = legend::Legend::of(self, &placed, &layout);
        let mut canvas = Canvas::new(layout.width, &self.heading);
        self.draw_machine(&mut canvas, &layout, &placed);
        legend.draw(&mut canvas, self, layout.bottom);
        canvas.finish(layout.bottom + legend.height())
    }

    /// Only nodes and links, for small screens: the page around this picture contains what heading and legend say.
    pub fn compact_svg(&self) -> String {
        let layout = Layout::of(self, &COMPACT);
        let mut canvas = Canvas::untitled(layout.width, &self.heading);
        self.draw_machine(&mut canvas, &layout, &links::place(self, &layout));
        canvas.finish(layout.bottom + COMPACT.top)
    }

    fn draw_machine(&self, canvas: &mut Canvas, layout: &Layout, placed: &links::PlacedLinks<'_>) {
        let bundle = links::Bundle::of(self, layout);
        links::draw_lines(canvas, placed);
        if let Some(bundle) = &bundle {
            bundle.draw_lines(canvas);
        }
        for (number, (node, place)) in self.nodes.iter().zip(&layout.boxes).enumerate() {
            draw(canvas, self, layout, number, node, *place);
        }
        links::draw_heads_and_labels(canvas, placed);
        if let Some(bundle) = &bundle {
            bundle.draw_heads_and_labels(canvas);
        }
    }

    fn used_links(&self) -> impl Iterator<Item = &MapLink> {
        self.links.iter().filter(|link| link.is_used())
    }

    /// Whether too many links are in use to draw each of them. Both directions count once if they are drawn as one line: for a machine
    /// alone, if they are equal.
    fn is_bundled(&self) -> bool {
        let alone: HashMap<(usize, usize), f64> = self
            .used_links()
            .filter(|link| link.used_gbs.is_none())
            .map(|link| ((link.from, link.to), link.capacity_gbs))
            .collect();
        let is_second = |link: &&MapLink| {
            link.from > link.to && alone.get(&(link.to, link.from)) == Some(&link.capacity_gbs)
        };
        let second = self.used_links().filter(|link| link.used_gbs.is_none()).filter(is_second).count();
        self.used_links().count() - second > MOST_LINES || !self.bridges().is_empty()
    }

    /// Number of nodes in the upper row; two nodes are side by side, and both are upper ones.
    fn upper(&self) -> usize {
        let count = self.nodes.len();
        if count <= 2 { count } else { count.div_ceil(2) }
    }

    /// The shared links between the upper and the lower row, which are drawn between them; none on small machines.
    fn bridges(&self) -> Vec<&MapSharedLink> {
        let upper = self.upper();
        let is_between = |link: &&MapSharedLink| {
            let all = |nodes: &[usize], is_upper: bool| nodes.iter().all(|&node| (node < upper) == is_upper);
            all(&link.from, true) && all(&link.to, false) || all(&link.from, false) && all(&link.to, true)
        };
        let bridges: Vec<&MapSharedLink> = self.shared_links.iter().filter(is_between).collect();
        let is_drawn = self.nodes.len() > 4 && bridges.len() <= MOST_BRIDGES && self.used_links().count() > 0;
        if is_drawn { bridges } else { Vec::new() }
    }
}

/// GB/s with a digit after the decimal point below a hundred.
fn gbs(value: f64) -> String {
    if value >= 99.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}

// One node of a thread map: its cores and its memory.

/// Border of filled shapes.
const EDGE: Colour = Colour(60, 60, 60);

fn draw(canvas: &mut Canvas, map: &ThreadMap, layout: &Layout, number: usize, node: &MapNode, place: Place) {
    canvas.rect(place, 9.0, Some(PAPER), Some(Stroke::new(BORDER, 1.5)));
    let left = place.x + INSIDE;
    let inner = place.width - 2.0 * INSIDE;
    let memory_height = BAR + LINE + (TAG + 4.0) * layout.tag_lines as f64;
    // Memories are next to the links: below in the upper row, above in the lower one.
    let (name, cores, memory) = if layout.is_upper(number) {
        let name = place.y + INSIDE;
        let cores = name + LINE;
        (name, cores, place.bottom() - INSIDE - memory_height)
    } else {
        let memory = place.y + INSIDE;
        let cores = memory + memory_height + 8.0;
        (cores + layout.cores_height, cores, memory)
    };

    let middle = name + LINE / 2.0 + if layout.is_upper(number) { -2.0 } else { 4.0 };
    canvas.text(left, middle, &format!("node {number}"), Font::new(SMALL).bold());
    let what = match node.cores {
        0 => "memory only".to_owned(),
        1 => "1 core".to_owned(),
        cores => format!("{cores} cores"),
    };
    let faint = Font::end(SMALL).colour(FAINT_TEXT);
    canvas.text(left + inner, middle, &what, faint);

    if let Some(domains) = layout.domains {
        let start = left + (inner - domains.all.0) / 2.0;
        for (number, domain) in node.domains.iter().enumerate() {
            let place = domains.place(number, start, cores);
            draw_domain_border(canvas, place, domain.is_full);
            let at = (place.x + Domains::INSIDE, place.y + Domains::INSIDE - 1.5);
            draw_circles(canvas, map, layout, (domain.cores, &domain.threads), domains.columns, at);
        }
    } else if with_circles(map) {
        let start = left + (inner - (f64::from(layout.columns) * layout.pitch - 3.0)) / 2.0;
        draw_circles(canvas, map, layout, (node.cores, &node.threads), layout.columns, (start, cores));
    } else {
        draw_shares(canvas, map, node, (left, cores, inner));
    }
    draw_memory(canvas, node, (left, memory, inner));
    let tags = tags(&node.data, inner);
    if !tags.is_empty() {
        let y = memory + BAR + LINE + TAG / 2.0;
        canvas.text(left, y, DATA, Font::new(SMALL).colour(FAINT_TEXT));
    }
    for (data, (line, x)) in node.data.iter().zip(tags) {
        let top = memory + BAR + LINE + (TAG + 4.0) * line as f64;
        let place = Place::new(left + x, top, TAG, TAG);
        draw_tag(canvas, map, data.app, place);
        if let Some(part) = &data.part {
            canvas.text(left + x + tag_width(data), top + TAG / 2.0, part, Font::end(SMALL));
        }
    }
}

/// A circle for each core: adjacent ones for each application, then the idle ones.
fn draw_circles(
    canvas: &mut Canvas,
    map: &ThreadMap,
    layout: &Layout,
    (cores, threads): (u32, &[(usize, u32)]),
    columns: u32,
    (left, top): At,
) {
    let busy = threads.iter().flat_map(|&(app, count)| (0..count).map(move |_| Some(app)));
    let cores = busy.chain(std::iter::repeat(None)).zip(0..cores);
    for (app, i) in cores {
        let (row, column) = (i / columns, i % columns);
        let x = left + layout.radius + f64::from(column) * layout.pitch;
        let y = top + layout.pitch / 2.0 + f64::from(row) * layout.pitch;
        match app {
            Some(app) => draw_thread(canvas, map, app, (x, y), layout.radius),
            None => draw_idle(canvas, (x, y), layout.radius),
        }
    }
}

/// The border of an L3 domain.
fn draw_domain_border(canvas: &mut Canvas, place: Place, is_full: bool) {
    let stroke = if is_full { Stroke::new(FULL, 2.0) } else { Stroke::new(DOMAIN, 1.0) };
    canvas.rect(place, 4.0, None, Some(stroke));
}

/// A thread: a circle with the colour and the letter of its application.
fn draw_thread(canvas: &mut Canvas, map: &ThreadMap, app: usize, at: At, radius: f64) {
    let colour = fill_colour(app);
    canvas.circle(at, radius - 0.5, Some(colour), Some(Stroke::new(EDGE, 1.0)));
    write_letter(canvas, map, app, at, 1.5 * radius);
}

/// A core without a thread.
fn draw_idle(canvas: &mut Canvas, at: At, radius: f64) {
    canvas.circle(at, radius - 1.0, Some(PAPER), Some(Stroke::new(BORDER, 1.0)));
}

/// Data: a square with the colour and the letter of its application.
fn draw_tag(canvas: &mut Canvas, map: &ThreadMap, app: usize, place: Place) {
    canvas.rect(place.inset(0.5), 2.0, Some(fill_colour(app)), Some(Stroke::new(EDGE, 1.6)));
    write_letter(canvas, map, app, place.middle(), 0.8 * place.width);
}

/// The letter in a width of `room`.
fn write_letter(canvas: &mut Canvas, map: &ThreadMap, app: usize, (x, y): (f64, f64), room: f64) {
    let letter = map.apps.get(app).map_or("", |app| app.letter.as_str());
    let size = (0.78 * room).min(room / (0.78 * letter.chars().count().max(1) as f64)).min(12.5);
    let font = Font::middle(size).colour(text_on(fill_colour(app))).bold();
    canvas.text(x, y, letter, font);
}

/// For a node with many cores: one bar for each application, in proportion to its share of the cores.
fn draw_shares(canvas: &mut Canvas, map: &ThreadMap, node: &MapNode, (left, top, inner): (f64, f64, f64)) {
    let digits = node.cores.to_string();
    let text = metrics::width(&digits, SMALL) + 6.0;
    let room = inner - TAG - 6.0 - text;
    for (i, &(app, count)) in node.threads.iter().enumerate() {
        let y = top + LINE * i as f64;
        let middle = y + LINE / 2.0;
        draw_thread(canvas, map, app, (left + TAG / 2.0, middle), TAG / 2.0);
        let share = f64::from(count) / f64::from(node.cores.max(1));
        let bar = Place::new(left + TAG + 6.0, y + 4.0, room, LINE - 8.0);
        canvas.filled(Place::new(bar.x, bar.y, share * room, bar.height), fill_colour(app));
        canvas.border(bar, Stroke::new(BORDER, 1.0));
        canvas.text(left + inner, middle, &count.to_string(), Font::end(SMALL));
    }
}

/// The load of the memory: local reads, reads of other nodes, the unused part.
fn draw_memory(canvas: &mut Canvas, node: &MapNode, (left, top, inner): (f64, f64, f64)) {
    let share = |gbs: f64| if node.has_memory() { (gbs / node.capacity_gbs).clamp(0.0, 1.0) } else { 0.0 };
    let used = node.used_gbs.unwrap_or(0.0);
    let local = inner * share(used - node.remote_gbs);
    let remote = inner * share(node.remote_gbs);
    own_memory(canvas, Place::new(left, top, local, BAR));
    remote_memory(canvas, Place::new(left + local, top, remote, BAR));
    canvas.border(Place::new(left, top, inner, BAR), Stroke::new(BORDER, 1.0));
    let font = Font::middle(SMALL);
    let font = if node.is_full() { font.bold().colour(FULL) } else { font.colour(TEXT) };
    canvas.text(left + inner / 2.0, top + BAR + LINE / 2.0, &node.memory_text(), font);
}

/// Memory that is read by its own node.
fn own_memory(canvas: &mut Canvas, place: Place) {
    if place.width > 0.0 {
        canvas.filled(place, OWN);
    }
}

/// Memory that is read by other nodes.
fn remote_memory(canvas: &mut Canvas, place: Place) {
    if place.width > 0.0 {
        canvas.filled(place, REMOTE);
        canvas.hatch(place, 5.0, Stroke::new(LINK, 1.0));
    }
}

const OWN: Colour = Colour(125, 125, 125);
const REMOTE: Colour = Colour(226, 230, 235);
