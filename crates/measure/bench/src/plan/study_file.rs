//! What a plan runs, as a study that the models can evaluate: so that measured and predicted scenarios are the same.

use numasim_host::HostTopology;
use numasim_model::units::Gflops;
use numasim_model::{Allocation, App, Data, Dynamics, Machine, Node, NodeId, Placement, Scenario, Study};

use super::{PlanError, Shape, fit};

/// The study of the scenarios that run. `host`: some of them were scaled to it, and all are told by its nodes.
pub(super) fn of_plan(
    study: &Study,
    ran: &[Shape],
    host: Option<&HostTopology>,
    host_machine: Option<&Machine>,
) -> Result<Study, PlanError> {
    let machine = match (host_machine, host) {
        (Some(machine), _) => machine.clone(),
        (None, Some(host)) => on_host(&study.machine, host)?,
        (None, None) => study.machine.clone(),
    };
    let nodes = machine.node_count();
    let map = fit::fold(&cores(&study.machine), &cores(&machine));
    let apps = study.apps.iter().map(|app| {
        let data = default_data(app, &study.machine, &machine, &map);
        let nodes = app.nodes.as_ref().map(|nodes| fit::folded_nodes(nodes, &map));
        App { data, nodes, ..app.clone() }
    });
    let scenarios = ran.iter().map(|shape| {
        let rows: Vec<Vec<u32>> = shape
            .threads
            .iter()
            .map(|row| (0..nodes).map(|node| row.get(node).copied().unwrap_or(0)).collect())
            .collect();
        let allocation = Allocation::from_rows(&rows).unwrap_or_else(|| Allocation::empty(rows.len(), nodes));
        allocation
            .fits(&machine)
            .map_err(|why| PlanError::Study(format!("scenario '{}': {why}", shape.name)))?;
        let own = shape.threads.first().map_or(nodes, Vec::len);
        let data = shape.data.iter().map(|data| Data::Placed(on_nodes(data, own, nodes)));
        let (name, static_work) = (shape.name.clone(), shape.static_work);
        Ok(Scenario { name, allocation, data: data.collect(), static_work })
    });
    Ok(Study {
        apps: apps.collect(),
        scenarios: scenarios.collect::<Result<_, _>>()?,
        // Threads on nodes that are not these mean nothing here; and what is measured does not change over time.
        dynamics: if cores(&study.machine) == cores(&machine) {
            study.dynamics.clone()
        } else {
            Dynamics::default()
        },
        machine,
    })
}

/// The data that an application has where no scenario says otherwise.
fn default_data(app: &App, from: &Machine, to: &Machine, map: &[NodeId]) -> Data {
    let Data::Placed(placement) = &app.data else { return app.data.clone() };
    if from.node_count() == to.node_count() {
        return app.data.clone();
    }
    Data::Placed(fit::folded(placement, map, to.node_count()))
}

fn cores(machine: &Machine) -> Vec<u32> {
    machine.nodes().iter().map(|node| node.cores).collect()
}

/// The same places on a machine with another number of nodes; what is not there was not used.
fn on_nodes(data: &Placement, from: usize, nodes: usize) -> Placement {
    let shares = match data {
        Placement::Interleave if from != nodes => &vec![1.0 / from as f64; from],
        Placement::Fractions(shares) if from != nodes => shares,
        other => return other.clone(),
    };
    Placement::Fractions((0..nodes).map(|node| shares.get(node).copied().unwrap_or(0.0)).collect())
}

/// Nodes and cores of the host with the figures of the file: each node has those of the first node that is folded onto
/// it, and where none is, those of the node before it.
fn on_host(file: &Machine, host: &HostTopology) -> Result<Machine, PlanError> {
    let there: Vec<u32> = host.nodes.iter().map(|node| node.cores).collect();
    let map = fit::fold(&cores(file), &there);
    let mut of: Vec<NodeId> = Vec::new();
    for (node, &cores) in there.iter().enumerate() {
        let folded = map.iter().position(|to| to.0 == node).map(NodeId);
        let with_cores = file.compute_nodes().next().unwrap_or(NodeId(0));
        let before = of.last().copied().unwrap_or(with_cores);
        let stand_in = if cores > 0 && file.node(before).cores == 0 { with_cores } else { before };
        of.push(folded.unwrap_or(stand_in));
    }
    let nodes = of.iter().zip(&there).map(|(&node, &cores)| {
        let figures = file.node(node);
        let peak = if cores > 0 { figures.gflops_per_core } else { Gflops::new(0.0) };
        // What memory the nodes of the file have says nothing about this host, unless it is none.
        let memory = figures.memory.filter(|_| !figures.has_memory());
        Node { cores, gflops_per_core: peak, memory, ..*figures }
    });
    let mut links = Vec::new();
    for &from in &of {
        for &to in &of {
            // Two nodes with the figures of one have no link in the file: the widest link from there, or its memory.
            let beside = || {
                file.node_ids()
                    .filter_map(|other| file.link(from, other))
                    .max_by(|a, b| a.value().total_cmp(&b.value()))
            };
            links.push(file.link(from, to).or_else(beside).unwrap_or(file.node(from).bandwidth));
        }
    }
    let source = format!("nodes and cores of {}, figures of {}", host.name, file.name());
    let shared_links = file.shared_links().iter().filter_map(|link| fit::folded_link(link, &map));
    let machine = Machine::new(format!("{} on {}", file.name(), host.name), nodes.collect(), links);
    machine
        .and_then(|machine| machine.with_shared_links(shared_links.collect()))
        .map_err(|why| PlanError::Study(why.to_string()))?
        .with_source(Some(source))
        .with_sharing(*file.sharing())
        .with_os_nodes(host.os_nodes())
        .map_err(|why| PlanError::Study(why.to_string()))
}
