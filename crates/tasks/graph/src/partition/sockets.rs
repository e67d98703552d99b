//! Where tasks may go: nodes with cores, and how far they are from each other.

use numasim_model::{Machine, NodeId};

/// How far the own node and another one are where no firmware says it (the values of ACPI's SLIT for the own node and the usual one for
/// others). Only their difference matters, and not how large it is.
const UNKNOWN: (f64, f64) = (10.0, 20.0);

/// A socket may have this much more than its share of the tasks.
const SPREAD: f64 = 0.05;

/// The nodes with cores of a machine, in ascending order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sockets {
    nodes: Vec<NodeId>,
    cores: Vec<u32>,
    /// Row by row; the same in both directions.
    distances: Vec<f64>,
}

impl Sockets {
    /// Those of a machine, with the distances that its firmware states; of a pair whose directions differ, their mean.
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

    /// How many there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The node at a place.
    pub fn node(&self, socket: u32) -> Option<NodeId> {
        self.nodes.get(socket as usize).copied()
    }

    /// All nodes by place.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// The place of a node, where it has cores.
    pub fn place(&self, node: NodeId) -> Option<u32> {
        // As many as nodes of a machine.
        self.nodes.binary_search(&node).ok().map(|place| place as u32)
    }

    /// How far two are from each other.
    pub(super) fn distance(&self, one: usize, other: usize) -> f64 {
        self.distances[one * self.nodes.len() + other]
    }

    /// The part of all tasks that each should have: in proportion to its cores.
    pub(super) fn share(&self, socket: usize) -> f64 {
        let total: f64 = self.cores.iter().copied().map(f64::from).sum();
        f64::from(self.cores[socket]) / total
    }

    /// Most of `tasks` tasks that a socket may have: 5 % more than its share, in whole tasks, and at least its share.
    pub fn room(&self, socket: usize, tasks: usize) -> u64 {
        let share = self.share(socket) * tasks as f64;
        // Shares of whole tasks come out exact but for rounding; they are no larger than the number of tasks.
        let least = (share - 1e-9 * share).ceil();
        let spread = (share * (1.0 + SPREAD) * (1.0 + 1e-12)).floor();
        least.max(spread) as u64
    }

    /// How many of `tasks` tasks each should have, in whole tasks that add up: where consecutive groups end is rounded.
    pub(super) fn quotas(&self, tasks: usize) -> Vec<u64> {
        let total: u64 = self.cores.iter().copied().map(u64::from).sum();
        let tasks = tasks as u64;
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

    /// The mean distance of the cores of a group to the memory of their own node.
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
        // Exchanges two sockets as long as that brings the halves together. Each makes the sum smaller, so that it ends.
        while let Some((a, b)) = self.best_exchange(&near, &far) {
            std::mem::swap(&mut near[a], &mut far[b]);
        }
        near.sort_unstable();
        far.sort_unstable();
        if near.first() > far.first() && near.len() == far.len() { (far, near) } else { (near, far) }
    }

    /// The places in both halves whose exchange makes the distances within the halves smallest, if it makes them smaller.
    fn best_exchange(&self, near: &[usize], far: &[usize]) -> Option<(usize, usize)> {
        let to = |socket: usize, group: &[usize]| -> f64 {
            group.iter().filter(|&&other| other != socket).map(|&other| self.distance(socket, other)).sum()
        };
        let mut best = None;
        let mut least = -1e-9 * self.distances.iter().sum::<f64>();
        for (a, &one) in near.iter().enumerate() {
            for (b, &other) in far.iter().enumerate() {
                // In the other half each is as far from the rest of it as from all of it without the one that leaves.
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

#[cfg(test)]
mod tests {
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
