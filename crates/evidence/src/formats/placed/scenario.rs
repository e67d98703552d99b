//! Placed applications on a machine, as `[[app]]` tables and a `[[scenario]]`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use numasim_model::allocation::OnNode;
use numasim_model::app::{Data, Placement, Smt};
use numasim_model::units::{FlopPerByte, Gibibytes};
use numasim_model::{App, Machine, NodeId};
use numasim_study::keys::app;
use numasim_study::writing::study::{Counted, placement};
use numasim_study::writing::{Lines, float, quoted};
use numasim_study::{Problem, ProblemKind};

use super::{Memory, Placed, Threads, shown};

/// The machine and the names that a person gives with the files.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The machine.
    pub machine: &'a Machine,
    /// Applications described by other files; they get no table.
    pub apps: &'a [App],
    /// The name of the scenario.
    pub scenario: &'a str,
    /// Names of the input files, for a comment.
    pub source: &'a str,
}

/// The position of a logical CPU.
#[derive(Clone, Copy)]
struct Spot {
    node: usize,
    domain: usize,
    /// The core, as an index into the list of the node.
    core: usize,
}

/// The text of tables.
///
/// # Errors
/// Two applications with one name, logical CPUs and nodes that the machine does not have or does not name,
/// threads that may run on several nodes, two threads on one logical CPU.
pub fn study(found: &[Placed], given: Given<'_>) -> Result<String, Problem> {
    let spots = spots(given.machine);
    let mut names = HashSet::new();
    let mut lines = Lines::default();
    lines.comment(given.source);
    let (mut apps, mut threads, mut placements, mut smt) =
        (given.apps.to_vec(), Vec::new(), Vec::new(), Vec::new());
    threads.resize(apps.len(), vec![OnNode::Threads(0); given.machine.node_count()]);
    placements.extend(apps.iter().map(|app| app.data.placement().cloned().unwrap_or(Placement::Local)));
    smt.extend(apps.iter().map(|app| if app.smt == Smt::Any { Smt::One } else { app.smt }));
    let mut users: HashMap<u32, &str> = HashMap::new();
    for placed in found {
        let wrong =
            |why: String| Problem::new(ProblemKind::BadValue, why).at(placed.place.clone(), "this one");
        if placed.name.trim().is_empty() || placed.name.chars().any(numasim_model::text::is_hidden) {
            return Err(wrong(format!("'{}' is no name of an application", shown(&placed.name))));
        }
        if !names.insert(placed.name.as_str()) {
            return Err(wrong(format!("two of them are called '{}'", shown(&placed.name))));
        }
        let own = Own::of(placed, given.machine, &spots).map_err(wrong)?;
        for cpu in own.cpus {
            if let Some(other) = users.insert(cpu, &placed.name).filter(|other| *other != placed.name) {
                let message =
                    format!("'{}' and '{}' are both on processor {cpu}", shown(other), shown(&placed.name));
                return Err(
                    wrong(message).hint("numasim gives each core to one application; leave one of them out")
                );
            }
        }
        let (data, note) = data(placed, &own.nodes, given.machine).map_err(wrong)?;
        if let Some(known) = apps.iter().position(|app| app.name == placed.name) {
            (threads[known], placements[known], smt[known]) = (own.threads, data, own.smt);
            if let Some(note) = note {
                lines.comment(format_args!("{}: {note}", placed.name));
            }
            continue;
        }
        let app = App {
            smt: own.smt,
            ranks: placed.ranks,
            memory: placed.memory_mib.map(|mib| Gibibytes::new(mib as f64 / 1024.0)),
            ..App::new(placed.name.clone(), FlopPerByte::new(1.0), Data::Placed(data.clone()))
        };
        write_app(&mut lines, &app, note.as_deref());
        apps.push(app);
        threads.push(own.threads);
        placements.push(data);
        smt.push(own.smt);
    }
    let scenario = Counted {
        name: given.scenario,
        apps: &apps,
        threads: &threads,
        placements: &placements,
        smt: &smt,
        static_work: false,
    };
    Ok(format!("{}\n{}", lines.text(), scenario.toml().trim_start()))
}

fn write_app(lines: &mut Lines, of: &App, note: Option<&str>) {
    lines.table(&app::TABLE);
    lines.put(&app::NAME, quoted(&of.name));
    lines.open(&app::ARITHMETIC_INTENSITY, "  # FLOP per byte: numasim profile-app measures it");
    if let Some(note) = note {
        lines.comment(note);
    }
    if let Some(data) = of.data.placement() {
        lines.put(&app::DATA, placement(data));
    }
    if of.smt == Smt::Both {
        lines.put(&app::SMT, quoted(of.smt.as_str()));
        lines.open(&app::SMT_SPEEDUP, "  # 1.0 to 2.0: numasim calibrate --smt measures it");
    }
    lines.maybe(&app::RANKS, (of.ranks > 1).then_some(of.ranks));
    lines.maybe(&app::MEMORY_GIB, of.memory.map(|memory| float(memory.value())));
}

/// Each logical CPU of the machine.
fn spots(machine: &Machine) -> HashMap<u32, Spot> {
    let mut spots = HashMap::new();
    for id in machine.compute_nodes() {
        let node = machine.node(id);
        let list = machine.os_nodes().get(id.0).and_then(|os| os.cpus.as_ref());
        for (place, &cpu) in list.map_or(&[][..], |list| list.as_slice()).iter().enumerate() {
            // Second hardware threads follow the first ones, in the same order.
            let core = place % node.cores.max(1) as usize;
            let domain = core / node.domain_cores().max(1) as usize;
            spots.insert(cpu, Spot { node: id.0, domain, core });
        }
    }
    spots
}

/// The threads of one application.
struct Own {
    threads: Vec<OnNode>,
    smt: Smt,
    nodes: Vec<NodeId>,
    /// Logical CPUs, each of which belongs to one thread.
    cpus: BTreeSet<u32>,
}

impl Own {
    fn of(placed: &Placed, machine: &Machine, spots: &HashMap<u32, Spot>) -> Result<Self, String> {
        let name = shown(&placed.name);
        let of_cpu = |cpu: u32| {
            spots.get(&cpu).copied().ok_or_else(|| {
                format!("processor {cpu} of '{name}' is on no node of the machine (`cpus`, or --cpus-from)")
            })
        };
        // Threads on each node and domain, and the number of cores that they use.
        let mut counts: Vec<Vec<u32>> = machine.nodes().iter().map(|node| vec![0; node.domains()]).collect();
        let mut knows_domains = true;
        let mut on_core: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let mut cpus = BTreeSet::new();
        let mut counts_hidden = false;
        for threads in &placed.threads {
            match threads {
                Threads::On(set) => {
                    let all = set.iter().map(|&cpu| of_cpu(cpu)).collect::<Result<Vec<Spot>, String>>()?;
                    let Some(first) = all.first() else { continue };
                    if all.iter().any(|spot| spot.node != first.node) {
                        return Err(format!("a thread of '{name}' may run on several nodes"));
                    }
                    counts[first.node][first.domain] += 1;
                    knows_domains &= all.iter().all(|spot| spot.domain == first.domain);
                    if all.iter().all(|spot| spot.core == first.core) {
                        *on_core.entry((first.node, first.core)).or_default() += 1;
                    }
                    if let [only] = set.as_slice()
                        && !cpus.insert(*only)
                    {
                        return Err(format!("two threads of '{name}' are on processor {only}"));
                    }
                }
                Threads::OfNode { node, threads } => {
                    let number = node_of(machine, *node)
                        .filter(|id| machine.node(*id).cores > 0)
                        .ok_or_else(|| {
                            format!(
                                "'{name}' is near node {node}, which the machine does not have (`os_node`)"
                            )
                        })?;
                    knows_domains &= machine.node(number).domains() == 1;
                    counts[number.0][0] = threads.saturating_add(counts[number.0][0]);
                    counts_hidden = true;
                }
                Threads::OfDomain { cpu, threads } => {
                    let spot = of_cpu(*cpu)?;
                    counts[spot.node][spot.domain] = threads.saturating_add(counts[spot.node][spot.domain]);
                    counts_hidden = true;
                }
            }
        }
        let smt = smt(&name, placed, machine, &on_core, counts_hidden)?;
        let nodes: Vec<NodeId> = counts
            .iter()
            .enumerate()
            .filter(|(_, domains)| domains.iter().any(|&count| count > 0))
            .map(|(n, _)| NodeId(n))
            .collect();
        let on_node = |domains: Vec<u32>| {
            if knows_domains && domains.len() > 1 && domains.iter().any(|&count| count > 0) {
                OnNode::Domains(domains)
            } else {
                OnNode::Threads(domains.iter().fold(0, |all: u32, &own| all.saturating_add(own)))
            }
        };
        Ok(Self { threads: counts.into_iter().map(on_node).collect(), smt, nodes, cpus })
    }
}

/// Whether it uses both hardware threads of its cores: all of them, or none.
fn smt(
    name: &str,
    placed: &Placed,
    machine: &Machine,
    on_core: &BTreeMap<(usize, usize), u32>,
    is_counted: bool,
) -> Result<Smt, String> {
    if machine.threads_per_core() < 2 {
        return Ok(Smt::One);
    }
    if is_counted {
        return Ok(if placed.counts_both { Smt::Both } else { Smt::One });
    }
    match (on_core.values().any(|&threads| threads == 1), on_core.values().any(|&threads| threads > 1)) {
        (true, true) => Err(format!(
            "'{name}' has both hardware threads of some of its cores and one of others, which no `smt` describes"
        )),
        (_, true) => Ok(Smt::Both),
        _ => Ok(Smt::One),
    }
}

/// A node by its operating system number.
fn node_of(machine: &Machine, number: u32) -> Option<NodeId> {
    let os = |id: &NodeId| machine.os_nodes().get(id.0).map_or(id.0 as u64, |os| u64::from(os.number));
    machine.node_ids().find(|id| os(id) == u64::from(number))
}

/// Its data placement, and the information that the file does not contain.
fn data(placed: &Placed, on: &[NodeId], machine: &Machine) -> Result<(Placement, Option<String>), String> {
    let nodes = |numbers: &[u32]| {
        let of = |&number: &u32| {
            node_of(machine, number).filter(|&node| machine.has_memory(node)).ok_or_else(|| {
                format!("the memory of '{}' is on node {number}, which the machine does not have or which has no memory", shown(&placed.name))
            })
        };
        numbers.iter().map(of).collect::<Result<Vec<NodeId>, String>>()
    };
    let local: HashSet<NodeId> = on.iter().map(|&node| machine.local_memory(node)).collect();
    match &placed.memory {
        Memory::FirstTouch => Ok((Placement::Local, None)),
        Memory::Bound(numbers) => {
            let nodes = nodes(numbers)?;
            match nodes.as_slice() {
                _ if nodes.iter().copied().collect::<HashSet<_>>() == local => Ok((Placement::Local, None)),
                [only] => Ok((Placement::Home(*only), None)),
                _ => {
                    let note =
                        "its memory may come from several nodes: the one of the thread that touches it first";
                    Ok((Placement::Local, Some(note.to_owned())))
                }
            }
        }
        Memory::Interleaved(numbers) => Ok((spread(&nodes(numbers)?, machine), None)),
        Memory::Weighted(numbers) => {
            let note = "the weights of its nodes are those of the host (/sys/kernel/mm/mempolicy/weighted_interleave): equal ones are assumed";
            Ok((spread(&nodes(numbers)?, machine), Some(note.to_owned())))
        }
    }
}

/// Data in equal shares on these nodes.
fn spread(nodes: &[NodeId], machine: &Machine) -> Placement {
    match nodes {
        [only] => Placement::Home(*only),
        _ if nodes.len() == machine.memory_count() => Placement::Interleave,
        _ => {
            let share = 1.0 / nodes.len() as f64;
            let of = |node: NodeId| if nodes.contains(&node) { share } else { 0.0 };
            Placement::Fractions(machine.node_ids().map(of).collect())
        }
    }
}
