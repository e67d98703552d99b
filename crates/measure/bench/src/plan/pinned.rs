//! From counts of threads to threads: a processor or all of the node's, and where the data lies.

use numasim_host::HostTopology;
use numasim_kernels::kernel::Lies;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::{Machine, Placement, Study};

use super::{Arrays, Bind, PlanError, PlannedApp, PlannedScenario, PlannedThread, Shape};
use numasim_kernels::workload::Workload;

/// Puts a scenario that fits on the processors of the host. `machine` may name them; its nodes are those of `shape`.
pub(super) fn plan(
    shape: &Shape,
    study: &Study,
    kernels: &[Option<Workload>],
    machine: Option<&Machine>,
    host: &HostTopology,
    bind: Bind,
    fitted: bool,
) -> Result<PlannedScenario, PlanError> {
    let lists: Vec<&[u32]> = (0..host.nodes.len()).map(|node| cpus(node, machine, host)).collect();
    let of_node =
        |node: usize| host.nodes[node].cpus.as_ref().map_or_else(Vec::new, |all| all.as_slice().to_vec());
    let mut next = vec![0_usize; lists.len()];
    let mut apps = Vec::new();
    for app_index in shape.active() {
        let (rows, data) = (&shape.threads[app_index], &shape.data[app_index]);
        let mut threads = Vec::new();
        for (node, &count) in rows.iter().enumerate().take(lists.len()) {
            for _ in 0..count {
                let cpus = match bind {
                    Bind::Core => lists[node].get(next[node]).map_or_else(Vec::new, |&cpu| vec![cpu]),
                    Bind::Node => of_node(node),
                    Bind::None => (0..lists.len()).flat_map(of_node).collect(),
                };
                next[node] += 1;
                let cpus = CpuList::new(cpus)
                    .map_err(|why| PlanError::Study(format!("the processors of node {node}: {why}")))?;
                let memory = memory(data, node, (rows.len(), machine), host);
                threads.push(PlannedThread { node: NodeId(node), cpus, memory });
            }
        }
        if let (Some(kernel), Some(app)) = (kernels[app_index], study.apps.get(app_index)) {
            let name = app.name.clone();
            let mut planned = PlannedApp { name, kernel, threads, arrays: None };
            planned.arrays = arrays(&planned, data, (rows.len(), machine), host);
            apps.push(planned);
        }
    }
    Ok(PlannedScenario { name: shape.name.clone(), apps, fitted })
}

/// The processors of a node in the order in which threads take them.
fn cpus<'a>(node: usize, machine: Option<&'a Machine>, host: &'a HostTopology) -> &'a [u32] {
    let of_file =
        machine.and_then(|machine| machine.os_nodes().get(node)).and_then(|node| node.cpus.as_ref());
    of_file.or(host.nodes[node].cpus.as_ref()).map_or(&[], CpuList::as_slice)
}

/// Where arrays lie of an application that has some which all threads access; of others each lies as the data of its thread.
///
/// A share at a home, or spread, is then the array that all access (the source of a copy), and what each thread has for itself is near it; data near
/// threads are, of an array that all access, as much on each node as it has threads.
fn arrays(app: &PlannedApp, data: &Placement, nodes: Nodes<'_>, host: &HostTopology) -> Option<Arrays> {
    let Workload::Real(real, _) = app.kernel else { return None };
    let needs = real.problem().arrays(&app.team().ok()?).ok()?;
    needs.iter().find(|need| need.lies == Lies::Shared)?;
    let of = |data: &Placement, node: NodeId| memory(data, node.0, nodes, host);
    let own_data = match data {
        Placement::PartHome { .. } | Placement::PartInterleave { .. } => &Placement::Local,
        other => other,
    };
    let shared = match data {
        Placement::PartHome { home, .. } => of(&Placement::Home(*home), *home),
        Placement::PartInterleave { .. } => of(&Placement::Interleave, NodeId(0)),
        Placement::Local => {
            let all = app.threads.len() as f64;
            let share = |(node, threads): (NodeId, u32)| {
                let memory = nodes.1.map_or(node, |machine| machine.local_memory(node));
                Some((host.nodes.get(memory.0)?.os_index, f64::from(threads) / all))
            };
            app.nodes().into_iter().filter_map(share).collect()
        }
        Placement::Home(_) | Placement::Interleave | Placement::Fractions(_) => of(data, NodeId(0)),
    };
    Some(Arrays { shared, own: app.threads.iter().map(|thread| of(own_data, thread.node)).collect() })
}

/// How many nodes there are, and the machine file where they are its nodes and not those of the host for a scaled scenario.
type Nodes<'a> = (usize, Option<&'a Machine>);

/// Where the data of a thread on `node` lies, by number of the operating system.
fn memory(
    data: &Placement,
    node: usize,
    (nodes, machine): Nodes<'_>,
    host: &HostTopology,
) -> Vec<(u32, f64)> {
    let without = machine.filter(|machine| !machine.all_have_memory() && machine.node_count() == nodes);
    let shares: Vec<(usize, f64)> = match data {
        _ if without.is_some() => {
            let share = |machine: &Machine, memory| data.fraction(machine, NodeId(node), NodeId(memory));
            (0..nodes).map(|memory| (memory, without.map_or(0.0, |machine| share(machine, memory)))).collect()
        }
        Placement::Local => vec![(node, 1.0)],
        Placement::Home(home) => vec![(home.0, 1.0)],
        Placement::Interleave => (0..nodes).map(|node| (node, 1.0 / nodes as f64)).collect(),
        Placement::Fractions(shares) => shares.iter().copied().enumerate().collect(),
        Placement::PartHome { home, .. } if home.0 == node => vec![(node, 1.0)],
        Placement::PartHome { home, share } => vec![(home.0, *share), (node, 1.0 - share)],
        Placement::PartInterleave { share } => (0..nodes)
            .map(|memory| (memory, share / nodes as f64 + if memory == node { 1.0 - share } else { 0.0 }))
            .collect(),
    };
    let some = shares.into_iter().filter(|&(_, share)| share > 0.0);
    some.filter_map(|(node, share)| Some((host.nodes.get(node)?.os_index, share))).collect()
}
