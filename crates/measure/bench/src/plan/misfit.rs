//! The reasons why a scenario does not fit a host: typed, with both numbers.

use std::fmt;

use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::{Machine, OpenData, Placement, Smt, Study, pinning};
use numasim_study::topology::HostTopology;

use super::Shape;
use numasim_kernels::synthetic::KernelError;

/// One requirement of a scenario that the host does not meet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// Fewer NUMA nodes.
    #[error("it uses {}, but this host has {}", count(*.wanted as u64, "NUMA node"), count(*.there as u64, "NUMA node"))]
    Nodes {
        /// Number of the last node that is used, plus one.
        wanted: usize,
        /// Nodes of the host.
        there: usize,
    },
    /// Fewer cores on a node.
    #[error("{node} gets {}, but this host has {} usable there", count(*.wanted, "thread"), count(*.usable, "core"))]
    Cores {
        /// The node.
        node: NodeId,
        /// Threads on it.
        wanted: u64,
        /// Cores that this process may use.
        usable: u32,
    },
    /// A different number in the operating system.
    #[error(
        "{node} is NUMA node {file} of the operating system by the machine file, and NUMA node {there} on this host"
    )]
    OsNode {
        /// The node.
        node: NodeId,
        /// The number in the file.
        file: u32,
        /// The number on the host.
        there: u32,
    },
    /// L3 domains that limit their threads differ from those of the host.
    #[error(
        "the L3 domains of {node}, {file} cores each by the machine file, are not those of this host: {there}"
    )]
    Domains {
        /// The node.
        node: NodeId,
        /// Cores of each in the file.
        file: u32,
        /// The domains of the host.
        there: String,
    },
    /// One hardware thread on each core.
    #[error(
        "{node} is to use both hardware threads of its cores, but this host does not show two on each of them"
    )]
    HardwareThreads {
        /// The node.
        node: NodeId,
    },
    /// Logical CPUs that the node does not have, or that may not be used.
    #[error("{node} is to use the processors {missing}, but usable there are {usable} (one for each core)")]
    Cpus {
        /// The node.
        node: NodeId,
        /// Those of the machine file that are not usable.
        missing: String,
        /// Those of the host.
        usable: String,
    },
    /// Scaling would take the last thread of an application.
    #[error("{apps} applications share {node}, which has {}: at least one would be left without a thread", count(*.cores, "core"))]
    TooManyApps {
        /// The node of the host.
        node: NodeId,
        /// Applications on it, after folding.
        apps: usize,
        /// Cores that this process may use.
        cores: u32,
    },
    /// A share of the data that is spread over all nodes would be spread over other ones.
    #[error(
        "a share of the data of '{app}' is spread over all nodes of the file, which are {reached} of the {there} NUMA nodes of this host"
    )]
    SpreadShare {
        /// The application.
        app: String,
        /// Nodes of the host that received nodes of the file.
        reached: usize,
        /// Nodes of the host.
        there: usize,
    },
}

/// A scenario and all its misfits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioMisfits {
    /// Its name.
    pub scenario: String,
    /// Never empty.
    pub misfits: Vec<Misfit>,
}

impl fmt::Display for ScenarioMisfits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<String> = self.misfits.iter().map(ToString::to_string).collect();
        write!(f, "scenario '{}': {}", self.scenario, messages.join("; "))
    }
}

impl std::error::Error for ScenarioMisfits {}

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Scenarios do not fit the host.
    #[error("{} not fit this host", if .0.len() == 1 { "a scenario does".to_owned() } else { format!("{} scenarios do", .0.len()) })]
    Misfits(Vec<ScenarioMisfits>),
    /// The user has to choose the data placement first.
    #[error("scenario '{scenario}': {} ({}), and bench does not choose", .open.said_of(&format!("'{app}'")), .open.key())]
    OpenData {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
        /// The open choice.
        open: OpenData,
    },
    /// The benchmark does not support replicated data.
    #[error("scenario '{scenario}': the data of '{app}' is replicated, and bench keeps no copies")]
    Replicated {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
    },
    /// The user has to choose the hardware threads first.
    #[error("scenario '{scenario}': `smt` of '{app}' is open (smt = \"any\"), and bench does not choose")]
    OpenSmt {
        /// The scenario.
        scenario: String,
        /// The application.
        app: String,
    },
    /// No kernel has this form of computation.
    #[error("there is no kernel for '{app}': {why}")]
    Kernel {
        /// The application.
        app: String,
        /// The reason.
        why: KernelError,
    },
    /// The machine file that should describe this host does not match it.
    #[error("the machine '{machine}' is not this host: {difference}")]
    OtherHost {
        /// Name of the machine.
        machine: String,
        /// The difference.
        difference: String,
    },
    /// The study of the scenarios that ran contradicts itself.
    #[error("the scenarios that fit this host make no study: {0}")]
    Study(String),
}

/// "1 core", "2 cores".
fn count(number: impl fmt::Display + Into<u128> + Copy, what: &str) -> String {
    let plural = if number.into() == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// All misfits between a scenario and the host.
pub(super) fn find(shape: &Shape, study: &Study, host: &HostTopology) -> Vec<Misfit> {
    let machine = &study.machine;
    let there = host.nodes.len();
    let wanted = used_nodes(shape, machine.node_count()).last().map_or(0, |last| last + 1);
    let per_l3 = shape.allocation().per_l3(machine).into_owned();
    let mut misfits = Vec::new();
    if wanted > there {
        misfits.push(Misfit::Nodes { wanted, there });
    } else if let Some(app) = spread_share(shape).filter(|_| machine.node_count() != there) {
        let app = study.apps[app].name.clone();
        misfits.push(Misfit::SpreadShare { app, reached: machine.node_count(), there });
    }
    for (n, node) in host.nodes.iter().enumerate().take(wanted) {
        let id = NodeId(n);
        let threads = shape.on_node(n);
        if threads > u64::from(node.cores) {
            misfits.push(Misfit::Cores { node: id, wanted: threads, usable: node.cores });
        }
        let Some(file) = machine.os_nodes().get(n) else { continue };
        if file.number != node.os_index {
            misfits.push(Misfit::OsNode { node: id, file: file.number, there: node.os_index });
        }
        if machine.has_limited_domains() && threads > 0 && !same_domains(machine, host, n) {
            let cores = count(node.cores, "usable core");
            let there = match host.cores_per_l3(node) {
                Some(each) => format!("{cores} in domains of {each}"),
                None => format!("{cores} in one domain, or in such that are not equal"),
            };
            misfits.push(Misfit::Domains { node: id, file: machine.node(id).domain_cores(), there });
        }
        let (first, second) = (slice(node.cpus.as_ref()), slice(node.second_cpus.as_ref()));
        let both =
            shape.active().any(|app| shape.smt[app] == Smt::Both && shape.threads[app].get(n) > Some(&0));
        if both && second.is_empty() {
            misfits.push(Misfit::HardwareThreads { node: id });
        }
        let Some(list) = &file.cpus else { continue };
        // The cores of the threads: if domains are filled one by one, cores between them stay unused.
        let (own_first, own_second) =
            list.as_slice().split_at_checked(machine.node(id).cores as usize).unwrap_or_default();
        let taken = pinning::cores(machine, &per_l3, id);
        let asked = taken.iter().zip(&shape.smt).flat_map(|(cores, &smt)| {
            let lists = [own_first, if smt == Smt::Both { own_second } else { &[] }];
            lists.into_iter().flat_map(|list| cores.iter().filter_map(|&core| list.get(core)))
        });
        let usable = [first, if both { second } else { &[] }].concat();
        let missing: Vec<u32> = asked.copied().filter(|cpu| !usable.contains(cpu)).collect();
        // Without any usable core, the number of threads has been reported already.
        if !missing.is_empty() && !usable.is_empty() {
            misfits.push(Misfit::Cpus {
                node: id,
                missing: numasim_model::cpus::ranges(&missing),
                usable: numasim_model::cpus::ranges(&usable),
            });
        }
    }
    misfits
}

/// Whether the cores of each L3 domain of a node share an L3 cache of the host, and no others do.
fn same_domains(machine: &Machine, host: &HostTopology, node: usize) -> bool {
    let (own, there) = (machine.node(NodeId(node)), &host.nodes[node]);
    let in_domain = host.cores_per_l3(there).unwrap_or(there.cores);
    if own.cores != there.cores || own.domain_cores() != in_domain {
        return false;
    }
    let of_host = slice(there.cpus.as_ref());
    let of_file = slice(machine.os_nodes().get(node).and_then(|os_node| os_node.cpus.as_ref()));
    let domain_of =
        |cpu: &u32| Some(of_host.iter().position(|other| other == cpu)? / in_domain.max(1) as usize);
    let cores = &of_file[..of_file.len().min(own.cores as usize)];
    cores.chunks(in_domain.max(1) as usize).all(|domain| {
        let first = domain.first().and_then(domain_of);
        first.is_some() && domain.iter().all(|cpu| domain_of(cpu) == first)
    })
}

fn slice(cpus: Option<&CpuList>) -> &[u32] {
    cpus.map_or(&[], CpuList::as_slice)
}

/// An application with a share of its data spread over all nodes.
pub(super) fn spread_share(shape: &Shape) -> Option<usize> {
    shape.active().find(|&app| matches!(shape.data[app], Placement::PartInterleave { .. }))
}

/// Nodes of the machine file on which a scenario has threads or data, ascending.
fn used_nodes(shape: &Shape, nodes: usize) -> Vec<usize> {
    let mut used: Vec<usize> = (0..nodes).filter(|&node| shape.on_node(node) > 0).collect();
    for app in shape.active() {
        match &shape.data[app] {
            Placement::Local | Placement::Replicated => {}
            Placement::Home(home) | Placement::PartHome { home, .. } => used.push(home.0),
            Placement::Interleave | Placement::PartInterleave { .. } => used.extend(0..nodes),
            Placement::Fractions(shares) => used.extend((0..nodes).filter(|&node| shares[node] > 0.0)),
        }
    }
    used.sort_unstable();
    used.dedup();
    used
}

/// Rejects a machine that cannot be the host.
pub(super) fn machine_is_of_host(machine: &Machine, host: &HostTopology) -> Result<(), PlanError> {
    let refuse = |difference| PlanError::OtherHost { machine: machine.name().to_owned(), difference };
    if machine.node_count() != host.nodes.len() {
        let nodes = |number: usize| count(number as u64, "NUMA node");
        return Err(refuse(format!(
            "it has {}, but this host has {}",
            nodes(machine.node_count()),
            nodes(host.nodes.len())
        )));
    }
    for (id, node) in machine.node_ids().zip(&host.nodes) {
        let cores = machine.node(id).cores;
        if cores < node.cores {
            let (cores, usable) = (count(cores, "core"), count(node.cores, "core"));
            return Err(refuse(format!("{id} has {cores}, but this host has {usable} there")));
        }
    }
    Ok(())
}
