//! Scales a scenario to a smaller host (`--fit-host`).
//!
//! # Nodes
//! If the host has at least the number of nodes in the file, every node keeps its rank. Otherwise *neighbours stay together*: of M nodes,
//! node i goes to node floor(i x H / M) of the host's H. Operating systems number the nodes of one socket (sub-NUMA clusters)
//! consecutively. So nodes that share a socket in the file share a node on the host; i mod H would separate them. Nodes with cores are
//! folded onto nodes with cores. Memory-only nodes are folded onto memory-only nodes, or onto nodes with cores if the host has none.
//!
//! # Data
//! A home moves with its node; fractions of folded nodes add up; interleaved data is spread evenly over all nodes that received a folded
//! node. A share of the data that is spread evenly (`interleave = 0.3`) has no such form. If only some nodes of the host received folded
//! nodes, such a scenario cannot be scaled.
//!
//! # Shared links
//! A link that several pairs of nodes use together connects the new places of its nodes, with unchanged bandwidth. It is left out if a node
//! would then be on both of its sides.
//!
//! # Threads
//! The threads of folded nodes add up. If they exceed the cores, each application gets its share of the cores by the method of the largest
//! remainder, but at least one thread; ties go to the first application. Nothing is scaled up: cores may idle. If an application would have
//! no thread, the scenario cannot be scaled.

use numasim_model::machine::SharedLink;
use numasim_model::units::Gflops;
use numasim_model::{Allocation, App, Data, Machine, Node, NodeId, PerDomain, Placement, Scenario, Study};
use numasim_study::topology::HostTopology;

use crate::plan::{Misfit, PlanError, Shape, misfit};

/// The scenario on the host, and the changes.
pub(super) fn scale(
    shape: &Shape,
    study: &Study,
    host: &HostTopology,
) -> Result<(Shape, Vec<Change>), Misfit> {
    let cores: Vec<u32> = study.machine.nodes().iter().map(|node| node.cores).collect();
    let there: Vec<u32> = host.nodes.iter().map(|node| node.cores).collect();
    let map = fold(&cores, &there);
    let mut threads = vec![vec![0_u32; there.len()]; shape.threads.len()];
    for (row, folded) in shape.threads.iter().zip(&mut threads) {
        for (count, to) in row.iter().zip(&map) {
            folded[to.0] = folded[to.0].saturating_add(*count);
        }
    }
    for (node, &cores) in there.iter().enumerate() {
        let wanted: Vec<u32> = threads.iter().map(|row| row[node]).collect();
        let shared = share(&wanted, cores).ok_or_else(|| Misfit::TooManyApps {
            node: NodeId(node),
            apps: wanted.iter().filter(|&&count| count > 0).count(),
            cores,
        })?;
        for (row, count) in threads.iter_mut().zip(shared) {
            row[node] = count;
        }
    }
    let reached = (0..there.len()).filter(|&node| map.contains(&NodeId(node))).count();
    if let Some(app) = misfit::spread_share(shape)
        && reached < there.len()
    {
        let app = study.apps[app].name.clone();
        return Err(Misfit::SpreadShare { app, reached, there: there.len() });
    }
    let data: Vec<Placement> = shape.data.iter().map(|data| folded(data, &map, there.len())).collect();
    let scaled = Shape {
        name: shape.name.clone(),
        threads,
        per_l3: None,
        smt: shape.smt.clone(),
        data,
        static_work: shape.static_work,
    };
    let changes = changes(shape, &scaled, study, &map);
    Ok((scaled, changes))
}

/// The new node for each node of the file, given the cores of both sides.
///
/// `there` has a node with cores: [`numasim_host::host_topology`] rejects hosts without.
pub fn fold(cores: &[u32], there: &[u32]) -> Vec<NodeId> {
    let ranks = |cores: &[u32], with_cores: bool| -> Vec<usize> {
        (0..cores.len()).filter(|&node| (cores[node] > 0) == with_cores).collect()
    };
    let mut map = vec![NodeId(0); cores.len()];
    for with_cores in [true, false] {
        let from = ranks(cores, with_cores);
        let mut to = ranks(there, with_cores);
        if to.is_empty() {
            to = ranks(there, !with_cores);
        }
        for (rank, node) in from.iter().enumerate() {
            let target = if from.len() <= to.len() { rank } else { rank * to.len() / from.len() };
            map[*node] = NodeId(to.get(target).copied().unwrap_or(0));
        }
    }
    map
}

/// Threads for each application on `cores` cores; `None` if one of them would get none.
fn share(wanted: &[u32], cores: u32) -> Option<Vec<u32>> {
    let (all, cores) = (wanted.iter().map(|&count| u64::from(count)).sum::<u64>(), u64::from(cores));
    if all <= cores {
        return Some(wanted.to_vec());
    }
    let present: Vec<usize> = (0..wanted.len()).filter(|&app| wanted[app] > 0).collect();
    if present.len() as u64 > cores {
        return None;
    }
    // Exact: the quota of an application is count x cores / all; its remainder is counted in 1 / all.
    let quota = |app: usize| u64::from(wanted[app]) * cores;
    let mut got: Vec<u64> = (0..wanted.len()).map(|app| quota(app) / all).collect();
    for &app in &present {
        got[app] = got[app].max(1);
    }
    let above = |got: &[u64], app: usize| i128::from(got[app] * all) - i128::from(quota(app));
    loop {
        let sum: u64 = got.iter().sum();
        if sum == cores {
            break;
        }
        if sum < cores {
            // `min_by_key` takes the first of equals.
            let most_short = present.iter().copied().min_by_key(|&app| above(&got, app))?;
            got[most_short] += 1;
        } else {
            let may_give = present.iter().copied().filter(|&app| got[app] > 1);
            // `max_by_key` takes the last of equals.
            let most_above = may_give.max_by_key(|&app| above(&got, app))?;
            got[most_above] -= 1;
        }
    }
    got.into_iter().map(|count| u32::try_from(count).ok()).collect()
}

pub(super) fn folded(data: &Placement, map: &[NodeId], nodes: usize) -> Placement {
    match data {
        Placement::Local => Placement::Local,
        Placement::Replicated => Placement::Replicated,
        Placement::Home(home) => Placement::Home(map[home.0]),
        Placement::PartHome { home, share } => Placement::PartHome { home: map[home.0], share: *share },
        Placement::PartInterleave { share } => Placement::PartInterleave { share: *share },
        Placement::Interleave => {
            let reached: Vec<usize> = (0..nodes).filter(|&node| map.contains(&NodeId(node))).collect();
            if reached.len() == nodes {
                return Placement::Interleave;
            }
            let share = 1.0 / reached.len() as f64;
            Placement::Fractions(
                (0..nodes).map(|node| if reached.contains(&node) { share } else { 0.0 }).collect(),
            )
        }
        Placement::Fractions(shares) => {
            let mut sums = vec![0.0; nodes];
            for (share, to) in shares.iter().zip(map) {
                sums[to.0] += share;
            }
            Placement::Fractions(sums)
        }
    }
}

/// The new places of these nodes, ascending.
pub(super) fn folded_nodes(nodes: &[NodeId], map: &[NodeId]) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = nodes.iter().map(|node| map[node.0]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The shared link between the new places of its nodes; `None` if one of them is then on both sides.
pub(super) fn folded_link(link: &SharedLink, map: &[NodeId]) -> Option<SharedLink> {
    let (from, to) = (folded_nodes(&link.from, map), folded_nodes(&link.to, map));
    let apart = !from.iter().any(|node| to.contains(node));
    apart.then(|| SharedLink { from, to, ..link.clone() })
}

fn changes(shape: &Shape, scaled: &Shape, study: &Study, map: &[NodeId]) -> Vec<Change> {
    let change = |code, words| Change { scenario: shape.name.clone(), code, words };
    let mut changes = Vec::new();
    if map.iter().enumerate().any(|(from, to)| from != to.0) {
        let each = map.iter().enumerate().map(|(from, to)| format!("{from} -> {}", to.0));
        changes.push(change("nodes", format!("nodes {}", each.collect::<Vec<_>>().join(", "))));
        let numbers = |nodes: &[NodeId]| nodes.iter().map(|node| node.0).collect::<Vec<_>>();
        for link in study.machine.shared_links() {
            let words = match folded_link(link, map) {
                Some(joins) if (&joins.from, &joins.to) == (&link.from, &link.to) => continue,
                Some(joins) => format!("joins {:?} and {:?}", numbers(&joins.from), numbers(&joins.to)),
                None => "left out".to_owned(),
            };
            changes.push(change("shared link", format!("shared link '{}' {words}", link.name)));
        }
    }
    for app in shape.active() {
        let name = &study.apps[app].name;
        let (from, to) = (&shape.threads[app], &scaled.threads[app]);
        if from != to {
            changes.push(change("threads", format!("threads of '{name}' {from:?} -> {to:?}")));
        }
        let (from, to) = (&shape.data[app], &scaled.data[app]);
        if from != to {
            changes.push(change("data", format!("data of '{name}' {from} -> {to}")));
        }
    }
    changes
}

/// The study of the scenarios that run. `host`: some of them were scaled to it, and all of them use its nodes.
pub(super) fn of_plan(
    study: &Study,
    ran: &[&Shape],
    host: Option<&HostTopology>,
    host_machine: Option<&Machine>,
) -> Result<Study, PlanError> {
    let machine = match (host_machine, host) {
        (Some(machine), _) => machine.clone(),
        (None, Some(host)) => on_host(&study.machine, host)?,
        (None, None) => study.machine.clone(),
    };
    let nodes = machine.node_count();
    let map = fold(&cores(&study.machine), &cores(&machine));
    let apps = study.apps.iter().map(|app| {
        let data = default_data(app, &study.machine, &machine, &map);
        let nodes = app.nodes.as_ref().map(|nodes| folded_nodes(nodes, &map));
        App { data, nodes, ..app.clone() }
    });
    let scenarios = ran.iter().map(|shape| {
        let rows: Vec<Vec<u32>> = shape
            .threads
            .iter()
            .map(|row| (0..nodes).map(|node| row.get(node).copied().unwrap_or(0)).collect())
            .collect();
        // Lists of L3 domains, if the machine has the same number on each node.
        let same = |(node, list): (&Node, &Vec<u32>)| node.domains() == list.len();
        let is_of_machine = |per_l3: &&PerDomain| {
            per_l3.iter().all(|list| list.len() == nodes && machine.nodes().iter().zip(list).all(same))
        };
        let by_domain = shape.per_l3.as_ref().filter(is_of_machine).cloned();
        let allocation =
            by_domain.and_then(Allocation::from_domains).or_else(|| Allocation::from_rows(&rows));
        let allocation = allocation.unwrap_or_else(|| Allocation::empty(rows.len(), nodes));
        allocation
            .fits(&machine)
            .map_err(|why| PlanError::Study(format!("scenario '{}': {why}", shape.name)))?;
        let own = shape.threads.first().map_or(nodes, Vec::len);
        let data = shape.data.iter().map(|data| Data::Placed(on_nodes(data, own, nodes)));
        let (name, static_work) = (shape.name.clone(), shape.static_work);
        Ok(Scenario { name, allocation, data: data.collect(), smt: shape.smt.clone(), static_work })
    });
    Ok(Study { apps: apps.collect(), scenarios: scenarios.collect::<Result<_, _>>()?, machine })
}

/// The default data placement of an application without an override in a scenario.
fn default_data(app: &App, from: &Machine, to: &Machine, map: &[NodeId]) -> Data {
    let Data::Placed(placement) = &app.data else { return app.data.clone() };
    if from.node_count() == to.node_count() {
        return app.data.clone();
    }
    Data::Placed(folded(placement, map, to.node_count()))
}

fn cores(machine: &Machine) -> Vec<u32> {
    machine.nodes().iter().map(|node| node.cores).collect()
}

/// The same places on a machine with another number of nodes; removed entries were unused.
fn on_nodes(data: &Placement, from: usize, nodes: usize) -> Placement {
    let shares = match data {
        Placement::Interleave if from != nodes => &vec![1.0 / from as f64; from],
        Placement::Fractions(shares) if from != nodes => shares,
        other => return other.clone(),
    };
    Placement::Fractions((0..nodes).map(|node| shares.get(node).copied().unwrap_or(0.0)).collect())
}

/// Nodes and cores of the host with the values of the file: each node has those of the first node that is folded onto it, or else those of
/// the previous node.
fn on_host(file: &Machine, host: &HostTopology) -> Result<Machine, PlanError> {
    let there: Vec<u32> = host.nodes.iter().map(|node| node.cores).collect();
    let map = fold(&cores(file), &there);
    let mut of: Vec<NodeId> = Vec::new();
    for (node, &cores) in there.iter().enumerate() {
        let folded = map.iter().position(|to| to.0 == node).map(NodeId);
        let with_cores = file.compute_nodes().next().unwrap_or(NodeId(0));
        let before = of.last().copied().unwrap_or(with_cores);
        let stand_in = if cores > 0 && file.node(before).cores == 0 { with_cores } else { before };
        of.push(folded.unwrap_or(stand_in));
    }
    let nodes = of.iter().zip(&host.nodes).map(|(&node, there)| {
        let (figures, cores) = (file.node(node), there.cores);
        let cores_per_l3 = host.cores_per_l3(there);
        let l3_bandwidth = figures.l3_bandwidth.filter(|_| cores_per_l3.is_some());
        let peak = if cores > 0 { figures.gflops_per_core } else { Gflops::new(0.0) };
        // The memory sizes in the file do not apply to this host, except that a node without memory stays so.
        let memory = figures.memory.filter(|_| !figures.has_memory());
        Node { cores, gflops_per_core: peak, memory, cores_per_l3, l3_bandwidth, ..*figures }
    });
    let mut links = Vec::new();
    for &from in &of {
        for &to in &of {
            // Two nodes with the values of one have no link in the file: use its fastest link, or its memory.
            let beside = || {
                file.node_ids()
                    .filter_map(|other| file.link(from, other))
                    .max_by(|a, b| a.value().total_cmp(&b.value()))
            };
            links.push(file.link(from, to).or_else(beside).unwrap_or(file.node(from).bandwidth));
        }
    }
    let source = format!("nodes and cores of {}, figures of {}", host.name, file.name());
    let shared_links = file.shared_links().iter().filter_map(|link| folded_link(link, &map));
    let second = host.has_second_threads() && file.threads_per_core() > 1;
    let machine = Machine::new(format!("{} on {}", file.name(), host.name), nodes.collect(), links);
    machine
        .and_then(|machine| machine.with_shared_links(shared_links.collect()))
        .map_err(|why| PlanError::Study(why.to_string()))?
        .with_source(Some(source))
        .with_sharing(*file.sharing())
        .with_smt(second)
        .with_os_nodes(host.os_nodes(second))
        .map_err(|why| PlanError::Study(why.to_string()))
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The scenario that was changed.
    pub scenario: String,
    /// The stable code for files and scripts.
    pub code: &'static str,
    /// The change, without the name of the scenario.
    pub words: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folds(cores: &[u32], there: &[u32]) -> Vec<usize> {
        fold(cores, there).into_iter().map(|node| node.0).collect()
    }

    #[test]
    fn neighbours_stay_together() {
        assert_eq!(folds(&[20; 4], &[8; 2]), [0, 0, 1, 1]);
        assert_eq!(folds(&[20; 4], &[8]), [0, 0, 0, 0]);
        // floor(i x 2 / 5): 0, 0.4, 0.8, 1.2, 1.6
        assert_eq!(folds(&[1; 5], &[8; 2]), [0, 0, 0, 1, 1]);
        assert_eq!(folds(&[1; 2], &[8; 4]), [0, 1]);
    }

    #[test]
    fn memory_only_nodes_fold_onto_memory_only_nodes_if_any() {
        assert_eq!(folds(&[4, 4, 4, 4, 0], &[8, 8, 0]), [0, 0, 1, 1, 2]);
        assert_eq!(folds(&[4, 0], &[8, 8]), [0, 0]);
        // The host numbers a memory-only node between the others.
        assert_eq!(folds(&[4, 4], &[8, 0, 8, 0]), [0, 2]);
    }

    #[test]
    fn threads_are_scaled_by_the_largest_remainder_with_at_least_one_each() {
        // 20 threads on 10 cores: 0.5, 0.5, 0.5, 8.5 -> every application keeps one: 1, 1, 1, and 7 are left.
        assert_eq!(share(&[1, 1, 1, 17], 10), Some(vec![1, 1, 1, 7]));
        // 12 on 8: 3.33, 3.33, 1.33 -> 3, 3, 1 and one more to the first of equal remainders.
        assert_eq!(share(&[5, 5, 2], 8), Some(vec![4, 3, 1]));
        assert_eq!(share(&[3, 0, 1], 8), Some(vec![3, 0, 1]));
        assert_eq!(share(&[3, 0, 5], 2), Some(vec![1, 0, 1]));
        assert_eq!(share(&[1, 1, 1], 2), None);
    }

    #[test]
    fn scaled_counts_always_sum_to_the_cores() {
        for a in 0..9_u32 {
            for b in 0..9 {
                for c in 0..9 {
                    for cores in 3..10 {
                        let got = share(&[a, b, c], cores).expect("three applications, three cores");
                        assert_eq!(got.iter().sum::<u32>(), cores.min(a + b + c), "{a} {b} {c} on {cores}");
                        assert!(
                            got.iter().zip([a, b, c]).all(|(&got, had)| got <= had && (got > 0) == (had > 0))
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn shared_links_follow_their_folded_nodes() {
        let link = |from: &[usize], to: &[usize]| SharedLink {
            name: "xGMI".to_owned(),
            bandwidth: numasim_model::units::GigabytesPerSecond::new(60.0),
            from: from.iter().copied().map(NodeId).collect(),
            to: to.iter().copied().map(NodeId).collect(),
            both_ways: true,
        };
        let map = fold(&[4; 8], &[8; 2]);
        assert_eq!(folded_link(&link(&[0, 1, 2, 3], &[4, 5, 6, 7]), &map), Some(link(&[0], &[1])));
        // Nodes 3 and 4 are on different nodes of the host, 0 and 1 on the same.
        assert_eq!(folded_link(&link(&[0], &[1]), &map), None);
    }

    #[test]
    fn data_moves_with_its_nodes() {
        let map = fold(&[4; 4], &[8; 2]);
        let moved = |data| folded(&data, &map, 2);
        assert_eq!(moved(Placement::Home(NodeId(3))), Placement::Home(NodeId(1)));
        assert_eq!(moved(Placement::Interleave), Placement::Interleave);
        assert_eq!(
            moved(Placement::Fractions(vec![0.5, 0.25, 0.125, 0.125])),
            Placement::Fractions(vec![0.75, 0.25])
        );
        // Two of four nodes receive folded nodes.
        let wide = fold(&[4; 2], &[2; 4]);
        let expected = Placement::Fractions(vec![0.5, 0.5, 0.0, 0.0]);
        assert_eq!(folded(&Placement::Interleave, &wide, 4), expected);
    }
}
