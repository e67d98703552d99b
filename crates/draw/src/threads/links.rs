//! The links of a thread map: their paths, their widths, and the places of their values. If they are too many, all of them are drawn as
//! one: a line between the rows, and for each node the reads of its cores from other memories and the reads of others from its own.

use super::layout::{BRIDGE, Layout};
use super::{MapLink, MapSharedLink, ThreadMap, UNUSED, gbs};
use crate::canvas::{Anchor, At, Canvas, Font, Place, SMALL, Stroke};
use crate::palette::{Colour, FAINT_TEXT, FULL, LINK, PAPER};
use crate::{figures as numbers, metrics};

/// Pixels between both directions of a link.
const APART: f64 = 9.0;

/// A link in its place.
pub(super) struct PlacedLink<'a> {
    link: &'a MapLink,
    curve: [At; 4],
    width: f64,
    /// Whether it represents both directions: for a machine alone, if they are equal.
    both: bool,
    /// The place of its values, if there is room.
    label: Option<At>,
}

/// Everything between the nodes.
pub(super) struct PlacedLinks<'a> {
    unused: Vec<[At; 4]>,
    used: Vec<PlacedLink<'a>>,
    /// The links that are drawn as one.
    bundled: Vec<&'a MapLink>,
}

impl<'a> PlacedLinks<'a> {
    /// The links whose values have no room next to them.
    pub(super) fn unlabelled(&self) -> impl Iterator<Item = &'a MapLink> + '_ {
        let bundled = self.bundled.iter().copied();
        self.used.iter().filter(|placed| placed.label.is_none()).map(|placed| placed.link).chain(bundled)
    }
}

fn figures(link: &MapLink) -> String {
    match link.used_gbs {
        Some(used) => format!("{} / {}", gbs(used), gbs(link.capacity_gbs)),
        None => gbs(link.capacity_gbs),
    }
}

/// Finds a place for every link.
pub(super) fn place<'a>(map: &'a ThreadMap, layout: &Layout) -> PlacedLinks<'a> {
    let count = map.nodes.len();
    let widest = map.links.iter().map(|link| link.capacity_gbs).fold(0.0, f64::max);
    let between = |a: usize, b: usize| {
        map.links.iter().filter(move |link| (link.from, link.to) == (a, b) || (link.from, link.to) == (b, a))
    };
    let mut placed = PlacedLinks { unused: Vec::new(), used: Vec::new(), bundled: Vec::new() };
    if layout.is_bundled {
        placed.bundled = map.used_links().collect();
        return placed;
    }
    // On machines with more nodes unused links would be a grey area.
    let with_unused = count <= 4;
    for (a, b) in (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b))) {
        let links: Vec<&MapLink> = between(a, b).collect();
        if links.is_empty() {
            continue;
        }
        let curve = curve(layout, a, b);
        let used: Vec<&MapLink> = links.into_iter().filter(|link| link.is_used()).collect();
        if used.is_empty() && with_unused {
            placed.unused.push(curve);
        }
        let alike = match used.as_slice() {
            [one, other] => one.used_gbs.is_none() && one.capacity_gbs == other.capacity_gbs,
            _ => false,
        };
        let used = if alike { &used[..1] } else { &used[..] };
        for (i, link) in used.iter().enumerate() {
            let aside = if used.len() == 2 { APART * (i as f64 - 0.5) } else { 0.0 };
            let mut curve = curve.map(|at| moved(layout, at, aside));
            if link.from != a {
                curve.reverse();
            }
            let width = 1.5 + 5.0 * link.used_gbs.unwrap_or(0.4 * link.capacity_gbs) / widest;
            placed.used.push(PlacedLink { link, curve, width, both: alike, label: None });
        }
    }
    place_labels(&mut placed.used, layout);
    placed
}

/// The two directions of a link side by side.
fn moved(layout: &Layout, (x, y): At, aside: f64) -> At {
    if layout.is_pair() { (x, y + 2.0 * aside) } else { (x + aside, y) }
}

/// From the border of one node to that of another, through the gap between them.
fn curve(layout: &Layout, a: usize, b: usize) -> [At; 4] {
    if layout.is_pair() {
        let (left, right) = (layout.boxes[0], layout.boxes[1]);
        let y = left.y + left.height / 2.0;
        let third = (right.x - left.right()) / 3.0;
        return [(left.right(), y), (left.right() + third, y), (right.x - third, y), (right.x, y)];
    }
    let (start, end) = (port(layout, a, b), port(layout, b, a));
    let depth = |node: usize, deep: f64| if layout.is_upper(node) { deep } else { -deep };
    let gap = layout.gap.height;
    let deep = if layout.is_upper(a) == layout.is_upper(b) {
        // An arc: the larger the distance of its ends, the deeper. It reaches three quarters of its control points.
        let columns = a.abs_diff(b) as f64;
        gap * (0.22 + 0.11 * columns).min(0.62)
    } else {
        0.42 * gap
    };
    [start, (start.0, start.1 + depth(a, deep)), (end.0, end.1 + depth(b, deep)), end]
}

/// The start of the link of `node` to `other` on the border of `node`: side by side in the order of the other ends, so that few links
/// cross.
fn port(layout: &Layout, node: usize, other: usize) -> At {
    let place = layout.boxes[node];
    let middle = |n: usize| layout.boxes[n].x + layout.boxes[n].width / 2.0;
    let mut others: Vec<usize> = (0..layout.boxes.len()).filter(|&n| n != node).collect();
    let key = |n: usize| {
        let away = middle(n) - middle(node);
        if layout.is_upper(n) == layout.is_upper(node) {
            // In the same row: the nearest neighbours outermost, the flat arcs above the deep ones.
            let far = 1e7 / away.abs().max(1.0);
            if away < 0.0 { -1e6 - far } else { 1e6 + far }
        } else {
            away
        }
    };
    others.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
    let index = others.iter().position(|&n| n == other).unwrap_or(0);
    let share = (index as f64 + 0.5) / others.len().max(1) as f64;
    let x = place.x + place.width * (0.08 + 0.84 * share);
    (x, if layout.is_upper(node) { place.bottom() } else { place.y })
}

/// A point of a cubic curve.
fn on_curve([a, b, c, d]: [At; 4], t: f64) -> At {
    let s = 1.0 - t;
    let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
    let sum = |part: fn(At) -> f64| [a, b, c, d].iter().zip(weights).map(|(at, w)| part(*at) * w).sum();
    (sum(|at| at.0), sum(|at| at.1))
}

/// Values next to their lines, if they hide neither each other nor a node.
fn place_labels(links: &mut [PlacedLink<'_>], layout: &Layout) {
    let mut taken: Vec<Place> = Vec::new();
    for link in links {
        let size = (metrics::width(&figures(link.link), SMALL) * 1.1 + 6.0, 16.0);
        // First near the end that is read: there the lines are farther from those of other readers.
        let steps = [0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72, 0.22, 0.78];
        let pair = layout.is_pair();
        let found = steps.into_iter().find_map(|t| {
            let (x, mut y) = on_curve(link.curve, t);
            if pair {
                // Two straight lines: one text above, one below.
                let middle = layout.gap.y + layout.gap.height / 2.0;
                y += if y >= middle { 14.0 } else { -14.0 };
            }
            let place = Place::new(x - size.0 / 2.0, y - size.1 / 2.0, size.0, size.1);
            let inside = place.x >= layout.gap.x
                && place.right() <= layout.gap.right()
                && (pair || place.y >= layout.gap.y + 6.0 && place.bottom() <= layout.gap.bottom() - 6.0);
            let free = inside && !taken.iter().any(|other| other.overlaps(place));
            free.then_some((place, (x, y)))
        });
        if let Some((place, at)) = found {
            taken.push(place);
            link.label = Some(at);
        }
    }
}

/// Dashes inside the line of a link that is full: it differs from the others without its colour.
pub(super) fn full_core(width: f64) -> Stroke {
    Stroke::new(PAPER, 0.3 * width).dashed(&[3, 4])
}

fn colour(link: &MapLink) -> Colour {
    if link.is_full() { FULL } else { LINK }
}

/// The lines; nodes are drawn over their ends.
pub(super) fn draw_lines(canvas: &mut Canvas, placed: &PlacedLinks<'_>) {
    for curve in &placed.unused {
        canvas.curve(*curve, Stroke::new(UNUSED, 1.0));
    }
    for one in &placed.used {
        // The head covers the end of the line.
        canvas.curve(one.curve, Stroke::new(colour(one.link), one.width));
        if one.link.is_full() {
            canvas.curve(one.curve, full_core(one.width));
        }
    }
}

/// Arrows at the memories that are read, and values.
pub(super) fn draw_heads_and_labels(canvas: &mut Canvas, placed: &PlacedLinks<'_>) {
    for one in &placed.used {
        draw_head(canvas, one.curve, one.width, colour(one.link));
        if one.both {
            let [a, b, c, d] = one.curve;
            draw_head(canvas, [d, c, b, a], one.width, colour(one.link));
        }
    }
    for one in &placed.used {
        if let Some((x, y)) = one.label {
            let text = figures(one.link);
            let width = metrics::width(&text, SMALL) * 1.1 + 6.0;
            // On a separate background: the line may be as thick as the letters are high.
            canvas.rect(Place::new(x - width / 2.0, y - 8.0, width, 16.0), 4.0, Some(PAPER), None);
            let font = Font::middle(SMALL).colour(colour(one.link));
            canvas.text(x, y, &text, if one.link.is_full() { font.bold() } else { font });
        }
    }
}

/// A triangle at the end of a curve.
pub(super) fn draw_head(canvas: &mut Canvas, curve: [At; 4], width: f64, colour: Colour) {
    let (tip, before) = (curve[3], curve[2]);
    let (dx, dy) = (tip.0 - before.0, tip.1 - before.1);
    let length = dx.hypot(dy).max(1e-9);
    let (ux, uy) = (dx / length, dy / length);
    let (long, half) = (7.0 + width, 3.5 + 0.7 * width);
    // Slightly into the border of the node, so that no gap is visible.
    let tip = (tip.0 + ux, tip.1 + uy);
    let back = (tip.0 - ux * long, tip.1 - uy * long);
    let corners = [tip, (back.0 - uy * half, back.1 + ux * half), (back.0 + uy * half, back.1 - ux * half)];
    canvas.polygon(&corners, Some(colour), Some(Stroke::new(PAPER, 0.8)));
}

/// One line of the list below the map.
fn listed(link: &MapLink, to: &[usize]) -> String {
    format!("{} → {}: {}", link.from, numbers::ranges(to), figures(link))
}

/// Links in the order of their nodes; those of a node with the same values are one line.
pub(super) fn all_listed(links: &[&MapLink]) -> Vec<String> {
    let mut folded: Vec<(&MapLink, Vec<usize>)> = Vec::new();
    for &link in links {
        match folded.iter_mut().find(|(one, _)| one.from == link.from && figures(one) == figures(link)) {
            Some((_, to)) => to.push(link.to),
            None => folded.push((link, vec![link.to])),
        }
    }
    folded.iter().map(|(link, to)| listed(link, to)).collect()
}

/// Height of the common line, which contains a text.
const TRUNK: f64 = 24.0;

/// The links of a node in one direction.
struct Branch {
    x: f64,
    /// At the border of the node, and at the common line.
    node: f64,
    trunk: f64,
    /// Whether its cores read other memories; otherwise others read its own.
    reads: bool,
    /// `None`: the machine alone, both directions.
    gbs: Option<f64>,
    width: f64,
    is_full: bool,
}

/// A link that the rows share.
struct Bridge<'a> {
    link: &'a MapSharedLink,
    x: f64,
    from: f64,
    to: f64,
}

/// All links.
pub(super) struct Bundle<'a> {
    /// One for both rows, or one for each if they share links.
    trunks: Vec<(Place, String)>,
    branches: Vec<Branch>,
    bridges: Vec<Bridge<'a>>,
}

impl<'a> Bundle<'a> {
    /// `None` if each link has a separate line.
    pub(super) fn of(map: &'a ThreadMap, layout: &Layout) -> Option<Self> {
        if !layout.is_bundled {
            return None;
        }
        let used: Vec<&MapLink> = map.used_links().collect();
        let is_alone = used.iter().all(|link| link.used_gbs.is_none());
        let sum = |is_of: &dyn Fn(&MapLink) -> bool| {
            let links = || used.iter().filter(|link| is_of(link));
            let sum: f64 = links().filter_map(|link| link.used_gbs).sum();
            (links().count(), sum, links().any(|link| link.is_full()))
        };
        let middle = layout.gap.y + layout.gap.height / 2.0;
        let shared = map.bridges();
        let half = if shared.is_empty() { 0.0 } else { BRIDGE / 2.0 };
        let mut branches = Vec::new();
        for (node, place) in layout.boxes.iter().enumerate() {
            let (border, trunk) = if layout.is_upper(node) {
                (place.bottom(), middle - half - TRUNK / 2.0)
            } else {
                (place.y, middle + half + TRUNK / 2.0)
            };
            let branch = |part: f64, reads: bool, gbs: Option<f64>, is_full: bool| Branch {
                x: place.x + part * place.width,
                node: border,
                trunk,
                reads,
                gbs,
                width: 2.0,
                is_full,
            };
            let (reading, reads, reads_full) = sum(&|link| link.from == node);
            let (read_by, read, read_full) = sum(&|link| link.to == node);
            if is_alone {
                if reading + read_by > 0 {
                    branches.push(branch(0.5, false, None, false));
                }
                continue;
            }
            if reading > 0 {
                branches.push(branch(0.28, true, Some(reads), reads_full));
            }
            if read_by > 0 {
                branches.push(branch(0.72, false, Some(read), read_full));
            }
        }
        let most = branches.iter().filter_map(|branch| branch.gbs).fold(0.0, f64::max);
        for branch in &mut branches {
            branch.width = branch.gbs.map_or(2.0, |gbs| 1.5 + 5.0 * gbs / most);
        }
        let left = branches.iter().map(|branch| branch.x).fold(f64::INFINITY, f64::min);
        let right = branches.iter().map(|branch| branch.x).fold(0.0, f64::max);
        let text = text(&used, is_alone);
        // At least as wide as its text.
        let middle_x = f64::midpoint(left, right);
        let wide = ((right - left) / 2.0 + 16.0).max(metrics::width(&text, SMALL) / 2.0 + 14.0);
        let trunk = |y: f64| Place::new(middle_x - wide, y - TRUNK / 2.0, 2.0 * wide, TRUNK);
        if shared.is_empty() {
            return Some(Self { trunks: vec![(trunk(middle), text)], branches, bridges: Vec::new() });
        }
        let upper = map.upper();
        let row = |nodes: std::ops::Range<usize>| {
            let nodes: Vec<usize> = nodes.collect();
            format!("links of nodes {}, drawn as one", numbers::ranges(&nodes))
        };
        let both = [trunk(middle - half), trunk(middle + half)];
        let count = shared.len() as f64;
        let bridges = (0..).zip(shared).map(|(i, link)| {
            let down = link.from.first().is_some_and(|&node| node < upper);
            let ends = (both[0].bottom(), both[1].y);
            let (from, to) = if down { ends } else { (ends.1, ends.0) };
            Bridge { link, x: both[0].x + both[0].width * (f64::from(i) + 0.5) / count, from, to }
        });
        let bridges = bridges.collect();
        let trunks = vec![(both[0], row(0..upper)), (both[1], row(upper..map.nodes.len()))];
        Some(Self { trunks, branches, bridges })
    }

    /// The lines; nodes are drawn over their ends.
    pub(super) fn draw_lines(&self, canvas: &mut Canvas) {
        for one in &self.branches {
            canvas.line((one.x, one.node), (one.x, one.trunk), Stroke::new(one.colour(), one.width));
            if one.is_full {
                canvas.line((one.x, one.node), (one.x, one.trunk), full_core(one.width));
            }
        }
        for one in &self.bridges {
            let stroke = Stroke::new(one.colour(), one.width());
            canvas.line((one.x, one.from), (one.x, one.to), stroke);
            if one.link.is_full() {
                canvas.line((one.x, one.from), (one.x, one.to), full_core(one.width()));
            }
        }
        for (trunk, text) in &self.trunks {
            canvas.rect(*trunk, TRUNK / 2.0, Some(PAPER), Some(Stroke::new(LINK, 1.5)));
            let (x, y) = trunk.middle();
            canvas.text(x, y, text, Font::middle(SMALL).colour(FAINT_TEXT));
        }
    }

    /// Arrows towards the memories that are read, and values.
    pub(super) fn draw_heads_and_labels(&self, canvas: &mut Canvas) {
        for one in &self.bridges {
            let (from, to) = ((one.x, one.from), (one.x, one.to));
            draw_head(canvas, [from, from, from, to], one.width(), one.colour());
            if one.link.used_gbs.is_none() {
                draw_head(canvas, [to, to, to, from], one.width(), one.colour());
            }
            let (x, y) = (one.x + 14.0, f64::midpoint(one.from, one.to));
            let room = self.trunks[0].0.width / self.bridges.len() as f64 - 24.0;
            let name = metrics::cut_in_the_middle(&one.link.name, SMALL, room);
            canvas.text(x, y - 9.0, &name, Font::new(SMALL).colour(FAINT_TEXT));
            let font = Font::new(SMALL).colour(one.colour());
            let font = if one.link.is_full() { font.bold() } else { font };
            canvas.text(x, y + 9.0, &format!("{} GB/s", one.link.figures()), font);
        }
        for one in &self.branches {
            let (node, trunk) = ((one.x, one.node), (one.x, one.trunk));
            let (from, to) = if one.reads { (node, trunk) } else { (trunk, node) };
            draw_head(canvas, [from, from, from, to], one.width, one.colour());
            let Some(value) = one.gbs else {
                draw_head(canvas, [to, to, to, from], one.width, one.colour());
                continue;
            };
            let font = Font::new(SMALL).colour(one.colour());
            let font = if one.is_full { font.bold() } else { font };
            let beside = one.width / 2.0 + 8.0;
            let (x, anchor) =
                if one.reads { (one.x - beside, Anchor::End) } else { (one.x + beside, Anchor::Start) };
            canvas.text(x, f64::midpoint(one.node, one.trunk), &gbs(value), font.anchor(anchor));
        }
    }
}

impl Bridge<'_> {
    fn colour(&self) -> Colour {
        if self.link.is_full() { FULL } else { LINK }
    }

    fn width(&self) -> f64 {
        2.0 + 6.0 * self.link.used_gbs.map_or(0.0, |used| used / self.link.capacity_gbs)
    }
}

impl Branch {
    fn colour(&self) -> Colour {
        if self.is_full { FULL } else { LINK }
    }
}

/// The reason why no single link is visible.
fn text(links: &[&MapLink], is_alone: bool) -> String {
    let capacities = || links.iter().map(|link| link.capacity_gbs);
    let (low, high) = (capacities().fold(f64::INFINITY, f64::min), capacities().fold(0.0, f64::max));
    match (is_alone, low < high) {
        (false, _) => format!("{} links in use, drawn as one", links.len()),
        (true, true) => {
            format!("{} links, drawn as one: {} to {} GB/s each", links.len(), gbs(low), gbs(high))
        }
        (true, false) => format!("{} links, drawn as one: {} GB/s each", links.len(), gbs(low)),
    }
}
