//! Warnings for readers of a result.

use numasim_draw::figures::{self, single};
use numasim_model::evaluation::Warning;

/// The reason for this behaviour of the model, and its meaning for the reader.
pub const RULE: &str = "remote-first serves remote reads first (the literal rule of the paper); if links are fast, this can leave \
                               the local threads of a node with nothing, so treat these results with care, or use \
                               the default model, baseline-proportional, which treats both equally.";

/// The observation, in one sentence for all nodes with the same values.
pub fn facts(warnings: &[Warning]) -> Vec<String> {
    let mut classes: Vec<(String, Vec<usize>)> = Vec::new();
    for warning in warnings {
        let Warning::StarvedByRemote { node, .. } = warning;
        let figures = figures_of(warning);
        match classes.iter_mut().find(|(other, _)| *other == figures) {
            Some((_, nodes)) => nodes.push(node.0),
            None => classes.push((figures, vec![node.0])),
        }
    }
    let in_words = |(figures, nodes): (String, Vec<usize>)| {
        let each = if nodes.len() > 1 { ", each" } else { "" };
        format!("remote reads starve the threads of {}{each}: {figures}", figures::nodes(&nodes))
    };
    classes.into_iter().map(in_words).collect()
}

/// All warnings of an allocation in one sentence without values, `None` without warnings.
pub fn summary(warnings: &[Warning]) -> Option<String> {
    let nodes: Vec<usize> = warnings.iter().map(|Warning::StarvedByRemote { node, .. }| node.0).collect();
    (!nodes.is_empty()).then(|| format!("remote reads starve the threads of {}.", figures::nodes(&nodes)))
}

/// One warning with the rule behind it.
pub fn message(warning: &Warning) -> String {
    format!("{} {RULE}", facts(std::slice::from_ref(warning)).concat())
}

fn figures_of(warning: &Warning) -> String {
    let Warning::StarvedByRemote { wanted, left, equal_part, readers, .. } = warning;
    let other_nodes =
        if *readers == 1 { "1 other node reads".to_owned() } else { format!("{readers} other nodes read") };
    format!(
        "they demand {} GB/s of local memory and get {} GB/s; an equal share would be {} GB/s, because {other_nodes} it.",
        single(wanted.value()),
        single(left.value()),
        single(equal_part.value()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_model::NodeId;
    use numasim_model::units::GigabytesPerSecond as Gbs;

    fn starved(node: usize, left: f64) -> Warning {
        Warning::StarvedByRemote {
            node: NodeId(node),
            wanted: Gbs::new(40.0),
            left: Gbs::new(left),
            equal_part: Gbs::new(8.0),
            readers: 3,
        }
    }

    #[test]
    fn nodes_with_the_same_figures_are_reported_together() {
        assert_eq!(
            facts(&[starved(0, 0.0), starved(1, 0.0), starved(3, 2.0)]),
            [
                "remote reads starve the threads of nodes 0, 1, each: they demand 40.00 GB/s of local memory and get \
                 0.0 GB/s; an equal share would be 8.000 GB/s, because 3 other nodes read it.",
                "remote reads starve the threads of node 3: they demand 40.00 GB/s of local memory and get \
                 2.000 GB/s; an equal share would be 8.000 GB/s, because 3 other nodes read it.",
            ]
        );
    }

    #[test]
    fn a_summary_names_all_nodes() {
        assert_eq!(
            summary(&[starved(0, 0.0), starved(1, 2.0)]).as_deref(),
            Some("remote reads starve the threads of nodes 0, 1.")
        );
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn the_rule_behind_it_is_reported_too() {
        assert!(
            message(&starved(0, 0.0))
                .ends_with("the default model, baseline-proportional, which treats both equally.")
        );
    }
}
