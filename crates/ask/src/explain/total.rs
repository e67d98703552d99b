//! The last rows of the paper's Tables I and II: GFLOPS per node, and of all nodes.

use numasim_draw::figures::{self, short};
use numasim_model::NodeId;

use super::Sheet;
use crate::ScenarioView;

/// Nodes with the same applications at the same speed.
pub(super) struct NodeClass {
    nodes: Vec<usize>,
    /// Instances, GFLOPS of one.
    terms: Vec<(u32, f64)>,
}

impl NodeClass {
    fn gflops(&self) -> f64 {
        self.terms.iter().map(|&(instances, gflops)| f64::from(instances) * gflops).sum()
    }
}

/// The nodes that have threads, equal ones together.
pub(super) fn node_classes(view: &ScenarioView) -> Vec<NodeClass> {
    let mut classes: Vec<NodeClass> = Vec::new();
    for node in view.machine.compute_nodes() {
        let terms = terms(view, node);
        if terms.is_empty() {
            continue;
        }
        match classes.iter_mut().find(|class| class.terms == terms) {
            Some(class) => class.nodes.push(node.0),
            None => classes.push(NodeClass { nodes: vec![node.0], terms }),
        }
    }
    classes
}

fn terms(view: &ScenarioView, node: NodeId) -> Vec<(u32, f64)> {
    let mut terms: Vec<(&str, u32, f64)> = Vec::new();
    for (app, result) in view.apps.iter().zip(&view.evaluation.apps) {
        let Some(group) = &result.per_node[node.0] else { continue };
        let gflops = group.working.value();
        match terms.iter_mut().find(|(name, _, other)| *name == app.group && *other == gflops) {
            Some((_, instances, _)) => *instances += 1,
            None => terms.push((&app.group, 1, gflops)),
        }
    }
    terms.into_iter().map(|(_, instances, gflops)| (instances, gflops)).collect()
}

/// Adds `total GFLOPS per node` of each class and `total GFLOPS`.
pub(super) fn rows(classes: &[NodeClass], sheet: &mut Sheet) {
    for class in classes {
        let terms: Vec<String> = class
            .terms
            .iter()
            .map(|(instances, gflops)| format!("{instances} * {}", short(*gflops)))
            .collect();
        let title = if classes.len() == 1 {
            "total GFLOPS per node".to_owned()
        } else {
            format!("total GFLOPS per node, {}", figures::nodes(&class.nodes))
        };
        sheet.span(&title, "", format!("{} = {}", terms.join(" + "), short(class.gflops())));
    }
    let terms: Vec<String> =
        classes.iter().map(|class| format!("{} * {}", class.nodes.len(), short(class.gflops()))).collect();
    let total: f64 = classes.iter().map(|class| class.nodes.len() as f64 * class.gflops()).sum();
    let figure =
        if terms.is_empty() { "0".to_owned() } else { format!("{} = {}", terms.join(" + "), short(total)) };
    sheet.span("total GFLOPS", "", figure);
}
