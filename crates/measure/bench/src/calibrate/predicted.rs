//! What the figures so far predict for threads that read as fast as they can.

use numasim_host::{HostNode, HostTopology};
use numasim_model::ids::{AppId, NodeId};
use numasim_model::machine::{MachineError, SharedLink};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Allocation, App, Data, KernelBandwidths, Machine, Node, Placement, evaluate};

use super::steps::{BANDWIDTH_AI, Flow};
use super::{Calibration, Figure, NodeFigures, SharedFigure};

/// A figure as a bandwidth.
pub(super) const fn gbs(figure: Figure) -> GigabytesPerSecond {
    GigabytesPerSecond::new(figure.median)
}

/// The nodes of a calibration. What each reads with all its threads is left out.
pub(super) fn nodes(host: &HostTopology, found: &Calibration) -> Vec<Node> {
    let node = |(there, figures): (&HostNode, &NodeFigures)| Node {
        cores: there.cores,
        gflops_per_core: Gflops::new(figures.peak_per_core.map_or(0.0, |peak| peak.median)),
        bandwidth: gbs(figures.bandwidth),
        core_bandwidth: figures.core_bandwidth.map(gbs),
        read_bandwidth: None,
        memory: None,
        kernels: KernelBandwidths::from_fn(|kernel| {
            let measured = figures.kernels.iter().find(|(other, _)| *other == kernel);
            measured.map(|&(_, figure)| gbs(figure))
        }),
    };
    host.nodes.iter().zip(&found.nodes).map(node).collect()
}

/// What each node reads from each other one.
pub(super) fn links(found: &Calibration) -> Vec<GigabytesPerSecond> {
    found.links.iter().flatten().map(|cell| cell.map_or(GigabytesPerSecond::new(0.0), gbs)).collect()
}

/// The machine of a calibration: figures of nodes and links, and the shared links that limit.
pub(super) fn machine(host: &HostTopology, found: &Calibration) -> Result<Machine, MachineError> {
    let limits = found.shared_links.iter().filter(|link| link.together.limits());
    let shared = limits.map(|link: &SharedFigure| SharedLink {
        name: format!("{} reads {}", link.sockets.0, link.sockets.1),
        bandwidth: gbs(link.together.bandwidth),
        from: link.from.clone(),
        to: link.to.clone(),
        both_ways: false,
    });
    Machine::new("calibrated", nodes(host, found), links(found))?.with_shared_links(shared.collect())
}

/// GB/s of all flows together; `None` where the model does not answer.
pub(super) fn bandwidth(machine: &Machine, flows: &[Flow]) -> Option<f64> {
    let mut allocation = Allocation::empty(flows.len(), machine.node_count());
    for (a, flow) in flows.iter().enumerate() {
        allocation.set(AppId(a), flow.from, flow.threads);
    }
    let placements: Vec<Placement> = flows.iter().map(|flow| Placement::Home(flow.to)).collect();
    let apps: Vec<App> = flows.iter().enumerate().map(|(a, flow)| reader(a, flow.to)).collect();
    let evaluation = evaluate(machine, &apps, &placements, &allocation).ok()?;
    Some(evaluation.apps.iter().map(|app| app.bandwidth.value()).sum())
}

fn reader(number: usize, home: NodeId) -> App {
    let data = Data::Placed(Placement::Home(home));
    App::new(format!("reader-{}", number + 1), FlopPerByte::new(BANDWIDTH_AI), data)
}
