//! A calibration as JSON and CSV.

use numasim_ask::document::{Head, value};
use numasim_ask::measuring as document;
use numasim_ask::table::{self, Of};
use numasim_bench::calibrate::{
    Choice, Figure, Flow, MeasuredStep, NodeFigures, Purpose, SharedFigure, Together,
};
use numasim_host::HostNode;
use numasim_model::Access;
use numasim_model::ids::NodeId;

use super::Calibrated;
use crate::view::bench::doubt;
use crate::view::numbers;

/// Figures, steps, doubts and how it was measured.
pub(super) fn json(found: &Calibrated) -> document::Calibrated {
    let calibration = &found.calibration;
    let row =
        |row: &Vec<Option<Figure>>| row.iter().map(|cell| cell.as_ref().map(figure)).collect::<Vec<_>>();
    let nodes = found.host.nodes.iter().zip(&calibration.nodes).enumerate();
    let latencies = calibration.latencies.as_ref();
    document::Calibrated {
        head: Head::of("calibrate"),
        machine: found.described.name.clone(),
        source: found.described.source.clone(),
        isa: found.settings.isa.as_str().to_owned(),
        window_s: found.settings.window.as_secs_f64(),
        warm_up_s: found.settings.warm_up.as_secs_f64(),
        bytes_per_thread: found.settings.bytes_per_thread,
        kernels: calibration.variants.iter().map(way).collect(),
        nodes: nodes.map(|(number, (node, figures))| of_node(number, node, figures)).collect(),
        bandwidth_matrix_gbs: calibration.matrix().iter().map(row).collect(),
        latency_matrix_ns: latencies.map(|found| found.ns.iter().map(row).collect()),
        lines_in_flight: latencies.map(|found| row(&found.lines)),
        shared_links: calibration.shared_links.iter().map(shared).collect(),
        steps: calibration.steps.iter().map(step).collect(),
        doubts: found.doubts.iter().map(|one| doubt(one.into())).collect(),
        host: value(&found.facts),
    }
}

fn figure(figure: &Figure) -> document::Figure {
    document::Figure {
        median: figure.median,
        min: figure.min,
        max: figure.max,
        rounds: figure.samples as u64,
        uncertainty_percent: figure.uncertainty_percent(),
        interval95_percent: figure.reach95.map(|reach| 100.0 * reach),
    }
}

fn of_node(number: usize, node: &HostNode, figures: &NodeFigures) -> document::CalibratedNode {
    let of_kernel = |kernel: Access| {
        let found = figures.kernels.iter().find(|(other, _)| *other == kernel);
        found.map(|(_, found)| figure(found))
    };
    document::CalibratedNode {
        node: number as u64,
        os_index: node.os_index,
        cores: node.cores,
        gflops_per_core: figures.peak_per_core.as_ref().map(figure),
        gflops_of_one_core_alone: figures.peak_alone.as_ref().map(figure),
        core_bandwidth_gbs: figures.core_bandwidth.as_ref().map(figure),
        bandwidth_gbs: figure(&figures.bandwidth),
        copy_gbs: of_kernel(Access::Copy),
        triad_gbs: of_kernel(Access::Triad),
        update_gbs: of_kernel(Access::Update),
        saturating_threads: figures.saturating_threads,
        read: figures.read.as_ref().map(together),
    }
}

fn way(choice: &Choice) -> document::Way {
    document::Way {
        kernel: choice.access.as_str().to_owned(),
        isa: choice.variant.isa.as_str().to_owned(),
        streams: choice.variant.streams,
        prefetch_bytes: choice.variant.prefetch_bytes,
        stores: choice.variant.stores.as_str().to_owned(),
        gain: choice.gain.as_ref().map(figure),
    }
}

/// What several readers at once got, whether the machine file has a line for it or not.
fn together(found: &Together) -> document::Together {
    document::Together {
        gbs: figure(&found.bandwidth),
        predicted_gbs: found.predicted_gbs,
        limits: found.limits(),
    }
}

fn shared(link: &SharedFigure) -> document::SharedLink {
    document::SharedLink {
        from_socket: link.sockets.0,
        to_socket: link.sockets.1,
        from: numbers(&link.from),
        to: numbers(&link.to),
        read: together(&link.together),
    }
}

fn step(done: &MeasuredStep) -> document::Step {
    let (gflops, bandwidth_gbs) = done.rounds.iter().copied().unzip();
    let only = |nodes: Vec<NodeId>| match nodes.as_slice() {
        [node] => Some(node.0 as u64),
        _ => None,
    };
    let flow = |flow: &Flow| document::Flow {
        from_node: flow.from.0 as u64,
        to_node: flow.to.0 as u64,
        threads: flow.threads,
    };
    document::Step {
        measures: measures(done).to_owned(),
        from_node: only(done.step.from_nodes()),
        to_node: only(done.step.to_nodes()),
        threads: done.step.threads(),
        flows: done.step.flows.iter().map(flow).collect(),
        gflops,
        bandwidth_gbs,
    }
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
