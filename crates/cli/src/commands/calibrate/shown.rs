//! A calibration as JSON and CSV.

use numasim_ask::table::{self, Of};
use numasim_bench::calibrate::{
    Choice, Figure, Latencies, MeasuredStep, NodeFigures, Purpose, SharedFigure, Together,
};
use numasim_model::Access;
use numasim_model::ids::NodeId;
use serde_json::{Value, json};

use super::Calibrated;
use crate::view::numbers;

/// One object with figures, steps, doubts and how it was measured.
pub(super) fn json(found: &Calibrated) -> Value {
    let calibration = &found.calibration;
    let nodes: Vec<Value> = found
        .host
        .nodes
        .iter()
        .zip(&calibration.nodes)
        .enumerate()
        .map(|(n, (node, figures))| {
            json!({
                "node": n, "os_index": node.os_index, "cores": node.cores,
                "gflops_per_core": figures.peak_per_core.as_ref().map(figure),
                "gflops_of_one_core_alone": figures.peak_alone.as_ref().map(figure),
                "core_bandwidth_gbs": figures.core_bandwidth.as_ref().map(figure),
                "bandwidth_gbs": figure(&figures.bandwidth),
                "copy_gbs": of_kernel(figures, Access::Copy),
                "triad_gbs": of_kernel(figures, Access::Triad),
                "update_gbs": of_kernel(figures, Access::Update),
                "saturating_threads": figures.saturating_threads,
                "read": figures.read.as_ref().map(together),
            })
        })
        .collect();
    let row =
        |row: &Vec<Option<Figure>>| row.iter().map(|cell| cell.as_ref().map(figure)).collect::<Vec<_>>();
    json!({
        "schema": 1, "command": "calibrate", "machine": found.described.name, "source": found.described.source,
        "isa": found.settings.isa.as_str(),
        "window_s": found.settings.window.as_secs_f64(), "warm_up_s": found.settings.warm_up.as_secs_f64(),
        "bytes_per_thread": found.settings.bytes_per_thread,
        "kernels": calibration.variants.iter().map(choice).collect::<Vec<_>>(),
        "nodes": nodes,
        "bandwidth_matrix_gbs": calibration.matrix().iter().map(row).collect::<Vec<_>>(),
        "latency_matrix_ns": calibration.latencies.as_ref().map(|found| found.ns.iter().map(row).collect::<Vec<_>>()),
        "lines_in_flight": calibration.latencies.as_ref().map(lines),
        "shared_links": calibration.shared_links.iter().map(shared).collect::<Vec<_>>(),
        "steps": calibration.steps.iter().map(step).collect::<Vec<_>>(),
        "doubts": found.doubts,
        "host": found.facts,
    })
}

fn figure(figure: &Figure) -> Value {
    json!({ "median": figure.median, "min": figure.min, "max": figure.max, "rounds": figure.samples,
            "uncertainty_percent": figure.uncertainty_percent(),
            "interval95_percent": figure.reach95.map(|reach| 100.0 * reach) })
}

/// The way of a kernel through memory; `gain` over the usual way, null if it is that.
fn choice(choice: &Choice) -> Value {
    json!({ "kernel": choice.access.as_str(), "isa": choice.variant.isa.as_str(), "streams": choice.variant.streams,
            "prefetch_bytes": choice.variant.prefetch_bytes, "stores": choice.variant.stores.as_str(),
            "gain": choice.gain.as_ref().map(figure) })
}

/// Of each node; null without cores.
fn lines(found: &Latencies) -> Vec<Option<Value>> {
    found.lines.iter().map(|lines| lines.as_ref().map(figure)).collect()
}

/// Null where it was not measured.
fn of_kernel(figures: &NodeFigures, kernel: Access) -> Option<Value> {
    figures.kernels.iter().find(|(other, _)| *other == kernel).map(|(_, found)| figure(found))
}

/// What several readers at once got, whether the machine file has a line for it or not.
fn together(found: &Together) -> Value {
    json!({ "gbs": figure(&found.bandwidth), "predicted_gbs": found.predicted_gbs, "limits": found.limits() })
}

fn shared(link: &SharedFigure) -> Value {
    json!({ "from_socket": link.sockets.0, "to_socket": link.sockets.1,
            "from": numbers(&link.from), "to": numbers(&link.to), "read": together(&link.together) })
}

/// Steps of several flows have no single node: null.
fn step(done: &MeasuredStep) -> Value {
    let (gflops, gbs): (Vec<f64>, Vec<f64>) = done.rounds.iter().copied().unzip();
    let only = |nodes: Vec<NodeId>| match nodes.as_slice() {
        [node] => Some(node.0),
        _ => None,
    };
    let flows = done.step.flows.iter();
    let flows = flows
        .map(|flow| json!({ "from_node": flow.from.0, "to_node": flow.to.0, "threads": flow.threads }))
        .collect::<Vec<_>>();
    json!({ "measures": measures(done), "from_node": only(done.step.from_nodes()),
            "to_node": only(done.step.to_nodes()), "threads": done.step.threads(), "flows": flows,
            "gflops": gflops, "bandwidth_gbs": gbs })
}

fn measures(done: &MeasuredStep) -> &'static str {
    match done.step.purpose {
        Purpose::Peak => "peak",
        Purpose::Bandwidth => "bandwidth",
        Purpose::SharedLink => "shared-link",
        Purpose::NodeRead => "node-read",
        Purpose::Chains(1) => "latency",
        Purpose::Chains(_) => "chains",
        Purpose::Kernel(kernel) | Purpose::Variant(kernel, _) => kernel.as_str(),
    }
}

/// Every round of every step. Nodes of several flows are ranges; `flows` has each as `FROM>TO:THREADS`.
pub(super) fn csv(found: &Calibrated) -> String {
    type Row<'v> = (&'v MeasuredStep, (u32, (f64, f64)));
    let ranges = |nodes: &[NodeId]| {
        let numbers: Vec<u32> = nodes.iter().filter_map(|node| u32::try_from(node.0).ok()).collect();
        numasim_model::cpus::ranges(&numbers)
    };
    let flows = |done: &MeasuredStep| {
        let flows = done.step.flows.iter();
        flows
            .map(|flow| format!("{}>{}:{}", flow.from.0, flow.to.0, flow.threads))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let columns = [
        Of::text("measures", |(done, _): &Row| measures(done)),
        Of::text("from_node", |(done, _): &Row| ranges(&done.step.from_nodes())),
        Of::text("to_node", |(done, _): &Row| ranges(&done.step.to_nodes())),
        Of::whole("threads", |(done, _): &Row| done.step.threads()),
        Of::whole("round", |(_, (round, _)): &Row| *round),
        Of::number("gflops", |(_, (_, (gflops, _))): &Row| *gflops),
        Of::number("bandwidth_gbs", |(_, (_, (_, gbs))): &Row| *gbs),
        Of::text("flows", |(done, _): &Row| flows(done)),
    ];
    let steps = found.calibration.steps.iter();
    let rows = steps.flat_map(|done| (1..).zip(done.rounds.iter().copied()).map(move |round| (done, round)));
    table::csv(&columns, rows)
}
