//! A scenario for programs. Numbers are not rounded.

use numasim_model::evaluation::Warning;
use numasim_model::{Model, NodeId};
use serde_json::{Map, Value, json};

use super::{ScenarioView, warning};

/// The scenario object of the documented JSON, keys in the documented order.
///
/// Beyond the contract: `bottleneck_per_node` of each application (a stable word, null where it has no threads) and
/// `warnings`. What is not finite is null.
pub(crate) fn json(view: &ScenarioView) -> Value {
    let evaluation = view.evaluation;
    let apps: Vec<Value> = view
        .app_ids()
        .map(|app| {
            let result = &evaluation.apps[app.0];
            let gflops =
                result.per_node.iter().map(|group| number(group.as_ref().map_or(0.0, |g| g.gflops.value())));
            let bottlenecks = result.per_node.iter().map(|group| group.as_ref().map(|g| g.bottleneck.kind()));
            json!({
                "name": view.apps[app.0].name,
                "gflops": number(result.gflops.value()),
                "bandwidth_gbs": number(result.bandwidth.value()),
                "threads": view.allocation.row(app),
                "gflops_per_node": gflops.collect::<Vec<_>>(),
                "home": result.home.map(|home| home.0),
                "bottleneck_per_node": bottlenecks.collect::<Vec<_>>(),
            })
        })
        .collect();
    let nodes = evaluation.nodes.iter().map(|node| {
        json!({
            "node": node.node.0,
            "capacity_gbs": number(node.capacity.value()),
            "bandwidth_gbs": number(node.bandwidth.value()),
            "remote_gbs": number(node.remote.value()),
        })
    });
    let links = evaluation.links.iter().map(|link| {
        json!({
            "from": link.from.0,
            "to": link.to.0,
            "capacity_gbs": number(link.capacity.value()),
            "bandwidth_gbs": number(link.bandwidth.value()),
        })
    });
    let shared_links = evaluation.shared_links.iter().map(|link| {
        let numbers = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect::<Vec<_>>();
        json!({
            "name": link.name,
            "direction": [numbers(&link.from), numbers(&link.to)],
            "capacity_gbs": number(link.capacity.value()),
            "bandwidth_gbs": number(link.bandwidth.value()),
        })
    });
    json!({
        "name": view.name,
        "total_gflops": number(evaluation.total.value()),
        "apps": apps,
        "nodes": nodes.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "shared_links": shared_links.collect::<Vec<_>>(),
        "warnings": evaluation.warnings.iter().map(warning_object).collect::<Vec<_>>(),
    })
}

/// Names the sharing model in a document: `model`, and `model_parameters` where corrections are in use.
pub(crate) fn name_model(document: &mut Value, sharing: &Model) {
    document["model"] = sharing.name().into();
    let used: Map<String, Value> =
        sharing.in_use().map(|(parameter, value)| (parameter.key().to_owned(), number(value))).collect();
    if !used.is_empty() {
        document["model_parameters"] = used.into();
    }
}

fn warning_object(found: &Warning) -> Value {
    match found {
        Warning::StarvedByRemote { node, wanted, left, equal_part, readers } => json!({
            "kind": "starved-by-remote",
            "node": node.0,
            "wanted_gbs": number(wanted.value()),
            "left_gbs": number(left.value()),
            "equal_part_gbs": number(equal_part.value()),
            "readers": readers,
            "message": warning::message(found),
        }),
    }
}

/// JSON has no infinity: null. A negative zero becomes zero.
pub(super) fn number(value: f64) -> Value {
    serde_json::Number::from_f64(value + 0.0).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_unrounded_and_always_valid_json() {
        assert_eq!(number(0.1 + 0.2).to_string(), "0.30000000000000004");
        assert_eq!(number(254.0).to_string(), "254.0");
        assert_eq!(number(-0.0).to_string(), "0.0");
        assert_eq!(number(f64::INFINITY), Value::Null);
    }
}
