//! What was read, as JSON: every value, and which of them no file gave.

use numasim_graph::Reading;
use numasim_model::evaluation::MOST_NODES_WITH_ALL_LINKS;
use numasim_model::machine::{SharedLink, doubts};
use numasim_model::units::{Gibibytes, GigabytesPerSecond};
use numasim_model::{AppId, Machine, NodeId};
use numasim_study::keys;
use serde_json::{Map, Value, json};

use super::over_time;
use super::tasks;
use super::values::data;
use crate::view::numbers;

/// The object of `check --format json`.
///
/// A machine of more than 64 nodes has no list of its links: `link_gbs` where all are equal, else `link_matrix_gbs`.
pub(crate) fn json(reading: &Reading) -> Value {
    let study = &reading.study;
    let apps: Vec<Value> = study
        .apps
        .iter()
        .zip(study.dynamics.courses.iter())
        .map(|(app, course)| {
            json!({
                "name": app.name, "group": app.group,
                "arithmetic_intensity": app.arithmetic_intensity.value(),
                "data": data(&app.data),
                "kernel": app.kernel_word(),
                "problem": app.problem.map(|problem| {
                    let sizes = problem.sizes().into_iter();
                    sizes.map(|(key, value)| (key.to_owned(), Value::String(value))).collect::<Map<_, _>>()
                }),
                "nodes": app.nodes.as_deref().map(numbers),
                "memory_gib": app.memory.map(Gibibytes::value),
                "min_threads": app.min_threads, "max_threads": app.max_threads,
                "weight": app.weight, "work_gflop": app.work.map(numasim_model::units::Gflop::value),
                "over_time": over_time::course(course),
            })
        })
        .collect();
    let scenarios: Vec<Value> = study
        .scenarios
        .iter()
        .map(|scenario| {
            let by_name = |value: &dyn Fn(usize) -> Value| -> Map<String, Value> {
                study.apps.iter().enumerate().map(|(index, app)| (app.name.clone(), value(index))).collect()
            };
            json!({
                "name": scenario.name, "static": scenario.static_work,
                "threads": by_name(&|index| json!(scenario.allocation.row(AppId(index)))),
                "data": by_name(&|index| scenario.data.get(index).map_or(Value::Null, data)),
            })
        })
        .collect();
    let defaults: Vec<Value> = reading
        .defaults
        .iter()
        .map(|d| json!({ "table": d.table.as_str(), "name": d.name, "key": d.key, "value": d.value }))
        .collect();
    json!({
        "schema": 1, "command": "check", "files": reading.files, "machine": machine(&study.machine, reading.sockets),
        "apps": apps, "scenarios": scenarios,
        "channels": over_time::channels(study), "calls": over_time::calls(study),
        "commands": over_time::commands(study), "policy": over_time::policy(study), "os": over_time::os(study),
        "cluster": over_time::cluster(study),
        "graph": tasks::graph(&reading.tasks), "scheduler": tasks::scheduler(&reading.tasks),
        "runtime": tasks::runtime(&reading.tasks),
        "contender": tasks::contender(&reading.tasks),
        "defaults": defaults,
    })
}

fn machine(machine: &Machine, sockets: Option<usize>) -> Value {
    let cache = |node| machine.cache(NodeId(node));
    let nodes: Vec<Value> = machine
        .nodes()
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let os_node = machine.os_nodes().get(index);
            let mut shown = json!({
                "node": index, "cores": node.cores, "gflops_per_core": node.gflops_per_core.value(),
                "bandwidth_gbs": node.bandwidth.value(),
            });
            for (key, value) in keys::limits_of(node) {
                shown[key.name] = value.into();
            }
            shown["llc_mb"] = cache(index).map(|cache| cache.size.value()).into();
            let core_bandwidth = cache(index).and_then(|cache| cache.core_bandwidth);
            shown["llc_gbs"] = core_bandwidth.map(GigabytesPerSecond::value).into();
            shown["os_node"] = os_node.map(|os| os.number).into();
            shown["cpus"] = os_node.and_then(|os| os.cpus.as_ref()).map(ToString::to_string).into();
            shown
        })
        .collect();
    let nodes: Vec<Value> = machine
        .node_ids()
        .zip(nodes)
        .map(|(node, mut value)| {
            if !machine.has_memory(node) {
                value["local_memory"] = machine.local_memory(node).0.into();
            }
            value
        })
        .collect();
    // A large machine has a million links: what its file says of them is shorter than their list.
    let is_large = machine.node_count() > MOST_NODES_WITH_ALL_LINKS;
    let all = || {
        let pairs = machine.node_ids().flat_map(|from| machine.node_ids().map(move |to| (from, to)));
        pairs.filter_map(|(from, to)| Some((from, to, machine.link(from, to)?)))
    };
    let link = |(from, to, link): (NodeId, NodeId, GigabytesPerSecond)| json!({ "from": from.0, "to": to.0, "bandwidth_gbs": link.value() });
    let links: Vec<Value> = if is_large { Vec::new() } else { all().map(link).collect() };
    let provenance: Map<String, Value> = machine
        .provenance()
        .iter()
        .map(|(key, p)| {
            (key.clone(), json!({ "kind": p.kind.as_str(), "source": p.source, "uncertainty_percent": p.uncertainty_percent,
                    "interval95_percent": p.interval95_percent }))
        })
        .collect();
    let sharing = machine.sharing();
    let parameters: Map<String, Value> = sharing
        .parameters
        .in_use()
        .map(|(parameter, value)| (parameter.key().to_owned(), json!(value)))
        .collect();
    let row = |from| machine.node_ids().map(|to| machine.latency_ns(from, to)).collect::<Vec<_>>();
    let latencies = machine.has_latencies().then(|| machine.node_ids().map(row).collect::<Vec<_>>());
    let row = |from| machine.node_ids().map(|to| machine.distance(from, to)).collect::<Vec<_>>();
    let distances = machine.has_distances().then(|| machine.node_ids().map(row).collect::<Vec<_>>());
    let shared_link = |link: &SharedLink| {
        json!({
            "name": link.name, "gbs": link.bandwidth.value(),
            "from": numbers(&link.from), "to": numbers(&link.to), "both_ways": link.both_ways,
        })
    };
    let shared_links: Vec<Value> = machine.shared_links().iter().map(shared_link).collect();
    let mut document = json!({
        "name": machine.name(), "source": machine.source(), "nodes": nodes, "links": links,
        "latency_matrix_ns": latencies, "distance_matrix": distances, "sockets": sockets, "shared_links": shared_links,
        "sharing": { "model": sharing.name(), "parameters": parameters },
        "provenance": provenance,
        "doubts": doubts(machine).iter().map(ToString::to_string).collect::<Vec<_>>(),
    });
    if is_large {
        if let Some(link) = equal(all().map(|(.., link)| link)) {
            document["link_gbs"] = link.value().into();
        } else {
            let row = |from| -> Value {
                let gbs = |to| machine.link(from, to).map(GigabytesPerSecond::value);
                machine.node_ids().map(gbs).collect::<Vec<_>>().into()
            };
            document["link_matrix_gbs"] = machine.node_ids().map(row).collect::<Vec<_>>().into();
        }
    }
    document
}

/// `0 2`, separated by spaces.
pub(super) fn numbers_in_words(nodes: &[NodeId]) -> String {
    nodes.iter().map(|node| node.0.to_string()).collect::<Vec<_>>().join(" ")
}

/// The one value that all have, if they have.
pub(super) fn equal(mut links: impl Iterator<Item = GigabytesPerSecond>) -> Option<GigabytesPerSecond> {
    let first = links.next()?;
    links.all(|link| link == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use numasim_model::units::Gflops;
    use numasim_model::{KernelBandwidths, Node};

    use super::*;

    #[test]
    fn links_of_a_large_machine_are_said_once() {
        let node = Node {
            cores: 1,
            gflops_per_core: Gflops::new(1.0),
            bandwidth: GigabytesPerSecond::new(8.0),
            core_bandwidth: None,
            read_bandwidth: None,
            memory: None,
            kernels: KernelBandwidths::NONE,
        };
        let of = |nodes| {
            let link = GigabytesPerSecond::new(2.0);
            machine(&Machine::uniform("m", nodes, node, link).expect("a machine"), None)
        };
        assert_eq!(of(64)["links"].as_array().map(Vec::len), Some(64 * 63));
        assert_eq!(of(64).get("link_gbs"), None);
        assert_eq!((&of(65)["links"], &of(65)["link_gbs"]), (&json!([]), &json!(2.0)));
        let figure = |pair: usize| GigabytesPerSecond::new(if pair == 1 { 5.0 } else { 2.0 });
        let unequal =
            Machine::new("m", vec![node; 65], (0..65 * 65).map(figure).collect()).expect("a machine");
        let document = machine(&unequal, None);
        assert_eq!(document["link_matrix_gbs"][0][1], json!(5.0));
        assert_eq!(document["link_matrix_gbs"][0][0], Value::Null);
    }
}
