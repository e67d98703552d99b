//! The input of the partitioner: the graph of a window with the bytes between each two tasks, the nodes where tasks may go, and the cost
//! of a partition.

use numasim_model::{Machine, NodeId};

use crate::values::{TaskGraph, TaskId};

/// A neighbour of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Neighbour {
    /// The neighbouring task.
    pub(super) task: u32,
    /// Bytes between both.
    pub(super) bytes: f64,
}

/// An undirected graph of tasks, numbered from 0 in creation order; or of groups of tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowGraph {
    /// Index of the first neighbour of each task; one more at the end.
    starts: Vec<usize>,
    /// Neighbours of each task, by number.
    neighbours: Vec<Neighbour>,
    /// Weight of each task: 1, the number of tasks in a group, or its time.
    weights: Vec<u32>,
}

/// The weight of the longest task of a window, if the sum of all weights fits into 32 bits.
const LONGEST: f64 = 1000.0;

impl WindowGraph {
    /// The graph of `tasks` tasks with edges `(task, task, bytes)`. Edges of a pair are added up. Edges without bytes, self-edges and
    /// edges of non-existent tasks are ignored.
    pub fn new(tasks: usize, edges: &[(u32, u32, f64)]) -> Self {
        Self::weighted(vec![1; tasks], edges)
    }

    /// The same, with tasks weighted by their times, as whole fractions of the longest one; at least 1.
    pub fn timed(seconds: &[f64], edges: &[(u32, u32, f64)]) -> Self {
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        let most = LONGEST.min(f64::from(u32::MAX) / seconds.len().max(1) as f64);
        // At most 1000.
        let weight = |&seconds: &f64| (seconds / longest * most).round().max(1.0) as u32;
        Self::weighted(seconds.iter().map(weight).collect(), edges)
    }

    /// The same with groups of tasks instead of tasks.
    pub(super) fn weighted(weights: Vec<u32>, edges: &[(u32, u32, f64)]) -> Self {
        let count = weights.len();
        let is_one = |&&(from, to, bytes): &&(u32, u32, f64)| {
            from != to && (from.max(to) as usize) < count && bytes > 0.0 && bytes.is_finite()
        };
        let mut starts = vec![0_usize; count + 1];
        for &(from, to, _) in edges.iter().filter(is_one) {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for task in 0..count {
            starts[task + 1] += starts[task];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![Neighbour { task: 0, bytes: 0.0 }; starts[count]];
        for &(from, to, bytes) in edges.iter().filter(is_one) {
            for (one, other) in [(from, to), (to, from)] {
                let place = &mut next[one as usize];
                neighbours[*place] = Neighbour { task: other, bytes };
                *place += 1;
            }
        }
        let (starts, neighbours) = united(&starts, neighbours);
        Self { starts, neighbours, weights }
    }

    /// Number of tasks.
    pub fn task_count(&self) -> usize {
        self.weights.len()
    }

    /// Number of pairs of tasks with bytes between them.
    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Index of the first neighbour of each task (one more at the end), the neighbours, and the bytes to each: compressed sparse rows,
    /// the input format of other partitioners.
    pub fn adjacency(&self) -> (&[usize], Vec<u32>, Vec<f64>) {
        let all = self.neighbours.iter();
        (&self.starts, all.clone().map(|other| other.task).collect(), all.map(|other| other.bytes).collect())
    }

    /// All tasks in creation order.
    pub(super) fn tasks(&self) -> std::ops::Range<u32> {
        // Windows are parts of a graph of at most 10^7 tasks.
        0..u32::try_from(self.weights.len()).unwrap_or(u32::MAX)
    }

    /// The neighbours of a task by number.
    pub(super) fn neighbours(&self, task: u32) -> &[Neighbour] {
        let task = task as usize;
        &self.neighbours[self.starts[task]..self.starts[task + 1]]
    }

    /// Whether a task has any neighbour.
    pub(super) fn connected(&self, task: u32) -> bool {
        !self.neighbours(task).is_empty()
    }

    /// Weight of a task.
    pub(super) fn weight(&self, task: u32) -> u64 {
        u64::from(self.weights[task as usize])
    }

    /// Weight of all tasks together.
    pub(super) fn total_weight(&self) -> u64 {
        self.weights.iter().copied().map(u64::from).sum()
    }

    /// Weight of the heaviest task; 1 without any.
    pub(super) fn heaviest(&self) -> u64 {
        u64::from(self.weights.iter().copied().max().unwrap_or(1).max(1))
    }

    /// The graph of `members` alone, numbered in their order. `places` contains for each task its index in `members`, if it is a member.
    pub(super) fn part(&self, members: &[u32], places: &[Option<u32>]) -> Self {
        let mut starts = Vec::with_capacity(members.len() + 1);
        let mut neighbours = Vec::new();
        starts.push(0);
        for &member in members {
            neighbours.extend(self.neighbours(member).iter().filter_map(|neighbour| {
                places[neighbour.task as usize].map(|task| Neighbour { task, ..*neighbour })
            }));
            starts.push(neighbours.len());
        }
        let weights = members.iter().map(|&member| self.weights[member as usize]).collect();
        Self { starts, neighbours, weights }
    }
}

/// The same with one entry for each neighbour of a task, by number.
fn united(starts: &[usize], mut neighbours: Vec<Neighbour>) -> (Vec<usize>, Vec<Neighbour>) {
    let mut ends = Vec::with_capacity(starts.len());
    ends.push(0);
    let mut kept = 0;
    for range in starts.windows(2) {
        let start = kept;
        neighbours[range[0]..range[1]].sort_by_key(|neighbour| neighbour.task);
        for place in range[0]..range[1] {
            let neighbour = neighbours[place];
            if kept > start && neighbours[kept - 1].task == neighbour.task {
                neighbours[kept - 1].bytes += neighbour.bytes;
            } else {
                neighbours[kept] = neighbour;
                kept += 1;
            }
        }
        ends.push(kept);
    }
    neighbours.truncate(kept);
    (ends, neighbours)
}

// The nodes where tasks may go: nodes with cores, and their distances.

/// Distances of the local node and of other nodes if the firmware does not provide them (the values of ACPI's SLIT for the local node and
/// the usual one for others). Only whether they differ matters, not by how much.
const UNKNOWN: (f64, f64) = (10.0, 20.0);

/// A socket may have this much more than its share of the tasks.
const SPREAD: f64 = 0.05;

/// The nodes with cores of a machine, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sockets {
    nodes: Vec<NodeId>,
    cores: Vec<u32>,
    /// Row by row; symmetric.
    distances: Vec<f64>,
}

impl Sockets {
    /// Nodes of a machine, with the distances that its firmware reports; if the directions of a pair differ, their mean.
    pub fn of(machine: &Machine) -> Self {
        let nodes: Vec<NodeId> = machine.compute_nodes().collect();
        let cores = nodes.iter().map(|&node| machine.node(node).cores).collect();
        let mut distances = Vec::with_capacity(nodes.len() * nodes.len());
        for &from in &nodes {
            for &to in &nodes {
                let unknown = if from == to { UNKNOWN.0 } else { UNKNOWN.1 };
                let distance = |a, b| machine.distance(a, b).unwrap_or(unknown);
                distances.push(f64::midpoint(distance(from, to), distance(to, from)));
            }
        }
        Self { nodes, cores, distances }
    }

    /// Number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The node at an index.
    pub fn node(&self, socket: u32) -> Option<NodeId> {
        self.nodes.get(socket as usize).copied()
    }

    /// All nodes by index.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The index of a node, if it has cores.
    pub fn place(&self, node: NodeId) -> Option<u32> {
        // As many as the nodes of a machine.
        self.nodes.binary_search(&node).ok().map(|place| place as u32)
    }

    /// Distance between two nodes.
    pub(super) fn distance(&self, one: usize, other: usize) -> f64 {
        self.distances[one * self.nodes.len() + other]
    }

    /// The share of all tasks that each should have: in proportion to its cores.
    pub(super) fn share(&self, socket: usize) -> f64 {
        let total: f64 = self.cores.iter().copied().map(f64::from).sum();
        f64::from(self.cores[socket]) / total
    }

    /// The largest number out of `tasks` tasks that a socket may have: 5 % more than its share, in whole tasks, and at least its share.
    pub fn room(&self, socket: usize, tasks: usize) -> u64 {
        let share = self.share(socket) * tasks as f64;
        // Shares of whole tasks are exact except for rounding; they do not exceed the number of tasks.
        let least = (share - 1e-9 * share).ceil();
        let spread = (share * (1.0 + SPREAD) * (1.0 + 1e-12)).floor();
        least.max(spread) as u64
    }

    /// The same for all sockets, in the weights of the tasks of a window. A socket may have at least the load that it gets if the
    /// heaviest task goes first, each task to the socket with the least load for its cores. So the capacities suffice for all tasks,
    /// however heavy they are.
    pub(super) fn rooms_in(&self, graph: &WindowGraph) -> Vec<u64> {
        let total = graph.total_weight() as usize;
        let mut rooms: Vec<u64> = (0..self.count()).map(|socket| self.room(socket, total)).collect();
        if graph.heaviest() == 1 {
            return rooms;
        }
        let mut weights: Vec<u64> = graph.tasks().map(|task| graph.weight(task)).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let mut loads = vec![0; self.count()];
        for weight in weights {
            let after = |socket: usize| (loads[socket] + weight) as f64 / f64::from(self.cores[socket]);
            let least = (0..self.count()).min_by(|&a, &b| after(a).total_cmp(&after(b)));
            if let Some(least) = least {
                loads[least] += weight;
            }
        }
        rooms.iter_mut().zip(loads).for_each(|(room, load)| *room = load.max(*room));
        rooms
    }

    /// The number out of `tasks` tasks that each should have, in whole tasks that add up: the ends of consecutive groups are rounded.
    pub(super) fn quotas(&self, tasks: u64) -> Vec<u64> {
        let total: u64 = self.cores.iter().copied().map(u64::from).sum();
        let mut cores = 0;
        let mut before = 0;
        let quota = self.cores.iter().map(|&of_socket| {
            cores += u64::from(of_socket);
            let end = (2 * tasks * cores + total) / (2 * total);
            let quota = end - before;
            before = end;
            quota
        });
        quota.collect()
    }

    /// The mean distance between the cores of two groups.
    pub(super) fn between(&self, one: &[usize], other: &[usize]) -> f64 {
        let mut sum = 0.0;
        let mut pairs = 0.0;
        for &a in one {
            for &b in other {
                let both = f64::from(self.cores[a]) * f64::from(self.cores[b]);
                sum += both * self.distance(a, b);
                pairs += both;
            }
        }
        if pairs > 0.0 { sum / pairs } else { 0.0 }
    }

    /// The mean distance of the cores of a group to their local memory.
    pub(super) fn within(&self, group: &[usize]) -> f64 {
        let cores: f64 = group.iter().map(|&socket| f64::from(self.cores[socket])).sum();
        let sum: f64 =
            group.iter().map(|&socket| f64::from(self.cores[socket]) * self.distance(socket, socket)).sum();
        if cores > 0.0 { sum / cores } else { 0.0 }
    }

    /// Two halves of a group of at least two, the first with its first socket, so that sockets of the same half are near.
    pub(super) fn halves(&self, group: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let first = group.len().div_ceil(2);
        let (mut near, mut far) = (group[..first].to_vec(), group[first..].to_vec());
        // Exchanges two sockets as long as that brings the halves together. Each exchange makes the sum smaller, so the loop ends.
        while let Some((a, b)) = self.best_exchange(&near, &far) {
            std::mem::swap(&mut near[a], &mut far[b]);
        }
        near.sort_unstable();
        far.sort_unstable();
        if near.first() > far.first() && near.len() == far.len() { (far, near) } else { (near, far) }
    }

    /// The indices in both halves whose exchange minimises the distances within the halves, if any exchange reduces them.
    fn best_exchange(&self, near: &[usize], far: &[usize]) -> Option<(usize, usize)> {
        let to = |socket: usize, group: &[usize]| -> f64 {
            group.iter().filter(|&&other| other != socket).map(|&other| self.distance(socket, other)).sum()
        };
        let mut best = None;
        let mut least = -1e-9 * self.distances.iter().sum::<f64>();
        for (a, &one) in near.iter().enumerate() {
            for (b, &other) in far.iter().enumerate() {
                // In the other half, the distance of each socket to the rest equals its distance to the whole half without the one that
                // leaves.
                let apart = self.distance(one, other);
                let after = to(one, far) - apart + to(other, near) - apart;
                let change = after - to(one, near) - to(other, far);
                if change < least {
                    least = change;
                    best = Some((a, b));
                }
            }
        }
        best
    }

    /// Sockets for tests and benchmarks: `cores` of each, distances row by row.
    #[cfg(test)]
    pub(super) fn given(cores: &[u32], distances: &[f64]) -> Self {
        assert_eq!(distances.len(), cores.len() * cores.len());
        let nodes = (0..cores.len()).map(NodeId).collect();
        Self { nodes, cores: cores.to_vec(), distances: distances.to_vec() }
    }
}

// The writers from which a task reads: the edges of windows, in creation order.

/// A task whose data a later one reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parent {
    /// The writer.
    pub task: TaskId,
    /// Bytes that the reader declares for the blocks of which the task was the last writer.
    pub bytes: f64,
    /// Bytes that the reader declares for the blocks of which the task was the second-last writer (old dependencies: paper 001, section
    /// 2.2).
    pub old_bytes: f64,
}

/// The last two writers of each block, for tasks that come in creation order.
#[derive(Clone, Debug)]
pub struct Writers {
    /// The last one, and the one before it.
    blocks: Vec<[Option<TaskId>; 2]>,
    found: Vec<Parent>,
}

impl Writers {
    /// No task has written any of `blocks` blocks.
    pub fn new(blocks: usize) -> Self {
        Self { blocks: vec![[None; 2]; blocks], found: Vec::new() }
    }

    /// The tasks from which `task` reads, by number. Tasks must come in creation order.
    pub fn add(&mut self, graph: &TaskGraph, task: TaskId) -> &[Parent] {
        self.found.clear();
        for access in graph.accesses(task) {
            let Some(writers) = self.blocks.get_mut(access.block.0 as usize) else { continue };
            if access.mode.reads() {
                let bytes = access.declared_bytes;
                let [last, old] = *writers;
                self.found.extend(last.map(|task| Parent { task, bytes, old_bytes: 0.0 }));
                self.found.extend(old.map(|task| Parent { task, bytes: 0.0, old_bytes: bytes }));
            }
            if access.mode.writes() {
                *writers = [Some(task), writers[0]];
            }
        }
        self.found.sort_by_key(|parent| parent.task);
        self.found.dedup_by(|other, first| {
            let same = other.task == first.task;
            if same {
                first.bytes += other.bytes;
                first.old_bytes += other.old_bytes;
            }
            same
        });
        &self.found
    }
}

// Cost of a partition.

/// Cost of a partition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Sum over all edges of bytes x distance between the sockets of both ends: the quantity that is minimised.
    pub weighted: f64,
    /// Pairs of tasks on different sockets with bytes between them.
    pub cut_edges: u64,
    /// These bytes.
    pub cut_bytes: f64,
}

/// Cost of assigning each task to the socket in `parts`, an index in `sockets`.
pub fn cost(graph: &WindowGraph, sockets: &Sockets, parts: &[u32]) -> Cost {
    let mut cost = Cost::default();
    let of = |task: u32| parts.get(task as usize).copied();
    for task in graph.tasks() {
        for neighbour in graph.neighbours(task).iter().filter(|neighbour| neighbour.task > task) {
            let (Some(one), Some(other)) = (of(task), of(neighbour.task)) else { continue };
            cost.weighted += neighbour.bytes * sockets.distance(one as usize, other as usize);
            if one != other {
                cost.cut_edges += 1;
                cost.cut_bytes += neighbour.bytes;
            }
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_a_pair_are_one_and_edges_without_bytes_are_none() {
        let edges =
            [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 0.0), (2, 2, 5.0), (0, 9, 1.0), (2, 0, f64::NAN), (0, 2, 1.0)];
        let graph = WindowGraph::new(4, &edges);
        assert_eq!((graph.task_count(), graph.edge_count()), (4, 2));
        let of_first = [Neighbour { task: 1, bytes: 5.0 }, Neighbour { task: 2, bytes: 1.0 }];
        assert_eq!(graph.neighbours(0), of_first);
        assert!(!graph.connected(3));
    }

    #[test]
    fn a_part_has_the_edges_between_its_members() {
        let graph = WindowGraph::new(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0)]);
        let part = graph.part(&[1, 2], &[None, Some(0), Some(1), None]);
        assert_eq!(part, WindowGraph::new(2, &[(0, 1, 2.0)]));
    }
}

#[cfg(test)]
mod sockets_tests {
    use super::*;

    #[test]
    fn halves_keep_near_sockets_together() {
        // 0 and 2 are chiplets of one package, 1 and 3 of the other.
        let distances =
            [10.0, 40.0, 20.0, 40.0, 40.0, 10.0, 40.0, 20.0, 20.0, 40.0, 10.0, 40.0, 40.0, 20.0, 40.0, 10.0];
        let sockets = Sockets::given(&[6; 4], &distances);
        assert_eq!(sockets.halves(&[0, 1, 2, 3]), (vec![0, 2], vec![1, 3]));
        assert_eq!(sockets.between(&[0, 2], &[1, 3]), 40.0);
        assert_eq!(sockets.within(&[0, 2]), 10.0);
    }

    #[test]
    fn a_socket_has_room_for_its_share_and_five_percent() {
        let sockets = Sockets::given(&[8, 8], &[10.0, 20.0, 20.0, 10.0]);
        // 9 x 1.05 = 9.45; 2.5 needs 3; 100 x 1.05 = 105.
        assert_eq!([18, 5, 200].map(|tasks| sockets.room(0, tasks)), [9, 3, 105]);
        let uneven = Sockets::given(&[1, 3], &[10.0, 20.0, 20.0, 10.0]);
        assert_eq!([0, 1].map(|socket| uneven.room(socket, 40)), [10, 31]);
        assert_eq!(uneven.quotas(41), [10, 31]);
    }
}

#[cfg(test)]
mod writers_tests {
    use super::*;
    use crate::values::AccessMode::{In, Inout, Out};
    use crate::values::{Access, Block, BlockHome, BlockId, NewTask, TaskGraphBuilder};

    #[test]
    fn the_last_two_writers_of_a_block_are_parents_and_readers_are_none() {
        let mut graph = TaskGraphBuilder::new("writers");
        let kind = graph.kind("work");
        for bytes in [3.0, 5.0] {
            graph.block(Block { bytes, home: BlockHome::Open }, None).expect("a block");
        }
        // Task 0 writes X and Y, 1 changes X, 2 reads X, 3 reads X and Y.
        let access = |block: u32, mode| {
            let bytes = [3.0, 5.0][block as usize];
            Access { block: BlockId(block), mode, declared_bytes: bytes, moved_bytes: bytes }
        };
        let tasks = [
            vec![access(0, Out), access(1, Out)],
            vec![access(0, Inout)],
            vec![access(0, In)],
            vec![access(0, In), access(1, In)],
        ];
        for accesses in &tasks {
            let task = NewTask { kind, gflop: 0.0, accesses, socket: None, taskwait: false, name: None };
            graph.task(task).expect("a task");
        }
        let graph = graph.finish();
        let mut writers = Writers::new(2);
        let found: Vec<Vec<Parent>> = graph.tasks().map(|task| writers.add(&graph, task).to_vec()).collect();
        let parent = |task, bytes, old_bytes| Parent { task: TaskId(task), bytes, old_bytes };
        assert_eq!(found[0], []);
        assert_eq!(found[1], [parent(0, 3.0, 0.0)]);
        assert_eq!(found[2], [parent(0, 0.0, 3.0), parent(1, 3.0, 0.0)]);
        // Task 0 is the last writer of Y and the second-last of X.
        assert_eq!(found[3], [parent(0, 5.0, 3.0), parent(1, 3.0, 0.0)]);
    }
}
