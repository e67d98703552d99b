//! Reads `[machine]`.

use numasim_model::ids::NodeId;
use numasim_model::machine::{Machine, Node, SharedLink};
use numasim_model::units::{Gflops, GigabytesPerSecond};

use super::bandwidth;
use super::kernel_variants;
use super::keys::machine as keys;
use super::node_limits::{self, NodeLimits};
use super::nodes;
use super::pairs;
use super::problem::{Problem, ProblemKind};
use super::provenance;
use super::shared_links;
use super::sharing;
use super::sockets::{self, SocketsReading};
use super::table::TableReader;

const DISTANCES: &str = "write one row for each node as `numactl --hardware` prints it, e.g. `[[10, 21], [21, 10]]`: row = node of the core, column = node of the memory";

/// What could be read of a machine. Even a broken one may tell how many cores each node has.
#[derive(Default)]
pub struct MachineReading {
    pub(super) machine: Option<Machine>,
    /// Cores of each node, if they are clear.
    pub cores: Option<Vec<u32>>,
    /// The nodes that say that they have no memory.
    pub(super) without_memory: Vec<NodeId>,
    /// How many sockets the file says it has.
    pub(super) sockets: Option<usize>,
}

impl MachineReading {
    /// How many nodes there are, if that is clear.
    pub fn nodes(&self) -> Option<usize> {
        self.cores.as_ref().map(Vec::len)
    }

    /// Cores of each node that has any, in order, if that is clear.
    pub fn cores_of_sockets(&self) -> Option<Vec<u32>> {
        let cores = self.cores.as_ref()?.iter().copied();
        Some(cores.filter(|&cores| cores > 0).collect())
    }
}

pub(super) fn read(mut table: TableReader<'_>) -> MachineReading {
    let log = table.source.log;
    let name = table.required(&keys::NAME).and_then(|value| value.name());
    let source = table.optional(&keys::SOURCE);
    let limits = NodeLimits::read(&mut table).unwrap_or_default();
    let nodes = nodes::read(&mut table);
    let (cores, without_memory) = (nodes.cores(), nodes.without_memory());
    let sockets = sockets::read(&mut table, nodes.count);
    let bandwidth = bandwidth::read(&mut table, nodes.count, cores.as_deref(), &without_memory, &sockets);
    let shared_links = shared_links::read(&mut table, nodes.count).map(|links| {
        let of_sockets = match &sockets {
            SocketsReading::Read(sockets) => sockets.shared_links(),
            SocketsReading::Absent | SocketsReading::Broken => Vec::new(),
        };
        [of_sockets, links].concat()
    });
    let (has_latencies, latencies) =
        sharing::read_latencies(&mut table, nodes.count, cores.as_deref(), &without_memory);
    let model = sharing::read(&mut table, has_latencies);
    let distances = table
        .optional(&keys::DISTANCE_MATRIX)
        .map(|matrix| pairs::read(&matrix, DISTANCES, nodes.count, cores.as_deref(), &[]));
    let provenance = provenance::read(&mut table);
    let variants = kernel_variants::read(&mut table);

    let shown = name.unwrap_or_default();
    shown.clone_into(&mut table.name);
    match &source {
        Some(value) => {
            value.string();
        }
        None => table.note(&keys::SOURCE, keys::SOURCE.default),
    }
    let of_nodes: Vec<Option<NodeLimits>> =
        nodes.figures.iter().map(|node| node.as_ref().map(|node| node.limits.clone())).collect();
    node_limits::note_defaults(log, shown, &limits, &of_nodes);
    node_limits::check_caches(&table, &limits, &of_nodes);
    let caches: Vec<_> = of_nodes.iter().flatten().map(|own| own.or(&limits).cache()).collect();
    let machine = assemble(&table, name, &limits, &nodes, bandwidth, shared_links).map(|machine| {
        let source = source.as_ref().and_then(|value| value.get().as_str()).map(str::to_owned);
        let machine = machine
            .with_source(source)
            .with_provenance(provenance)
            .with_sharing(model)
            .with_kernel_variants(variants);
        let machine = with(machine, latencies, Machine::with_latencies_ns);
        let machine = with(machine, distances.flatten(), Machine::with_distances);
        let said = caches.iter().any(Option::is_some);
        with(machine, said.then(|| caches.into_iter().map(Option::flatten).collect()), Machine::with_caches)
    });
    table.finish();
    let sockets = match sockets {
        SocketsReading::Read(sockets) => Some(sockets.count),
        SocketsReading::Absent | SocketsReading::Broken => None,
    };
    MachineReading { machine, cores, without_memory, sockets }
}

/// The machine with a part that was read, which has the right shape.
fn with<T, E>(machine: Machine, part: Option<T>, add: fn(Machine, T) -> Result<Machine, E>) -> Machine {
    part.and_then(|part| add(machine.clone(), part).ok()).unwrap_or(machine)
}

fn assemble(
    table: &TableReader<'_>,
    name: Option<&str>,
    limits: &NodeLimits,
    nodes: &nodes::NodesReading,
    bandwidth: Option<bandwidth::Bandwidth>,
    shared_links: Option<Vec<SharedLink>>,
) -> Option<Machine> {
    let figures: Vec<nodes::NodeFigures> = nodes.figures.iter().cloned().collect::<Option<_>>()?;
    let (bandwidth, shared_links) = (bandwidth?, shared_links?);
    let parts = figures
        .iter()
        .zip(&bandwidth.controllers)
        .map(|(node, &controller)| {
            let mut read = Node {
                cores: node.cores,
                gflops_per_core: Gflops::new(node.gflops_per_core),
                bandwidth: GigabytesPerSecond::new(controller),
                ..Node::default()
            };
            node.limits.or(limits).put(&mut read);
            read
        })
        .collect();
    let links = bandwidth.links.into_iter().map(GigabytesPerSecond::new).collect();
    if figures.is_empty() {
        return None;
    }
    let refuse = |error: String, hint: &str| {
        let problem = Problem::new(ProblemKind::BadValue, error);
        table.source.log.report(problem.at(table.place(), "in this machine").hint(hint));
    };
    let cores_hint = "give at least one node a core";
    let machine = Machine::new(name?, parts, links)
        .inspect_err(|error| refuse(error.to_string(), cores_hint))
        .ok()?
        .with_shared_links(shared_links)
        .inspect_err(|error| {
            // Names and groups of the file were checked; only a name of `sockets` can be taken.
            refuse(
                error.to_string(),
                "give it another name: `shared_link_gbs` makes a shared link for each pair of sockets",
            );
        })
        .ok()?;
    if nodes.os_nodes.is_empty() {
        return Some(machine);
    }
    let named = machine.with_os_nodes(nodes.os_nodes.clone());
    named.inspect_err(|error| refuse(error.to_string(), cores_hint)).ok()
}
