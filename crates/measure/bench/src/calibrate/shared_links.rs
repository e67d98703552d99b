//! `[[machine.shared_link]]` of a calibration, and what is said where nothing limits.

use numasim_host::HostTopology;
use numasim_model::ids::NodeId;

use super::steps::ranges_of;
use super::text::{Text, range, short};
use super::{Calibration, SharedFigure, Together};

/// Both directions of a link are one figure where they differ by less than this share of the smaller one.
const ALIKE: f64 = 0.05;

/// The tables of the links that limit, and comments on the others.
pub(super) fn write(file: &mut Text, host: &HostTopology, calibration: &Calibration) {
    let links = &calibration.shared_links;
    if links.is_empty() {
        if host.sockets().len() > 1 {
            file.line("\n# Each socket has one node: links between sockets are in the matrix.");
        }
        return;
    }
    for (n, link) in links.iter().enumerate() {
        let back = |other: &&SharedFigure| other.sockets == (link.sockets.1, link.sockets.0);
        let back = links.iter().enumerate().find(|(_, other)| back(other));
        match back {
            Some((m, back)) if alike(link, back) => {
                // Once for both.
                if n < m {
                    both(file, link, back);
                }
            }
            _ => one_way(file, link),
        }
    }
}

fn alike(link: &SharedFigure, back: &SharedFigure) -> bool {
    let (a, b) = (link.together.bandwidth.median, back.together.bandwidth.median);
    link.together.limits() == back.together.limits() && (a - b).abs() <= ALIKE * a.min(b)
}

fn both(file: &mut Text, link: &SharedFigure, back: &SharedFigure) {
    let (a, b) = link.sockets;
    let lower = if back.together.bandwidth.median < link.together.bandwidth.median { back } else { link };
    let between = format!("between = [{}, {}]", list(&link.from), list(&link.to));
    entry(file, &format!("sockets {a} and {b}"), "each other", lower, &between);
}

fn one_way(file: &mut Text, link: &SharedFigure) {
    let (a, b) = link.sockets;
    let groups = format!("from = {}\nto = {}", list(&link.from), list(&link.to));
    entry(file, &format!("socket {a} reads socket {b}"), "it", link, &groups);
}

fn entry(file: &mut Text, name: &str, whom: &str, link: &SharedFigure, groups: &str) {
    let figure = link.together.bandwidth;
    let (limits, why) = judged(&link.together);
    if !limits {
        let nodes = format!("nodes {} and {}", ranges_of(&link.from), ranges_of(&link.to));
        file.line(&format!("\n# No shared link for {name} ({nodes}): all nodes at once: {why}"));
        return;
    }
    let meant = if whom == "it" { "" } else { ", the slower direction" };
    file.line("\n[[machine.shared_link]]");
    file.line(&format!("name = \"{name}\""));
    file.line(&format!(
        "gbs = {}  # all nodes at once{meant}, {}; {why}",
        short(figure.median),
        range(figure)
    ));
    file.line(groups);
}

/// Whether it limits, and by which comparison.
pub(super) fn judged(found: &Together) -> (bool, String) {
    let predicted = short(found.predicted_gbs);
    if found.limits() {
        return (true, format!("without this line the file predicts {predicted}"));
    }
    let share = 100.0 * found.bandwidth.median / found.predicted_gbs;
    let median = short(found.bandwidth.median);
    (false, format!("{median} GB/s, {share:.0} % of the {predicted} that the file predicts"))
}

/// `[0, 1]`.
fn list(nodes: &[NodeId]) -> String {
    let numbers: Vec<String> = nodes.iter().map(|node| node.0.to_string()).collect();
    format!("[{}]", numbers.join(", "))
}
