//! The layout of a pool: the number of workers on each node, their binding, and the distances between nodes.

use numasim_host::affinity::{AffinityError, allowed};
use numasim_host::system::System;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;

/// The binding of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bind {
    /// None: the operating system moves it freely.
    None,
    /// The logical CPUs of its node.
    #[default]
    Node,
    /// One core: worker i of a node has its core i mod cores.
    Core,
}

/// A worker of a pool. Workers are numbered across the nodes: the first of each node in node order, then the second of each, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub usize);

/// A NUMA node of the pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoolNode {
    /// Workers here; any number.
    pub workers: usize,
    /// Number of cores of the node; it determines the numbering of [`crate::Order::Cores`].
    pub cores: usize,
    /// Logical CPUs by the numbers of the operating system, the first one of each core first; `None` binds nothing here.
    pub cpus: Option<CpuList>,
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    nodes: Vec<PoolNode>,
    bind: Bind,
    /// `distances[from][to]`, in any unit: the kernel reports 10 for the local node.
    distances: Vec<Vec<u32>>,
}

/// Why a layout is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// No worker could ever run a task.
    #[error("a pool needs a worker: none of its {0} nodes has one")]
    NoWorker(usize),
    /// A table of another size.
    #[error("the distances of {nodes} nodes are {nodes} rows of {nodes} numbers")]
    Distances {
        /// Nodes of the layout.
        nodes: usize,
    },
}

impl Layout {
    /// Workers on one node that are bound to nothing.
    ///
    /// # Errors
    /// [`LayoutError::NoWorker`].
    pub fn unbound(workers: usize) -> Result<Self, LayoutError> {
        Self::new(vec![PoolNode { workers, cores: workers, cpus: None }], Bind::None)
    }

    /// These nodes, with equal distances.
    ///
    /// # Errors
    /// [`LayoutError::NoWorker`].
    pub fn new(nodes: Vec<PoolNode>, bind: Bind) -> Result<Self, LayoutError> {
        if nodes.iter().all(|node| node.workers == 0) {
            return Err(LayoutError::NoWorker(nodes.len()));
        }
        let distance = |from: usize, to: usize| if from == to { 10 } else { 20 };
        let row = |from| (0..nodes.len()).map(|to| distance(from, to)).collect();
        let distances = (0..nodes.len()).map(row).collect();
        Ok(Self { nodes, bind, distances })
    }

    /// The same with these distances, a row for each node from which a worker searches (as in `/sys/devices/system/node`).
    ///
    /// # Errors
    /// [`LayoutError::Distances`].
    pub fn with_distances(self, distances: Vec<Vec<u32>>) -> Result<Self, LayoutError> {
        let nodes = self.nodes.len();
        if distances.len() != nodes || distances.iter().any(|row| row.len() != nodes) {
            return Err(LayoutError::Distances { nodes });
        }
        Ok(Self { distances, ..self })
    }

    /// The nodes.
    pub fn nodes(&self) -> &[PoolNode] {
        &self.nodes
    }

    /// The binding of workers.
    pub fn bind(&self) -> Bind {
        self.bind
    }

    /// Workers on each node.
    pub fn workers(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.workers).collect()
    }

    /// All workers of a node, in the order of its cores.
    pub fn workers_of(&self, node: NodeId) -> Vec<WorkerId> {
        let places = self.places();
        (0..places.len()).filter(|&worker| places[worker].node == node.0).map(WorkerId).collect()
    }

    /// The node of each worker, and its index among the workers of the node, in the order of [`WorkerId`].
    pub(crate) fn places(&self) -> Vec<Place> {
        let most = self.nodes.iter().map(|node| node.workers).max().unwrap_or(0);
        let round = |index: usize| {
            let there = move |(_, node): &(usize, &PoolNode)| index < node.workers;
            self.nodes.iter().enumerate().filter(there).map(move |(node, _)| Place { node, index })
        };
        (0..most).flat_map(round).collect()
    }

    /// The nodes in the order in which a worker of `node` searches them: its node, then the nearest; ties in node order.
    pub(crate) fn nodes_from(&self, node: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        if let Some(row) = self.distances.get(node) {
            order.sort_by(|&a, &b| (a != node).cmp(&(b != node)).then(row[a].cmp(&row[b])).then(a.cmp(&b)));
        }
        order
    }

    /// The logical CPUs of a worker; `None` binds it to nothing.
    pub(crate) fn cpus(&self, place: Place) -> Option<CpuList> {
        let node = self.nodes.get(place.node)?;
        let cpus = node.cpus.as_ref()?;
        match self.bind {
            Bind::None => None,
            Bind::Node => Some(cpus.clone()),
            Bind::Core => {
                let cores = node.cores.clamp(1, cpus.as_slice().len());
                cpus.as_slice().get(place.index % cores).and_then(|&cpu| CpuList::new(vec![cpu]).ok())
            }
        }
    }
}

/// The place of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its node.
    pub(crate) node: usize,
    /// Its index among the node's workers.
    pub(crate) index: usize,
}

// The layout of the host: its nodes and cores that this process may use.

/// Why there is no layout of the host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The system does not report which logical CPUs this process may use; only Linux does.
    #[error(transparent)]
    Affinity(#[from] AffinityError),
    /// No core may be used.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

impl Layout {
    /// The NUMA nodes of this host in the order of the system. Each gets a worker for every core of which this process may use a logical
    /// CPU. Does not need hwloc: `/sys` provides the nodes and also the distances.
    ///
    /// # Errors
    /// Every variant of [`HostError`].
    pub fn of_this_host(bind: Bind) -> Result<Self, HostError> {
        let found = System::host().node_cores(&allowed()?);
        let nodes = found.iter().map(|node| {
            let cores = node.cores.len();
            // The first logical CPU of each core, then the second ones.
            let most = node.cores.iter().map(Vec::len).max().unwrap_or(0);
            let round = |thread: usize| node.cores.iter().filter_map(move |core| core.get(thread).copied());
            let cpus = CpuList::new((0..most).flat_map(round).collect()).ok();
            PoolNode { workers: cores, cores, cpus }
        });
        let layout = Self::new(nodes.collect(), bind)?;
        let row = |number: u32| {
            let path = format!("/sys/devices/system/node/node{number}/distance");
            numbers(&std::fs::read_to_string(path).unwrap_or_default())
        };
        // If the system does not report distances, all nodes get equal ones.
        let table = found.iter().map(|node| row(node.number)).collect();
        Ok(layout.clone().with_distances(table).unwrap_or(layout))
    }

    /// The same nodes with this number of workers on each; missing entries at the end of the list are 0.
    ///
    /// # Errors
    /// [`LayoutError::NoWorker`].
    pub fn with_workers(mut self, workers: &[usize]) -> Result<Self, LayoutError> {
        for (place, node) in self.nodes.iter_mut().enumerate() {
            node.workers = workers.get(place).copied().unwrap_or(0);
        }
        if self.nodes.iter().all(|node| node.workers == 0) {
            return Err(LayoutError::NoWorker(self.nodes.len()));
        }
        Ok(self)
    }
}

fn numbers(text: &str) -> Vec<u32> {
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_core_that_may_be_used_has_a_worker() {
        let layout = Layout::of_this_host(Bind::Core).expect("Linux tells");
        let cores: usize = layout.nodes().iter().map(|node| node.cores).sum();
        assert_eq!(layout.workers().iter().sum::<usize>(), cores);
        let allowed = allowed().expect("Linux tells");
        let cpus = layout.nodes().iter().filter_map(|node| node.cpus.as_ref());
        let mut cpus: Vec<u32> = cpus.flat_map(|list| list.as_slice().to_vec()).collect();
        cpus.sort_unstable();
        assert_eq!(cpus, allowed);
    }

    #[test]
    fn other_numbers_of_workers_need_one_in_all() {
        let layout = Layout::of_this_host(Bind::Node).expect("Linux tells");
        let nodes = layout.nodes().len();
        assert_eq!(layout.clone().with_workers(&[3]).expect("a layout").workers()[0], 3);
        assert_eq!(layout.with_workers(&[]), Err(LayoutError::NoWorker(nodes)));
    }

    #[test]
    fn distances_are_numbers_between_spaces() {
        assert_eq!(numbers("10 21\n"), [10, 21]);
        assert_eq!(numbers(""), [0_u32; 0]);
    }
}

// Why an order cannot be followed.

/// Why an order cannot be followed. The previous one stays in force.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// More threads than exist.
    #[error("{ordered} threads are ordered, there are {threads}")]
    TooMany {
        /// Ordered.
        ordered: usize,
        /// Workers of the pool.
        threads: usize,
    },
    /// More threads than a node has.
    #[error("{ordered} threads are ordered on {node}, which has {threads}")]
    TooManyOnNode {
        /// The node.
        node: NodeId,
        /// Ordered.
        ordered: usize,
        /// Workers there.
        threads: usize,
    },
    /// Another number of nodes.
    #[error("the order is for {ordered} nodes, there are {nodes}")]
    NodeCount {
        /// Nodes of the order.
        ordered: usize,
        /// Nodes of the pool.
        nodes: usize,
    },
    /// A core that does not exist.
    #[error("core {core} is ordered, there are {cores} (0 is the first)")]
    UnknownCore {
        /// Its number.
        core: usize,
        /// Cores of all nodes.
        cores: usize,
    },
}

#[cfg(test)]
mod host_tests {
    use super::*;

    fn node(workers: usize, cores: usize, cpus: &str) -> PoolNode {
        PoolNode { workers, cores, cpus: Some(CpuList::parse(cpus).expect("a list")) }
    }

    #[test]
    fn workers_are_numbered_round_the_nodes() {
        let layout = Layout::new(vec![node(1, 2, "0-1"), node(3, 2, "2-3")], Bind::Core).expect("a layout");
        let places: Vec<_> = layout.places().iter().map(|place| (place.node, place.index)).collect();
        assert_eq!(places, [(0, 0), (1, 0), (1, 1), (1, 2)]);
        assert_eq!(layout.workers_of(NodeId(1)), [1, 2, 3].map(WorkerId));
        assert_eq!(layout.workers_of(NodeId(2)), []);
    }

    #[test]
    fn a_third_worker_on_two_cores_shares_the_first() {
        let layout = Layout::new(vec![node(3, 2, "4-7")], Bind::Core).expect("a layout");
        let cpus: Vec<_> = layout.places().into_iter().map(|place| layout.cpus(place)).collect();
        let cpu = |number| CpuList::new(vec![number]).ok();
        assert_eq!(cpus, [cpu(4), cpu(5), cpu(4)]);
    }

    #[test]
    fn the_nearest_node_comes_after_the_own_one() {
        let nodes = vec![node(1, 1, "0"), node(1, 1, "1"), node(1, 1, "2")];
        let layout = Layout::new(nodes, Bind::Node).expect("a layout");
        // Node 1 is nearer to 2 than to 0, and a table may claim that other nodes are nearer than the local one.
        let far = vec![vec![10, 21, 31], vec![21, 30, 16], vec![31, 16, 10]];
        let layout = layout.with_distances(far).expect("a table");
        assert_eq!(layout.nodes_from(1), [1, 2, 0]);
        assert_eq!(layout.nodes_from(0), [0, 1, 2]);
    }

    #[test]
    fn a_pool_without_workers_and_a_table_of_another_size_are_refused() {
        assert_eq!(Layout::unbound(0), Err(LayoutError::NoWorker(1)));
        let table = Layout::unbound(1).expect("a layout").with_distances(vec![]);
        assert_eq!(table, Err(LayoutError::Distances { nodes: 1 }));
    }
}
