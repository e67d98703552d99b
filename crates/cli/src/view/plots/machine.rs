//! The roofline and the bandwidth matrix of a machine.

use numasim_draw::Heading;
use numasim_draw::matrix::{Matrix, Row};
use numasim_draw::roofline::{Roof, RoofApp, Roofline};
use numasim_model::units::{Gflops, GigabytesPerSecond};
use numasim_model::{App, AppId, Machine, NodeId};

use super::heading::heading;
use crate::view::lettering::{self, Lettering};
use crate::view::{ScenarioView, machine_title};

/// The roofs of a machine with applications on it; with what each gets in `view`, if there is one.
pub(crate) fn roofline(machine: &Machine, apps: &[App], view: Option<&ScenarioView<'_>>) -> Roofline {
    let letters = Lettering::new(apps);
    let app = |letter: usize| {
        let instances: Vec<usize> = (0..apps.len()).filter(|&a| letters.of(AppId(a)) == letter).collect();
        let mut name = letters.name(letter).to_owned();
        if instances.len() > 1 {
            name = format!("{name} ({} instances)", instances.len());
        }
        RoofApp {
            letter: lettering::label(letter),
            name,
            intensity: instances.first().map_or(0.0, |&a| apps[a].arithmetic_intensity.value()),
            gflops: view.map(|view| instances.iter().map(|&a| view.evaluation.apps[a].gflops.value()).sum()),
        }
    };
    Roofline {
        heading: view.map_or_else(
            || Heading {
                title: machine_title(machine),
                subtitle: "roofline: min(peak, bandwidth × arithmetic intensity)".to_owned(),
            },
            heading,
        ),
        roofs: roofs(machine),
        apps: (0..letters.count()).map(app).collect(),
    }
}

/// The whole machine, a node, the fastest and the slowest link, a core.
fn roofs(machine: &Machine) -> Vec<Roof> {
    let roof = |name: String, bandwidth: GigabytesPerSecond, peak: Gflops| Roof {
        name,
        bandwidth_gbs: bandwidth.value(),
        peak_gflops: peak.value(),
    };
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    let bandwidth = |node: NodeId| machine.node(node).bandwidth;
    let peak = |node: NodeId| machine.node(node).gflops_per_core * f64::from(machine.node(node).cores);
    let Some(&widest) =
        compute.iter().max_by(|a, b| bandwidth(**a).value().total_cmp(&bandwidth(**b).value()))
    else {
        return Vec::new();
    };
    let alike = compute.iter().all(|&node| machine.node(node) == machine.node(widest));
    let node = if alike { "one node".to_owned() } else { widest.to_string() };
    let mut roofs = Vec::new();
    if compute.len() > 1 {
        roofs.push(roof(
            "all nodes, own memories".to_owned(),
            compute.iter().map(|&node| bandwidth(node)).sum(),
            compute.iter().map(|&node| peak(node)).sum(),
        ));
    }
    roofs.push(roof(format!("{node}, own memory"), bandwidth(widest), peak(widest)));

    let pairs = compute.iter().flat_map(|&from| machine.node_ids().map(move |to| (from, to)));
    let mut links: Vec<(NodeId, NodeId, GigabytesPerSecond)> = pairs
        .filter_map(|(from, to)| machine.link(from, to).map(|link| (from, to, link.min(bandwidth(to)))))
        .collect();
    links.sort_by(|a, b| b.2.value().total_cmp(&a.2.value()));
    if let (Some(&first), Some(&last)) = (links.first(), links.last()) {
        let read = |(from, to, link): (NodeId, NodeId, GigabytesPerSecond), which: &str| {
            roof(format!("{} reads {} ({which})", from, to.0), link, peak(from))
        };
        if first.2 == last.2 {
            roofs.push(roof("one node reads another".to_owned(), first.2, peak(first.0)));
        } else {
            roofs.push(read(first, "fastest link"));
            roofs.push(read(last, "slowest link"));
        }
    }
    let core = machine.node(widest);
    let limit = core.core_bandwidth.map_or(core.bandwidth, |limit| limit.min(core.bandwidth));
    roofs.push(roof(format!("one core of {node}, own memory"), limit, core.gflops_per_core));
    roofs
}

/// Bandwidths from each node with cores to each memory.
pub(crate) fn matrix(machine: &Machine) -> Matrix {
    let row = |from: NodeId| Row {
        node: from.0,
        gbs: machine
            .node_ids()
            .map(|to| machine.link(from, to).unwrap_or(machine.node(from).bandwidth).value())
            .collect(),
    };
    let kind =
        ["bandwidth_matrix_gbs", "bandwidth_gbs"].iter().find_map(|key| machine.provenance().get(*key));
    let kind = kind.map_or(String::new(), |known| format!(", {}", known.kind.as_str()));
    Matrix {
        heading: Heading {
            title: machine_title(machine),
            subtitle: format!(
                "bandwidth of cores on one node from the memory of another{kind}; framed: own memory"
            ),
        },
        label: "bandwidth (GB/s)".to_owned(),
        nodes: machine.node_count(),
        rows: machine.compute_nodes().map(row).collect(),
    }
}
