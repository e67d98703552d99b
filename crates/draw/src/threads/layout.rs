//! The position of each node of a thread map, and of what is in it.

use super::{MapData, ThreadMap};
use crate::canvas::{HEADING, Place, SMALL};
use crate::metrics;

/// Space inside the border of a node.
pub(super) const INSIDE: f64 = 12.0;
/// Height of a line of text.
pub(super) const LINE: f64 = 18.0;
/// Height of the bar that shows the load of a memory.
pub(super) const BAR: f64 = 12.0;
/// Side of the square for data.
pub(super) const TAG: f64 = 17.0;
/// With more cores a node shows a bar for each application instead of circles.
pub(super) const MOST_CIRCLES: u32 = 128;
/// Distance of the rows if all links are drawn as one.
pub(super) const BUNDLED: f64 = 150.0;
/// Height of the links that the rows share, between the common lines of both.
pub(super) const BRIDGE: f64 = 110.0;

/// The space that a map leaves around and between nodes.
pub(super) struct Spacing {
    /// Above the nodes.
    pub(super) top: f64,
    /// On both sides.
    pub(super) margin: f64,
    /// Minimum width of the picture.
    pub(super) narrowest: f64,
    /// Between two nodes with traffic on the links between them, and without.
    pub(super) between_pair: f64,
    pub(super) between_idle_pair: f64,
    /// Between two nodes in each row of a machine with three or four nodes.
    pub(super) between_columns: f64,
    /// Between both rows: at most, with traffic on some link, and without.
    pub(super) gap: f64,
    pub(super) idle_gap: f64,
}

/// With heading and legend, which needs the width.
pub(super) const WHOLE: Spacing = Spacing {
    top: HEADING + 8.0,
    margin: 24.0,
    narrowest: 760.0,
    between_pair: 230.0,
    between_idle_pair: 110.0,
    between_columns: 150.0,
    gap: 330.0,
    idle_gap: 90.0,
};
/// The values of a link still have room in its gap. Traffic does not change the size: a page redraws the map at each move of a slider.
pub(super) const COMPACT: Spacing = Spacing {
    top: 2.0,
    margin: 10.0,
    narrowest: 0.0,
    between_pair: 120.0,
    between_idle_pair: 120.0,
    between_columns: 60.0,
    gap: BUNDLED,
    idle_gap: BUNDLED,
};

/// Places and sizes.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Width of the picture, and the end of the nodes.
    pub(super) width: f64,
    pub(super) bottom: f64,
    /// One for each node.
    pub(super) boxes: Vec<Place>,
    /// Nodes in the upper row; two nodes are side by side, and all are upper ones.
    pub(super) upper: usize,
    /// Radius of a core, distance of neighbours, cores in a row.
    pub(super) radius: f64,
    pub(super) pitch: f64,
    pub(super) columns: u32,
    /// Height of all cores of a node.
    pub(super) cores_height: f64,
    /// The layout of L3 domains in a node, if they are drawn.
    pub(super) domains: Option<Domains>,
    /// Lines of data below a memory, and tags in a line.
    pub(super) tag_lines: usize,
    /// The area of the links.
    pub(super) gap: Place,
    /// Whether links are drawn as one.
    pub(super) is_bundled: bool,
}

impl Layout {
    pub(super) fn of(map: &ThreadMap, spacing: &Spacing) -> Self {
        let count = map.nodes.len();
        let most = map.nodes.iter().map(|node| node.cores).max().unwrap_or(0);
        let with_circles = with_circles(map);
        let columns = if with_circles { columns(most) } else { 8 };
        let radius = match (most, count) {
            (0..=20, 0..=4) => 13.0,
            (0..=16, _) => 11.0,
            (0..=32, _) => 9.5,
            (0..=64, _) => 8.5,
            _ => 7.5,
        };
        let pitch = 2.0 * radius + 3.0;
        let domains = Domains::of(map, pitch).filter(|_| with_circles);
        let cores_height = if let Some(domains) = domains {
            domains.all.1
        } else if with_circles {
            f64::from(most.div_ceil(columns).max(1)) * pitch
        } else {
            let bars = map.nodes.iter().map(|node| node.threads.len()).max().unwrap_or(0);
            LINE * bars.max(1) as f64
        };
        let memory = map.nodes.iter().map(|node| metrics::width(&node.memory_text(), SMALL) * 1.1);
        let name = metrics::width(&format!("node {}", count.saturating_sub(1)), SMALL) * 1.1
            + metrics::width("memory only", SMALL)
            + 10.0;
        let narrowest = memory.fold(name, f64::max).max(if with_circles { 0.0 } else { 150.0 });
        let cores_width = domains.map_or(f64::from(columns) * pitch - 3.0, |domains| domains.all.0);
        let inner = narrowest.max(cores_width);
        let width = inner + 2.0 * INSIDE;

        let tags = |data: &[MapData]| tag_lines(data, inner);
        let tag_lines = map.nodes.iter().map(|node| tags(&node.data)).max().unwrap_or(0);
        let height = 2.0 * INSIDE + LINE + cores_height + 8.0 + BAR + LINE + (TAG + 4.0) * tag_lines as f64;

        let upper = map.upper();
        let used = map.used_links().count();
        let is_bundled = map.is_bundled();
        let between = match (upper, count) {
            (_, 2) => {
                if used > 0 {
                    spacing.between_pair
                } else {
                    spacing.between_idle_pair
                }
            }
            (2, _) => spacing.between_columns,
            (3, _) => 80.0,
            (4, _) => 44.0,
            _ => 28.0,
        };
        let row = |nodes: usize| nodes as f64 * width + nodes.saturating_sub(1) as f64 * between;
        let picture = (row(upper) + 2.0 * spacing.margin).max(spacing.narrowest);
        let top = spacing.top;
        let gap_height = match (count, used) {
            (0..=2, _) => 0.0,
            (_, 0) => spacing.idle_gap,
            _ if is_bundled && !map.bridges().is_empty() => BUNDLED + BRIDGE,
            _ if is_bundled => BUNDLED,
            _ => (110.0 + 24.0 * count as f64).min(spacing.gap),
        };
        let place = |i: usize| {
            let (nodes, column, y) = if i < upper {
                (upper, i, top)
            } else {
                (count - upper, i - upper, top + height + gap_height)
            };
            let left = (picture - row(nodes)) / 2.0;
            Place::new(left + column as f64 * (width + between), y, width, height)
        };
        let rows = if count <= 2 { 1.0 } else { 2.0 };
        let gap = if count <= 2 {
            Place::new(picture / 2.0 - between / 2.0, top, between, height)
        } else {
            Place::new(0.0, top + height, picture, gap_height)
        };
        Self {
            width: picture,
            bottom: top + rows * height + gap_height,
            boxes: (0..count).map(place).collect(),
            upper,
            radius,
            pitch,
            columns,
            cores_height,
            domains,
            tag_lines,
            gap,
            is_bundled,
        }
    }

    /// Whether a node is in the upper row.
    pub(super) fn is_upper(&self, node: usize) -> bool {
        node < self.upper
    }

    /// Whether two nodes are side by side, with the links between them.
    pub(super) fn is_pair(&self) -> bool {
        self.boxes.len() == 2
    }
}

/// Whether each core is a circle: if L3 domains are drawn there may be more of them, because they are in groups.
pub(super) fn with_circles(map: &ThreadMap) -> bool {
    let most = map.nodes.iter().map(|node| node.cores).max().unwrap_or(0);
    let in_domains = map.nodes.iter().any(|node| !node.domains.is_empty());
    most <= if in_domains { 4 * MOST_CIRCLES } else { MOST_CIRCLES }
}

/// The layout of L3 domains in a node: a block of boxes, each with a block of cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domains {
    /// Cores in a row of a domain, domains in a row of a node.
    pub(super) columns: u32,
    pub(super) across: usize,
    /// Width and height of one, and of all of a node.
    pub(super) one: (f64, f64),
    pub(super) all: (f64, f64),
}

impl Domains {
    /// Space inside the border of a domain, and between two.
    pub(super) const INSIDE: f64 = 5.0;
    pub(super) const APART: f64 = 6.0;

    pub(super) fn of(map: &ThreadMap, pitch: f64) -> Option<Self> {
        let cores = map.nodes.iter().flat_map(|node| &node.domains).map(|domain| domain.cores).max()?;
        let count = map.nodes.iter().map(|node| node.domains.len()).max()?;
        let (columns, across) = (columns(cores), columns(u32::try_from(count).unwrap_or(u32::MAX)));
        let block = |places: u32| f64::from(places) * pitch - 3.0 + 2.0 * Self::INSIDE;
        let one = (block(columns), block(cores.div_ceil(columns)));
        let across = across as usize;
        let line = |places: usize, one: f64| places as f64 * (one + Self::APART) - Self::APART;
        let all = (line(across, one.0), line(count.div_ceil(across), one.1));
        Some(Self { columns, across, one, all })
    }

    /// The place of a domain of a node whose cores start at `left` and `top`.
    pub(super) fn place(&self, domain: usize, left: f64, top: f64) -> Place {
        let (row, column) = ((domain / self.across) as f64, (domain % self.across) as f64);
        let (width, height) = self.one;
        Place::new(left + column * (width + Self::APART), top + row * (height + Self::APART), width, height)
    }
}

/// Cores in a row: a block that is slightly wider than high, with few empty places.
pub(super) fn columns(cores: u32) -> u32 {
    let root = f64::from(cores.max(1)).sqrt();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "up to 20")]
    let (from, to) = (root.ceil() as u32, (1.5 * root).ceil() as u32);
    let empty = |columns: u32| columns * cores.div_ceil(columns) - cores;
    (from..=to.max(from)).min_by_key(|&columns| (empty(columns), columns)).unwrap_or(1)
}

/// Width of the tag of data.
pub(super) fn tag_width(data: &MapData) -> f64 {
    TAG + data.part.as_ref().map_or(0.0, |part| metrics::width(part, SMALL) + 5.0)
}

/// The tags of data in lines of `width`; each with its distance from the left.
pub(super) fn tags(data: &[MapData], width: f64) -> Vec<(usize, f64)> {
    let (mut line, mut x) = (0, metrics::width(DATA, SMALL) + 6.0);
    let mut places = Vec::with_capacity(data.len());
    for one in data {
        if x + tag_width(one) > width {
            (line, x) = (line + 1, 0.0);
        }
        places.push((line, x));
        x += tag_width(one) + 5.0;
    }
    places
}

/// The text before the tags.
pub(super) const DATA: &str = "data of";

pub(super) fn tag_lines(data: &[MapData], width: f64) -> usize {
    tags(data, width).last().map_or(0, |(line, _)| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_cores_have_few_empty_places() {
        let chosen = [1, 2, 4, 8, 12, 20, 26, 32, 64].map(columns);
        assert_eq!(chosen, [1, 2, 2, 4, 4, 5, 7, 8, 8]);
    }
}
