//! Size of the data on each node, and whether the memory there has room for it.
//!
//! The placement of an application determines where its data ([`App::memory`]) is: on its home, on all nodes,
//! or in fractions. Local data is on the nodes of its threads (or on the nearest memory of these) in
//! proportion to the number of threads, so an application without threads has no local data. Data that is not
//! local exists even without threads. Replicated data is complete on each node with threads. A node without
//! [`Node::memory`](crate::Node::memory) has no limit; an application without a size needs no memory.

use crate::allocation::Allocation;
use crate::app::{App, Placement};
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::table::Table;
use crate::units::Gibibytes;

/// A sum of shares may exceed a memory by this relative amount: fractions sum to 1 within this tolerance.
const TOLERANCE: f64 = 1e-9;

/// The data on a node is larger than its memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{node} has {} GiB of memory, but {} GiB of data are to lie there", rounded(*.there), rounded(*.needed))]
pub struct MemoryFull {
    /// The node.
    pub node: NodeId,
    /// Size of the data of all applications on it.
    pub needed: Gibibytes,
    /// Size of its memory.
    pub there: Gibibytes,
    /// The applications with data on the node and the size of that data, in the order of the applications.
    pub apps: Vec<(AppId, Gibibytes)>,
}

/// Rounded to four decimals, for people.
fn rounded(size: Gibibytes) -> f64 {
    (size.value() * 1e4).round() / 1e4
}

impl Placement {
    /// The share of the data on `node`, with these threads on each node. For replicated data it is 1 if
    /// threads on the node read it.
    pub fn share_on(&self, machine: &Machine, threads: &[u32], node: NodeId) -> f64 {
        let all: u64 = threads.iter().map(|&threads| u64::from(threads)).sum();
        let threads_on = |node: NodeId| u64::from(threads.get(node.0).copied().unwrap_or(0));
        let here: u64 = machine.local_to(node).map(threads_on).sum();
        // Without threads no data is local; exact if all threads are here.
        let of_threads = match self {
            _ if here == 0 => 0.0,
            Self::Replicated => 1.0,
            _ => here as f64 / all as f64,
        };
        self.fixed_share(machine, node) + self.local_share() * of_threads
    }
}

/// Whether a memory can be too small at all: a node with memory has a size, and an application has a size.
pub fn is_limited(machine: &Machine, apps: &[App]) -> bool {
    machine.nodes().iter().any(|node| node.memory.is_some() && node.has_memory())
        && apps.iter().any(|app| app.memory.is_some())
}

/// Whether `there` is enough for `needed`, within rounding errors.
pub fn has_room(needed: Gibibytes, there: Gibibytes) -> bool {
    needed.value() <= there.value() * (1.0 + TOLERANCE)
}

/// Size of the data of each application on each node; 0 for an application without a size.
pub fn occupied(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    allocation: &Allocation,
) -> Table<Gibibytes> {
    Table::from_fn(apps.len(), machine.node_count(), |app: AppId, node| {
        let size = apps[app.0].memory.unwrap_or_default();
        size * placements[app.0].share_on(machine, allocation.row(app), node)
    })
}

/// Checks that every node has room for its data. `placements` and `allocation` are those of `apps`.
///
/// # Errors
/// [`MemoryFull`] for the first node without enough memory.
pub fn fits(
    machine: &Machine,
    apps: &[App],
    placements: &[Placement],
    allocation: &Allocation,
) -> Result<(), MemoryFull> {
    if !is_limited(machine, apps) {
        return Ok(());
    }
    let data = |app: AppId, node| {
        let size = apps[app.0].memory?;
        let here = size * placements[app.0].share_on(machine, allocation.row(app), node);
        (here.value() > 0.0).then_some((app, here))
    };
    machine.node_ids().try_for_each(|node| {
        let Some(there) = machine.node(node).memory else { return Ok(()) };
        let on_node = || (0..apps.len()).filter_map(|app| data(AppId(app), node));
        let needed: Gibibytes = on_node().map(|(_, here)| here).sum();
        if has_room(needed, there) {
            return Ok(());
        }
        Err(MemoryFull { node, needed, there, apps: on_node().collect() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::Data;
    use crate::machine::Node;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    /// Two nodes of 4 cores, and a memory-only node.
    fn machine(memory: [Option<f64>; 3]) -> Machine {
        let node = |(cores, memory): (u32, Option<f64>)| Node {
            cores,
            gflops_per_core: Gflops::new(f64::from(cores)),
            bandwidth: GigabytesPerSecond::new(32.0),
            memory: memory.map(Gibibytes::new),
            ..Node::default()
        };
        let nodes = [4, 4, 0].into_iter().zip(memory).map(node).collect();
        Machine::new("m", nodes, vec![GigabytesPerSecond::new(8.0); 9]).expect("a machine")
    }

    fn app(memory: Option<f64>) -> App {
        let local = App::new("a", FlopPerByte::new(1.0), Data::Placed(Placement::Local));
        App { memory: memory.map(Gibibytes::new), min_threads: 0, ..local }
    }

    /// GiB on each node, out of 12 GiB.
    fn lies(placement: Placement, threads: [u32; 3]) -> Vec<f64> {
        let allocation = Allocation::from_rows(&[threads.to_vec()]).expect("a row");
        let data = occupied(&machine([None; 3]), &[app(Some(12.0))], &[placement], &allocation);
        data.row(AppId(0)).iter().map(|gib| gib.value()).collect()
    }

    #[test]
    fn data_follows_the_placement_and_local_data_the_threads() {
        let home = NodeId(2);
        // 12 x 1/4 and 12 x 3/4.
        assert_eq!(lies(Placement::Local, [1, 3, 0]), [3.0, 9.0, 0.0]);
        assert_eq!(lies(Placement::Home(home), [1, 3, 0]), [0.0, 0.0, 12.0]);
        assert_eq!(lies(Placement::Interleave, [1, 3, 0]), [4.0; 3]);
        assert_eq!(lies(Placement::Fractions(vec![0.5, 0.25, 0.25]), [1, 3, 0]), [6.0, 3.0, 3.0]);
        // Half at the home, the other 6 GiB in the ratio 1 : 3.
        assert_eq!(lies(Placement::PartHome { home, share: 0.5 }, [1, 3, 0]), [1.5, 4.5, 6.0]);
        assert_eq!(lies(Placement::PartHome { home: NodeId(0), share: 0.5 }, [1, 3, 0]), [7.5, 4.5, 0.0]);
        // A copy on each node with threads.
        assert_eq!(lies(Placement::Replicated, [1, 3, 0]), [12.0, 12.0, 0.0]);
        assert_eq!(lies(Placement::Replicated, [0, 3, 0]), [0.0, 12.0, 0.0]);
        // 9 GiB over three nodes, the other 3 GiB in the ratio 1 : 3.
        assert_eq!(lies(Placement::PartInterleave { share: 0.75 }, [1, 3, 0]), [3.75, 5.25, 3.0]);
    }

    #[test]
    fn without_threads_only_data_that_is_not_local_needs_memory() {
        assert_eq!(lies(Placement::Local, [0; 3]), [0.0; 3]);
        assert_eq!(lies(Placement::PartHome { home: NodeId(1), share: 0.25 }, [0; 3]), [0.0, 3.0, 0.0]);
        assert_eq!(lies(Placement::Interleave, [0; 3]), [4.0; 3]);
    }

    #[test]
    fn the_error_for_a_full_memory_lists_the_data_in_it() {
        let apps = [app(Some(12.0)), app(None), app(Some(5.0)), app(Some(1.0))];
        let placements =
            [Placement::Local, Placement::Local, Placement::Home(NodeId(1)), Placement::Home(NodeId(0))];
        let rows: Vec<Vec<u32>> = vec![vec![1, 3, 0], vec![1, 0, 0], vec![1, 0, 0], vec![1, 0, 0]];
        let allocation = Allocation::from_rows(&rows).expect("rows");
        // Node 0: 12 x 1/4 + 1 = 4; node 1: 12 x 3/4 + 5 = 14.
        let fits = |memory| fits(&machine(memory), &apps, &placements, &allocation);
        assert_eq!(fits([Some(4.0), Some(14.0), None]), Ok(()));
        assert_eq!(fits([None; 3]), Ok(()));
        let full = MemoryFull {
            node: NodeId(1),
            needed: Gibibytes::new(14.0),
            there: Gibibytes::new(13.0),
            apps: vec![(AppId(0), Gibibytes::new(9.0)), (AppId(2), Gibibytes::new(5.0))],
        };
        assert_eq!(fits([None, Some(13.0), Some(1.0)]), Err(full));
    }

    #[test]
    fn rounding_does_not_make_a_memory_too_small() {
        let thirds = vec![1.0 / 3.0 + 1e-10, 1.0 / 3.0, 1.0 / 3.0 - 1e-10];
        let allocation = Allocation::from_rows(&[vec![1, 0, 0]]).expect("a row");
        let machine = machine([Some(4.0); 3]);
        let placed = |placement| fits(&machine, &[app(Some(12.0))], &[placement], &allocation);
        assert_eq!(placed(Placement::Fractions(thirds)), Ok(()));
        assert_eq!(placed(Placement::Interleave), Ok(()));
    }
}
