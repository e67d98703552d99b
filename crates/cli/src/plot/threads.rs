//! The thread map of a scenario, as Figures 2 and 3 of Dokulil and Benkner, "NUMA-aware CPU core allocation in
//! cooperating dynamic applications": which thread is where, what memories and links carry.
//!
//! Two rows of nodes with the links between them, so that no link runs through a node. An application is a colour and a
//! letter.

mod layout;
mod legend;
mod links;
mod node;

use plotters::style::RGBColor;

use self::layout::Layout;
use super::Heading;
use super::canvas::Canvas;

/// Links in use, links that are full, links that are not used.
const USED: RGBColor = RGBColor(0, 114, 178);
const FULL: RGBColor = RGBColor(190, 60, 0);
const UNUSED: RGBColor = RGBColor(214, 214, 214);
/// Borders of nodes.
const BORDER: RGBColor = RGBColor(120, 120, 120);
/// From this share on something counts as full.
const FULL_SHARE: f64 = 0.9995;

/// What one letter stands for.
#[derive(Clone, Debug)]
pub(crate) struct MapApp {
    pub(crate) letter: String,
    pub(crate) name: String,
    /// Arithmetic intensity, place of data, GFLOPS, ...
    pub(crate) detail: String,
}

/// Data of an application on a node.
#[derive(Clone, Debug)]
pub(crate) struct MapData {
    /// The number of the application.
    pub(crate) app: usize,
    /// How much of it, if not all.
    pub(crate) part: Option<String>,
}

/// A node.
#[derive(Clone, Debug)]
pub(crate) struct MapNode {
    /// 0 for a memory without cores.
    pub(crate) cores: u32,
    /// Number of an application and its threads here.
    pub(crate) threads: Vec<(usize, u32)>,
    /// What the memory delivers, the part of it that goes to other nodes, and the most it can, in GB/s. `None`: no
    /// scenario, the machine alone.
    pub(crate) used_gbs: Option<f64>,
    pub(crate) remote_gbs: f64,
    pub(crate) capacity_gbs: f64,
    /// Data that does not lie where its threads are.
    pub(crate) data: Vec<MapData>,
}

/// A link, from the node of the cores to the node of the memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapLink {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// `None`: no scenario, the machine alone.
    pub(crate) used_gbs: Option<f64>,
    pub(crate) capacity_gbs: f64,
}

/// The thread map of a scenario.
#[derive(Clone, Debug)]
pub(crate) struct ThreadMap {
    pub(crate) heading: Heading,
    pub(crate) apps: Vec<MapApp>,
    pub(crate) nodes: Vec<MapNode>,
    pub(crate) links: Vec<MapLink>,
}

impl MapLink {
    fn is_used(&self) -> bool {
        self.used_gbs.is_none_or(|used| used > 0.0)
    }

    fn is_full(&self) -> bool {
        self.used_gbs.is_some_and(|used| used >= FULL_SHARE * self.capacity_gbs)
    }
}

impl ThreadMap {
    /// The map as SVG.
    pub(crate) fn svg(&self) -> String {
        let layout = Layout::of(self);
        let placed = links::place(self, &layout);
        let legend = legend::Legend::of(self, &placed, &layout);
        let mut canvas = Canvas::new(layout.width, layout.bottom + legend.height(), &self.heading);
        links::draw_lines(&mut canvas, &placed);
        for (number, (node, place)) in self.nodes.iter().zip(&layout.boxes).enumerate() {
            node::draw(&mut canvas, self, &layout, number, node, *place);
        }
        links::draw_heads_and_labels(&mut canvas, &placed);
        legend.draw(&mut canvas, self, layout.bottom);
        canvas.finish()
    }

    fn used_links(&self) -> impl Iterator<Item = &MapLink> {
        self.links.iter().filter(|link| link.is_used())
    }
}

/// GB/s with a digit behind the point below a hundred.
fn gbs(value: f64) -> String {
    if value >= 99.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}

#[cfg(test)]
mod tests;
