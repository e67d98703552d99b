//! The bottlenecks of an application, in words.

use std::collections::BTreeMap;

use numasim_draw::{Style, figures};
use numasim_model::{AppId, Bottleneck, NodeId, ThreadLimit};

use crate::{ScenarioView, node_ranges};

/// The bottlenecks of `app` over its nodes, equal ones merged: `link 1→0, 2→0; core peak on node 0`.
pub fn in_words(view: &ScenarioView, app: AppId, style: &Style) -> String {
    let mut of_thread: BTreeMap<ThreadLimit, Vec<usize>> = BTreeMap::new();
    let mut controller = Vec::new();
    let mut links: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let (mut remote, mut shared, mut reads, mut l3) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut waiting, mut slowest) = (Vec::new(), None);
    for (node, group) in view.evaluation.apps[app.0].per_node.iter().enumerate() {
        match group.as_ref().map(|group| &group.bottleneck) {
            None => {}
            Some(Bottleneck::Thread(limit)) => of_thread.entry(*limit).or_default().push(node),
            Some(Bottleneck::LocalController(own)) => match equals(view, app, NodeId(node), *own) {
                all if all.len() > 1 => remote.extend(all),
                _ => controller.push(node),
            },
            Some(Bottleneck::Link { from, to }) => links.entry(to.0).or_default().push(from.0),
            Some(Bottleneck::RemoteDemand(memory)) => {
                remote.extend(equals(view, app, NodeId(node), *memory));
            }
            Some(Bottleneck::SharedLink { direction }) => shared.push(*direction),
            Some(Bottleneck::NodeRead(_)) => reads.push(node),
            Some(Bottleneck::L3Link { .. }) => l3.push(node),
            Some(Bottleneck::SlowestThread(slow)) => {
                slowest = Some(*slow);
                waiting.push(node);
            }
        }
    }
    let waits = slowest.map(|slow| (slow, waiting));
    for list in [&mut remote, &mut shared] {
        list.sort_unstable();
        list.dedup();
    }

    let on = |nodes: &[usize]| {
        if nodes.len() > 1 && nodes.len() == view.machine.compute_nodes().count() {
            "on all nodes".to_owned()
        } else {
            format!("on {}", figures::nodes(nodes))
        }
    };
    let mut phrases = Vec::new();
    if !links.is_empty() {
        phrases.push(format!("link {}", links_in_words(&links, style)));
    }
    for direction in shared {
        if let Some(used) = view.evaluation.shared_links.get(direction) {
            let (from, to) = (node_ranges(&used.from), node_ranges(&used.to));
            phrases.push(format!("shared link {} {from}{}{to}", used.name, style.arrow()));
        }
    }
    if !l3.is_empty() {
        phrases.push(format!("L3 read limit {}", on(&l3)));
    }
    if !reads.is_empty() {
        phrases.push(format!("node read limit {}", on(&reads)));
    }
    if !remote.is_empty() {
        let controllers = if remote.len() > 1 { "controllers" } else { "controller" };
        phrases.push(format!("{controllers} of {} (remote demand)", figures::nodes(&remote)));
    }
    if !controller.is_empty() {
        phrases.push(format!("local controller {}", on(&controller)));
    }
    for (limit, nodes) in of_thread.iter().rev() {
        phrases.push(format!("{} {}", limit.as_str().replace('-', " "), on(nodes)));
    }
    if let Some((slow, waiting)) = waits {
        phrases.push(format!("slowest thread (on {slow}) {}", on(&waiting)));
    }
    phrases.join("; ")
}

/// The memories that limit threads on `node` like `memory`: they contain as much of the data and have the same load.
fn equals(view: &ScenarioView, app: AppId, node: NodeId, memory: NodeId) -> Vec<usize> {
    /// On larger machines only one of them is named, because comparing all takes long.
    const MOST_NODES: usize = 64;
    let placement = &view.placements[app.0];
    if view.machine.node_count() > MOST_NODES {
        return vec![memory.0];
    }
    let share = |of: NodeId| placement.fraction(view.machine, node, of);
    let busy = |of: NodeId| {
        let used = &view.evaluation.nodes[of.0];
        used.occupied.value() / used.capacity.value()
    };
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let alike = |of: &NodeId| {
        *of == memory
            || share(*of) > 0.0 && close(share(*of), share(memory)) && close(busy(*of), busy(memory))
    };
    view.machine.node_ids().filter(alike).map(|of| of.0).collect()
}

/// `1→0, 2→0` for few links, otherwise grouped by target: `1-7→0`.
fn links_in_words(links: &BTreeMap<usize, Vec<usize>>, style: &Style) -> String {
    const FEW: usize = 4;
    let arrow = style.arrow();
    let few = links.values().map(Vec::len).sum::<usize>() <= FEW;
    let by_target = links.iter().map(|(to, from)| {
        if few {
            from.iter().map(|from| format!("{from}{arrow}{to}")).collect::<Vec<_>>().join(", ")
        } else {
            format!("{}{arrow}{to}", figures::ranges(from).replace(", ", ","))
        }
    });
    by_target.collect::<Vec<_>>().join(", ")
}
