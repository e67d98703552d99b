//! The roofline and the bandwidth matrix of a machine.

use numasim_draw::Heading;
use numasim_draw::heat_map::{Matrix, MatrixRow};
use numasim_draw::roofline::{Roof, RoofApp, Roofline};
use numasim_model::problem::NEXT_TO_NOTHING;
use numasim_model::roofline::{self, RoofOf};
use numasim_model::{Access, App, AppId, Machine, NodeId};

use crate::view::lettering::{self, Lettering};
use crate::view::{ScenarioView, machine_title};
use numasim_ask::heading::heading;

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
        roofs: roofs(machine, apps),
        apps: (0..letters.count()).map(app).filter(|app| computes(app.intensity)).collect(),
    }
}

/// What only moves data has no place on the axis.
fn computes(intensity: f64) -> bool {
    intensity > NEXT_TO_NOTHING.value()
}

/// The roofs of the machine by name, with those of kernels that `apps` use.
fn roofs(machine: &Machine, apps: &[App]) -> Vec<Roof> {
    let named = |roof: &roofline::Roof| Roof {
        name: name(machine, roof.of),
        bandwidth_gbs: roof.bandwidth.value(),
        peak_gflops: roof.peak.value(),
    };
    let kernels: Vec<Access> = apps.iter().map(|app| app.kernel).collect();
    let all = [roofline::roofs(machine), roofline::roofs_of_kernels(machine, &kernels)].concat();
    all.iter().map(named).collect()
}

fn name(machine: &Machine, of: RoofOf) -> String {
    let node = |node: NodeId| {
        let alike = machine.compute_nodes().all(|other| machine.node(other) == machine.node(node));
        if alike { "one node".to_owned() } else { node.to_string() }
    };
    match of {
        RoofOf::AllNodes => "all nodes, own memories".to_owned(),
        RoofOf::Node(widest) => format!("{}, own memory", node(widest)),
        RoofOf::FastestLink { from, to } => format!("{from} reads {} (fastest link)", to.0),
        RoofOf::SlowestLink { from, to } => format!("{from} reads {} (slowest link)", to.0),
        RoofOf::AnyLink => "one node reads another".to_owned(),
        RoofOf::Thread(widest) => format!("one core of {}, own memory", node(widest)),
        RoofOf::Kernel(widest, kernel) => format!("{}, own memory, {}", node(widest), kernel.as_str()),
    }
}

/// Bandwidths from each node with cores to each memory.
pub(crate) fn matrix(machine: &Machine) -> Matrix {
    let row = |from: NodeId| MatrixRow {
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
