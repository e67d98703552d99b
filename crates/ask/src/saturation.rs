//! Nodes on which cores of the best are idle because a resource is full, in words: the answer to "how many threads?".

use numasim_draw::figures;
use numasim_model::{App, Bottleneck, NodeId};
use numasim_sim::Saturated;

use crate::caution::listed;
use crate::explored::Explored;
use crate::wording::{NO_BREAK, gap};

/// Maximum number of resources that are named.
const MOST: usize = 4;

/// `More threads gain nothing: memory of node 0 is full from 4 threads of omp on.`; then the number of threads of a single application
/// that is almost as good. One paragraph each, without line breaks.
pub(crate) fn in_words(found: &Explored) -> Vec<String> {
    let clauses = clauses(&found.saturated, &found.study.apps);
    let full = (!clauses.is_empty()).then(|| {
        let more = clauses.len().saturating_sub(MOST);
        let clauses = clauses.into_iter().take(MOST).collect();
        format!("More threads gain nothing: {}.", listed(clauses, more))
    });
    let almost = found.almost.as_ref().map(|almost| {
        let threads = figures::count(almost.threads, "thread").replace(' ', NO_BREAK);
        let best = found.problem.threads_of(&found.best.candidate);
        format!(
            "Almost as good: {threads} instead of {best}, {} less (--fewest-threads --within 0.05).",
            gap(almost.loss).replace(' ', NO_BREAK)
        )
    });
    full.into_iter().chain(almost).collect()
}

/// The full resources, with equal nodes merged.
fn clauses(saturated: &[Saturated], apps: &[App]) -> Vec<String> {
    let mut groups: Vec<(&Saturated, Vec<usize>)> = Vec::new();
    for one in saturated {
        let alike = |other: &&mut (&Saturated, Vec<usize>)| {
            let (first, _) = other;
            let own = |of: &Saturated| is_of(&of.by, of.node);
            (own(first) && own(one) && first.by.kind() == one.by.kind() || first.by == one.by)
                && (&first.apps, first.is_least) == (&one.apps, one.is_least)
        };
        match groups.iter_mut().find(alike) {
            Some((_, nodes)) => nodes.push(one.node.0),
            None => groups.push((one, vec![one.node.0])),
        }
    }
    groups.into_iter().map(|(first, nodes)| clause(first, &nodes, apps)).collect()
}

/// Whether it is a resource of the node itself.
fn is_of(by: &Bottleneck, node: NodeId) -> bool {
    match by {
        Bottleneck::LocalController(of) | Bottleneck::NodeRead(of) | Bottleneck::RemoteDemand(of) => {
            *of == node
        }
        Bottleneck::L3Link { .. } => true,
        _ => false,
    }
}

fn clause(of: &Saturated, nodes: &[usize], apps: &[App]) -> String {
    let each = |nodes: &[usize]| match nodes {
        [one] => format!("node {one}"),
        more => format!("each of {}", figures::nodes(more)),
    };
    let full = match &of.by {
        by if is_of(by, of.node) => match by {
            Bottleneck::L3Link { .. } => format!("the L3 domains of {} are saturated", each(nodes)),
            Bottleneck::NodeRead(_) => format!("{} is at its read limit", each(nodes)),
            _ => format!("memory of {} is saturated", each(nodes)),
        },
        Bottleneck::RemoteDemand(memory) | Bottleneck::LocalController(memory) => {
            format!("memory of {memory} is saturated")
        }
        Bottleneck::Link { from, to } => format!("the link from {from} to {to} is saturated"),
        _ => "a shared link is saturated".to_owned(),
    };
    let threads: Vec<String> = of
        .apps
        .iter()
        .enumerate()
        .map(|(number, (app, threads))| {
            let name = &apps[app.0].name;
            match (number, threads) {
                (0, 1) => format!("1 thread of {name}"),
                (0, threads) => format!("{threads} threads of {name}"),
                (_, threads) => format!("{threads} of {name}"),
            }
        })
        .collect();
    // In other cases the node of the threads is not that of the resource.
    let place = if is_of(&of.by, of.node) { String::new() } else { format!(" on {}", figures::nodes(nodes)) };
    if of.is_least && threads.len() == 1 {
        format!("{full} by {}{place}", threads.concat())
    } else {
        format!("{full} by {}{place}", listed(threads, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_model::AppId;

    use crate::{EXAMPLE, Input};

    #[test]
    fn equal_nodes_are_told_once_and_a_node_elsewhere_by_its_threads() {
        let input = Input::read(&[("two.toml", EXAMPLE)]).expect("an input");
        let apps = &input.study.apps;
        let full = |node, by, apps: &[(usize, u32)], is_least| Saturated {
            node: NodeId(node),
            by,
            apps: apps.iter().map(|&(app, threads)| (AppId(app), threads)).collect(),
            is_least,
        };
        let local = |node| Bottleneck::LocalController(NodeId(node));
        let link = Bottleneck::Link { from: NodeId(0), to: NodeId(1) };
        let saturated = [
            full(0, local(0), &[(0, 4)], true),
            full(1, local(1), &[(0, 4)], true),
            full(2, local(2), &[(0, 3), (1, 1)], true),
            full(3, link, &[(1, 1)], true),
            full(4, local(4), &[(1, 5)], false),
        ];
        let (first, second) = (&apps[0].name, &apps[1].name);
        assert_eq!(
            clauses(&saturated, apps),
            [
                format!("memory of each of nodes 0, 1 is saturated by 4 threads of {first}"),
                format!("memory of node 2 is saturated by 3 threads of {first} and 1 of {second}"),
                format!("the link from node 0 to node 1 is saturated by 1 thread of {second} on node 3"),
                format!("memory of node 4 is saturated by 5 threads of {second}"),
            ]
        );
    }
}
