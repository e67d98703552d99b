//! Utilisation of memory controllers and links.

use std::collections::BTreeMap;

use numasim_draw::{Style, figures};
use numasim_model::evaluation::{ControllerUse, LinkUse, SharedLinkUse};
use numasim_model::units::GigabytesPerSecond;

use crate::table::{self, Look, Of};
use crate::{ScenarioView, node_ranges};

/// Up to this number, each controller and each link has a separate line; beyond it, equal ones share a line.
const FEW: usize = 4;
const FEW_LINKS: usize = 6;
/// Longer tables of links are grouped by their values alone.
const MOST_LINES: usize = 24;
const BAR: usize = 20;

/// The table of the memory controllers.
pub fn controllers(view: &ScenarioView, style: &Style) -> String {
    let all = &view.evaluation.nodes;
    let mut classes: Vec<(ControllerUse, Vec<usize>)> = Vec::new();
    for &used in all {
        let same = |other: &ControllerUse| {
            close(other.capacity.value(), used.capacity.value())
                && close(other.bandwidth.value(), used.bandwidth.value())
                && close(other.remote.value(), used.remote.value())
                && close(other.occupied.value(), used.occupied.value())
                && close(other.remote_occupied.value(), used.remote_occupied.value())
                && close(other.loaded_latency_ns.unwrap_or(0.0), used.loaded_latency_ns.unwrap_or(0.0))
        };
        match classes.iter_mut().find(|(other, _)| all.len() > FEW && same(other)) {
            Some((_, nodes)) => nodes.push(used.node.0),
            None => classes.push((used, vec![used.node.0])),
        }
    }
    let carried = |(class, nodes): (ControllerUse, Vec<usize>)| Carried {
        name: figures::nodes(&nodes) + if nodes.len() > 1 { ", each" } else { "" },
        bandwidth: class.bandwidth.value(),
        occupied: class.occupied.value(),
        capacity: class.capacity.value(),
        remote: Some([class.remote.value(), class.remote_occupied.value()]),
        latency_ns: class.loaded_latency_ns,
    };
    carried_table("memory of", classes.into_iter().map(carried).collect(), style)
}

/// The table of the links with traffic, and the number of links without traffic.
pub fn links(view: &ScenarioView, style: &Style) -> String {
    let all = &view.evaluation.links;
    let used: Vec<&LinkUse> = all.iter().filter(|link| link.bandwidth.value() > 0.0).collect();
    if all.is_empty() {
        return String::new();
    }
    if used.is_empty() {
        return style.faint(&format!("No traffic on the {} between the nodes.", count(all.len(), "link")))
            + "\n";
    }
    let classes = link_classes(&used, all.len(), style);
    let carried = |(name, link): (String, &LinkUse)| Carried {
        name,
        bandwidth: link.bandwidth.value(),
        occupied: link.occupied.value(),
        capacity: link.capacity.value(),
        remote: None,
        latency_ns: None,
    };
    let lines = classes.into_iter().map(carried).collect();
    let idle = all.len() - used.len();
    let rest = if idle > 0 {
        style.faint(&format!("{} without traffic.", count(idle, "more link"))) + "\n"
    } else {
        String::new()
    };
    carried_table(&format!("link\ncore {} memory", style.arrow()), lines, style) + &rest
}

/// Traffic of a memory or a link, in GB/s.
struct Carried {
    name: String,
    bandwidth: f64,
    /// Its read-equivalent load.
    occupied: f64,
    /// Its capacity; 0 for a node without memory.
    capacity: f64,
    /// For a memory: traffic of other nodes, and its read-equivalent load.
    remote: Option<[f64; 2]>,
    /// For a memory: waiting time of the node's own cores for a line, if it is known.
    latency_ns: Option<f64>,
}

impl Carried {
    fn share(&self, part: f64) -> f64 {
        if self.capacity > 0.0 { part / self.capacity } else { 0.0 }
    }

    /// The shares of the local node and of remote nodes; for a link, the whole load is remote.
    fn shares(&self) -> [f64; 2] {
        let remote = self.share(self.remote.map_or(self.occupied, |[_, occupied]| occupied));
        [self.share(self.occupied) - remote, remote]
    }

    fn used(&self) -> String {
        if self.capacity > 0.0 { figures::percent(self.share(self.occupied)) } else { "no memory".to_owned() }
    }
}

fn carried_table(header: &str, lines: Vec<Carried>, style: &Style) -> String {
    let rounded =
        |title: &'static str, value: fn(&Carried) -> f64| Of::number(title, value).seen(Look::Rounded);
    let mut columns = vec![
        Of::text("", |line: &Carried| line.name.clone()).titled(header.to_owned()),
        rounded("consumed\nGB/s", |line| line.bandwidth),
    ];
    // The read-equivalent load of write kernels is shown only if it differs from their traffic.
    if lines.iter().any(|line| !close(line.bandwidth, line.occupied)) {
        columns.push(rounded("read-equiv.\nGB/s", |line| line.occupied));
    }
    columns.extend([
        rounded("capacity\nGB/s", |line| line.capacity),
        Of::text("", move |line: &Carried| style.bar(line.shares(), BAR)),
        Of::number("used", Carried::used),
    ]);
    if lines.iter().any(|line| line.remote.is_some()) {
        columns.push(rounded("from other\nnodes GB/s", |line| line.remote.map_or(0.0, |[drawn, _]| drawn)));
    }
    if lines.iter().any(|line| line.latency_ns.is_some()) {
        columns.push(Of::number("latency\nns", |line: &Carried| {
            line.latency_ns.map_or_else(String::new, |ns| format!("{ns:.0}"))
        }));
    }
    table::grid_of(&columns, lines).render(style)
}

/// The table of the links shared by several pairs of nodes.
pub fn shared_links(view: &ScenarioView, style: &Style) -> String {
    let all = &view.evaluation.shared_links;
    if all.is_empty() {
        return String::new();
    }
    let arrow = style.arrow();
    let carried = |link: &SharedLinkUse| {
        let name = format!("{} {} {arrow} {}", link.name, node_ranges(&link.from), node_ranges(&link.to));
        let [bandwidth, occupied, capacity] =
            [link.bandwidth, link.occupied, link.capacity].map(GigabytesPerSecond::value);
        Carried { name, bandwidth, occupied, capacity, remote: None, latency_ns: None }
    };
    carried_table(&format!("shared link\ncores {arrow} memories"), all.iter().map(carried).collect(), style)
}

/// Links that share a line: equal ones to the same memory, or simply all of them.
fn link_classes<'a>(used: &[&'a LinkUse], all: usize, style: &Style) -> Vec<(String, &'a LinkUse)> {
    let same = |a: &LinkUse, b: &LinkUse| {
        close(a.capacity.value(), b.capacity.value())
            && close(a.bandwidth.value(), b.bandwidth.value())
            && close(a.occupied.value(), b.occupied.value())
    };
    if used.len() == all && all > FEW_LINKS && used.iter().all(|link| same(link, used[0])) {
        return vec![(format!("all {all}, each"), used[0])];
    }
    let mut classes: Vec<(Vec<usize>, &LinkUse)> = Vec::new();
    for link in used {
        if classes.len() > MOST_LINES {
            return by_figures(used, &same, style);
        }
        match classes.iter_mut().find(|(_, other)| other.to == link.to && same(other, link)) {
            Some((from, _)) => from.push(link.from.0),
            None => classes.push((vec![link.from.0], link)),
        }
    }
    if classes.len() > MOST_LINES {
        return by_figures(used, &same, style);
    }
    classes.sort_by_key(|(from, link)| (link.to, from[0]));
    // Equal links from the same nodes to several memories share a line.
    let mut lines: Vec<(Vec<usize>, Vec<usize>, &LinkUse)> = Vec::new();
    for (from, link) in classes {
        match lines.iter_mut().find(|(other, _, first)| *other == from && same(first, link)) {
            Some((_, to, _)) => to.push(link.to.0),
            None => lines.push((from, vec![link.to.0], link)),
        }
    }
    let name = |(from, to, link): (Vec<usize>, Vec<usize>, &'a LinkUse)| {
        let each = if from.len() * to.len() > 1 { ", each" } else { "" };
        (format!("{} {} {}{each}", figures::ranges(&from), style.arrow(), figures::ranges(&to)), link)
    };
    lines.into_iter().map(name).collect()
}

/// Groups links by their values, regardless of their nodes: the names of that many links are of no use.
fn by_figures<'a>(
    used: &[&'a LinkUse],
    same: &dyn Fn(&LinkUse, &LinkUse) -> bool,
    style: &Style,
) -> Vec<(String, &'a LinkUse)> {
    let mut classes: Vec<(usize, &LinkUse)> = Vec::new();
    // A quarter of a million links may have as many different values. Each link is compared only with links of nearly the same capacity
    // and load.
    let mut near: BTreeMap<[i64; 2], Vec<usize>> = BTreeMap::new();
    for &link in used {
        let [capacity, drawn] = [link.capacity, link.bandwidth].map(|value| magnitude(value.value()));
        let around = (capacity - 1..=capacity + 1).flat_map(|c| (drawn - 1..=drawn + 1).map(move |d| [c, d]));
        let known = around.filter_map(|at| near.get(&at)).flatten().copied();
        if let Some(class) = known.filter(|&class| same(classes[class].1, link)).min() {
            classes[class].0 += 1;
        } else {
            near.entry([capacity, drawn]).or_default().push(classes.len());
            classes.push((1, link));
        }
    }
    let name = |(links, link): (usize, &'a LinkUse)| match links {
        1 => (format!("{} {} {}", link.from.0, style.arrow(), link.to.0), link),
        many => (format!("{many} links, each"), link),
    };
    classes.into_iter().map(name).collect()
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Values for positive numbers such that numbers that are [`close`] differ by at most 1.
fn magnitude(value: f64) -> i64 {
    #[allow(clippy::cast_possible_truncation, reason = "at most 745 / 2e-9")]
    let magnitude = (value.ln() / 2e-9).floor() as i64;
    magnitude
}

/// Equal up to rounding.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use numasim_model::NodeId;

    use super::*;

    #[test]
    fn equal_links_between_the_same_nodes_share_a_line() {
        let link = |from: usize, to: usize, gbs: f64| {
            let [bandwidth, capacity] = [gbs, 10.0].map(GigabytesPerSecond::new);
            LinkUse { from: NodeId(from), to: NodeId(to), bandwidth, occupied: bandwidth, capacity }
        };
        let links = [link(1, 0, 5.0), link(2, 0, 5.0), link(1, 3, 5.0), link(2, 3, 5.0), link(0, 3, 2.0)];
        let used: Vec<&LinkUse> = links.iter().collect();
        let names: Vec<String> = link_classes(&used, 12, &Style { unicode: true, ..Style::default() })
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["1, 2 \u{2192} 0, 3, each", "0 \u{2192} 3"]);
    }

    #[test]
    fn links_are_joined_by_their_figures_however_many_there_are() {
        // 100,000 links: 10 carry 1 GB/s and differ only by rounding, all others carry a unique amount.
        let link = |number: usize| {
            let carries = if number < 10 { 1.0 + 1e-12 * number as f64 } else { number as f64 };
            let [bandwidth, capacity] = [carries, 1e6].map(GigabytesPerSecond::new);
            LinkUse { from: NodeId(number), to: NodeId(0), bandwidth, occupied: bandwidth, capacity }
        };
        let links: Vec<LinkUse> = (0..100_000).map(link).collect();
        let used: Vec<&LinkUse> = links.iter().collect();
        let classes = link_classes(&used, links.len() + 1, &Style::default());
        assert_eq!(classes.len(), 100_000 - 9);
        assert_eq!(classes[0].0, "10 links, each");
    }
}
