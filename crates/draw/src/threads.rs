//! The thread map of a scenario, as Figures 2 and 3 of Dokulil and Benkner, "NUMA-aware CPU core allocation in
//! cooperating dynamic applications": which thread is where, what memories and links carry.
//!
//! Two rows of nodes with the links between them, so that no link runs through a node. An application is a colour and a
//! letter.

mod layout;
mod legend;
mod links;
mod node;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::canvas::{Canvas, Heading};
use super::palette::Colour;
use layout::Layout;

/// Links in use, links that are full, links that are not used.
const USED: Colour = Colour(0, 114, 178);
const FULL: Colour = Colour(190, 60, 0);
const UNUSED: Colour = Colour(214, 214, 214);
/// Borders of nodes.
const BORDER: Colour = Colour(120, 120, 120);
/// From this share on something counts as full.
const FULL_SHARE: f64 = 0.9995;
/// More lines between nodes could not be followed: they are drawn as one.
const MOST_LINES: usize = 16;

/// What one letter stands for.
#[derive(Clone, Debug)]
pub struct MapApp {
    /// Its sign in the picture.
    pub letter: String,
    /// As the legend has it.
    pub name: String,
    /// Arithmetic intensity, place of data, GFLOPS, ...
    pub detail: String,
}

/// Data of an application on a node.
#[derive(Clone, Debug)]
pub struct MapData {
    /// The number of the application.
    pub app: usize,
    /// How much of it, if not all.
    pub part: Option<String>,
}

/// A node.
#[derive(Clone, Debug)]
pub struct MapNode {
    /// 0 for a memory without cores.
    pub cores: u32,
    /// Number of an application and its threads here.
    pub threads: Vec<(usize, u32)>,
    /// What the memory delivers, in GB/s. `None`: no scenario, the machine alone.
    pub used_gbs: Option<f64>,
    /// The part of it that goes to other nodes, in GB/s.
    pub remote_gbs: f64,
    /// The most it can, in GB/s; 0 for a node without memory.
    pub capacity_gbs: f64,
    /// Data that does not lie where its threads are.
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
    /// The most it can, in GB/s.
    pub capacity_gbs: f64,
}

/// A direction of a link that several pairs of nodes share.
#[derive(Clone, Debug)]
pub struct MapSharedLink {
    /// Its name.
    pub name: String,
    /// Nodes of the cores, as people read them: `0-3`.
    pub from: String,
    /// Nodes of the memories.
    pub to: String,
    /// `None`: no scenario, the machine alone.
    pub used_gbs: Option<f64>,
    /// The most it can, in GB/s.
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
    /// Those with something to show.
    pub links: Vec<MapLink>,
    /// Links that several pairs share, each direction on its own.
    pub shared_links: Vec<MapSharedLink>,
}

impl MapNode {
    /// What the memory delivers and the most it can.
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

    /// It delivers the most it can.
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
        let full = self.used_gbs.is_some_and(|used| used >= FULL_SHARE * self.capacity_gbs);
        let used = self.used_gbs.map_or(String::new(), |used| format!("{} / ", gbs(used)));
        let sign = if full { ", full" } else { "" };
        format!("{} {} → {}: {used}{}{sign}", self.name, self.from, self.to, gbs(self.capacity_gbs))
    }
}

impl ThreadMap {
    /// The map as SVG.
    pub fn svg(&self) -> String {
        let layout = Layout::of(self);
        let placed = links::place(self, &layout);
        let legend = legend::Legend::of(self, &placed, &layout);
        let mut canvas = Canvas::new(layout.width, &self.heading);
        let bundle = links::Bundle::of(self, &layout);
        links::draw_lines(&mut canvas, &placed);
        if let Some(bundle) = &bundle {
            bundle.draw_lines(&mut canvas);
        }
        for (number, (node, place)) in self.nodes.iter().zip(&layout.boxes).enumerate() {
            node::draw(&mut canvas, self, &layout, number, node, *place);
        }
        links::draw_heads_and_labels(&mut canvas, &placed);
        if let Some(bundle) = &bundle {
            bundle.draw_heads_and_labels(&mut canvas);
        }
        legend.draw(&mut canvas, self, layout.bottom);
        canvas.finish(layout.bottom + legend.height())
    }

    fn used_links(&self) -> impl Iterator<Item = &MapLink> {
        self.links.iter().filter(|link| link.is_used())
    }

    /// Too many links are in use to draw each of them. Both directions count once where they are drawn as one line: of a
    /// machine alone, where they are equal.
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
        self.used_links().count() - second > MOST_LINES
    }
}

/// GB/s with a digit behind the point below a hundred.
fn gbs(value: f64) -> String {
    if value >= 99.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}
