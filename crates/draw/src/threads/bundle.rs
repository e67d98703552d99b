//! All links of a map as one, where they are too many to be followed: a line between the rows, and for each node what
//! its cores read from other memories and what others read from its own.

use super::colours::{FULL, USED};
use super::layout::Layout;
use super::links::draw_head;
use super::map::{MapLink, ThreadMap, gbs};
use crate::canvas::Canvas;
use crate::ink::{Anchor, Font, SMALL, Stroke};
use crate::metrics;
use crate::palette::{FAINT_TEXT, PAPER};
use crate::place::Place;

/// Height of the common line; a text stands in it.
const TRUNK: f64 = 24.0;

/// The links of a node in one direction.
struct Branch {
    x: f64,
    /// At the border of the node, and at the common line.
    node: f64,
    trunk: f64,
    /// Its cores read other memories; else others read its own.
    reads: bool,
    /// `None`: the machine alone, both directions.
    gbs: Option<f64>,
    width: f64,
    is_full: bool,
}

/// All links.
pub(super) struct Bundle {
    trunk: Place,
    text: String,
    branches: Vec<Branch>,
}

impl Bundle {
    /// `None` where each link has its own line.
    pub(super) fn of(map: &ThreadMap, layout: &Layout) -> Option<Self> {
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
        let mut branches = Vec::new();
        for (node, place) in layout.boxes.iter().enumerate() {
            let (border, trunk) = if layout.is_upper(node) {
                (place.bottom(), middle - TRUNK / 2.0)
            } else {
                (place.y, middle + TRUNK / 2.0)
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
        // As wide as its text, too.
        let middle_x = f64::midpoint(left, right);
        let half = ((right - left) / 2.0 + 16.0).max(metrics::width(&text, SMALL) / 2.0 + 14.0);
        let trunk = Place::new(middle_x - half, middle - TRUNK / 2.0, 2.0 * half, TRUNK);
        Some(Self { trunk, text, branches })
    }

    /// The lines; nodes are drawn over their ends.
    pub(super) fn draw_lines(&self, canvas: &mut Canvas) {
        for one in &self.branches {
            canvas.line((one.x, one.node), (one.x, one.trunk), Stroke::new(one.colour(), one.width));
        }
        canvas.rect(self.trunk, TRUNK / 2.0, Some(PAPER), Some(Stroke::new(USED, 1.5)));
        let middle = (self.trunk.x + self.trunk.width / 2.0, self.trunk.y + TRUNK / 2.0);
        let font = Font::new(SMALL).colour(FAINT_TEXT).anchor(Anchor::Middle);
        canvas.text(middle.0, middle.1, &self.text, font);
    }

    /// Arrows towards the memories that are read, and figures.
    pub(super) fn draw_heads_and_labels(&self, canvas: &mut Canvas) {
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

impl Branch {
    fn colour(&self) -> plotters::style::RGBColor {
        if self.is_full { FULL } else { USED }
    }
}

/// Why no single link is seen.
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
