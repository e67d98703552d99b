//! Where each node of a thread map stands.

use super::{MapData, ThreadMap};
use crate::canvas::{HEADING, Place, SMALL};
use crate::metrics;

/// Space inside the border of a node.
pub(super) const INSIDE: f64 = 12.0;
/// Height of a line of text.
pub(super) const LINE: f64 = 18.0;
/// Height of the bar that shows how busy a memory is.
pub(super) const BAR: f64 = 12.0;
/// Side of the square that stands for data.
pub(super) const TAG: f64 = 17.0;
/// With more cores a node shows a bar for each application instead of circles.
pub(super) const MOST_CIRCLES: u32 = 128;
/// Between the rows where all links are drawn as one.
const BUNDLED: f64 = 150.0;
/// Space around everything.
const MARGIN: f64 = 24.0;
/// The legend needs this much.
const NARROWEST: f64 = 760.0;

/// Places and sizes.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Width of the picture, and where the nodes end.
    pub(super) width: f64,
    pub(super) bottom: f64,
    /// One for each node.
    pub(super) boxes: Vec<Place>,
    /// Nodes in the upper row; two nodes stand side by side, and all are upper ones.
    pub(super) upper: usize,
    /// Radius of a core, distance of neighbours, cores in a row.
    pub(super) radius: f64,
    pub(super) pitch: f64,
    pub(super) columns: u32,
    /// Height of all cores of a node.
    pub(super) cores_height: f64,
    /// Lines of data below a memory, and tags in a line.
    pub(super) tag_lines: usize,
    /// Where links run.
    pub(super) gap: Place,
    /// Links are drawn as one.
    pub(super) is_bundled: bool,
}

impl Layout {
    pub(super) fn of(map: &ThreadMap) -> Self {
        let count = map.nodes.len();
        let most = map.nodes.iter().map(|node| node.cores).max().unwrap_or(0);
        let with_circles = most <= MOST_CIRCLES;
        let columns = if with_circles { columns(most) } else { 8 };
        let radius = match (most, count) {
            (0..=20, 0..=4) => 13.0,
            (0..=16, _) => 11.0,
            (0..=32, _) => 9.5,
            (0..=64, _) => 8.5,
            _ => 7.5,
        };
        let pitch = 2.0 * radius + 3.0;
        let cores_height = if with_circles {
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
        let inner = narrowest.max(f64::from(columns) * pitch - 3.0);
        let width = inner + 2.0 * INSIDE;

        let tags = |data: &[MapData]| tag_lines(data, inner);
        let tag_lines = map.nodes.iter().map(|node| tags(&node.data)).max().unwrap_or(0);
        let height = 2.0 * INSIDE + LINE + cores_height + 8.0 + BAR + LINE + (TAG + 4.0) * tag_lines as f64;

        let upper = if count <= 2 { count } else { count.div_ceil(2) };
        let used = map.used_links().count();
        let is_bundled = map.is_bundled();
        let between = match (upper, count) {
            (_, 2) => {
                if used > 0 {
                    230.0
                } else {
                    110.0
                }
            }
            (2, _) => 150.0,
            (3, _) => 80.0,
            (4, _) => 44.0,
            _ => 28.0,
        };
        let row = |nodes: usize| nodes as f64 * width + nodes.saturating_sub(1) as f64 * between;
        let picture = (row(upper) + 2.0 * MARGIN).max(NARROWEST);
        let top = HEADING + 8.0;
        let gap_height = match (count, used) {
            (0..=2, _) => 0.0,
            (_, 0) => 90.0,
            _ if is_bundled => BUNDLED,
            _ => (110.0 + 24.0 * count as f64).min(330.0),
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
            tag_lines,
            gap,
            is_bundled,
        }
    }

    /// Whether a node is in the upper row.
    pub(super) fn is_upper(&self, node: usize) -> bool {
        node < self.upper
    }

    /// Whether two nodes stand side by side, with the links between them.
    pub(super) fn is_pair(&self) -> bool {
        self.boxes.len() == 2
    }
}

/// Cores in a row: a block that is a little wider than high, with few empty places.
fn columns(cores: u32) -> u32 {
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

/// What stands before the tags.
pub(super) const DATA: &str = "data of";

fn tag_lines(data: &[MapData], width: f64) -> usize {
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
