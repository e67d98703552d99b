//! How much data lies on each node, and whether the memory there has room for it.
//!
//! The data of an application ([`App::memory`]) lies as its placement says: at its home, over all nodes, or in fractions.
//! What is local lies on the nodes of its threads (or the nearest memory of these) in proportion to them, so that an application without threads has none of
//! it anywhere; what is not local lies there also without threads. Replicated data lies whole on each of these nodes. A node without [`Node::memory`](crate::Node::memory) has
//! no limit, an application without a size needs nothing.

use crate::allocation::Allocation;
use crate::app::{App, Placement};
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::table::Table;
use crate::units::Gibibytes;

/// A sum of shares may be this much above a memory, relative to it: fractions sum to 1 within this.
const TOLERANCE: f64 = 1e-9;

/// The data on a node is larger than its memory.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{node} has {} GiB of memory, but {} GiB of data are to lie there", rounded(*.there), rounded(*.needed))]
pub struct MemoryFull {
    /// The node.
    pub node: NodeId,
    /// Data of all applications there.
    pub needed: Gibibytes,
    /// What it has.
    pub there: Gibibytes,
    /// The applications whose data lies there, and how much of it, in their order.
    pub apps: Vec<(AppId, Gibibytes)>,
}

/// Four digits behind the point, for people.
fn rounded(size: Gibibytes) -> f64 {
    (size.value() * 1e4).round() / 1e4
}

impl Placement {
    /// The share of the data that lies on `node`, with these threads on each node: of replicated data all of it where threads read it.
    pub fn share_on(&self, machine: &Machine, threads: &[u32], node: NodeId) -> f64 {
        let all: u64 = threads.iter().map(|&threads| u64::from(threads)).sum();
        let threads_on = |node: NodeId| u64::from(threads.get(node.0).copied().unwrap_or(0));
        let here: u64 = machine.local_to(node).map(threads_on).sum();
        // Without threads nothing is local; exact where all threads are here.
        let of_threads = match self {
            _ if here == 0 => 0.0,
            Self::Replicated => 1.0,
            _ => here as f64 / all as f64,
        };
        self.fixed_share(machine, node) + self.local_share() * of_threads
    }
}

/// Whether memory can be too small at all: some node that has memory says how much, and some application how much it needs.
pub fn is_limited(machine: &Machine, apps: &[App]) -> bool {
    machine.nodes().iter().any(|node| node.memory.is_some() && node.has_memory())
        && apps.iter().any(|app| app.memory.is_some())
}

/// Whether `there` is enough for `needed`, but for rounding.
pub fn has_room(needed: Gibibytes, there: Gibibytes) -> bool {
    needed.value() <= there.value() * (1.0 + TOLERANCE)
}

/// How much data of each application lies on each node; 0 for an application without a size.
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

/// Whether every node has room for the data that lies there. `placements` and `allocation` are those of `apps`.
///
/// # Errors
/// [`MemoryFull`] for the first node that has not.
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

    /// Two nodes of 4 cores, and a node of memory only.
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

    /// GiB of 12 GiB on each node.
    fn lies(placement: Placement, threads: [u32; 3]) -> Vec<f64> {
        let allocation = Allocation::from_rows(&[threads.to_vec()]).expect("a row");
        let data = occupied(&machine([None; 3]), &[app(Some(12.0))], &[placement], &allocation);
        data.row(AppId(0)).iter().map(|gib| gib.value()).collect()
    }

    #[test]
    fn data_lies_as_the_placement_says_and_local_data_in_proportion_to_threads() {
        let home = NodeId(2);
        // 12 x 1/4 and 12 x 3/4.
        assert_eq!(lies(Placement::Local, [1, 3, 0]), [3.0, 9.0, 0.0]);
        assert_eq!(lies(Placement::Home(home), [1, 3, 0]), [0.0, 0.0, 12.0]);
        assert_eq!(lies(Placement::Interleave, [1, 3, 0]), [4.0; 3]);
        assert_eq!(lies(Placement::Fractions(vec![0.5, 0.25, 0.25]), [1, 3, 0]), [6.0, 3.0, 3.0]);
        // Half at the home, the other 6 GiB as 1 : 3.
        assert_eq!(lies(Placement::PartHome { home, share: 0.5 }, [1, 3, 0]), [1.5, 4.5, 6.0]);
        assert_eq!(lies(Placement::PartHome { home: NodeId(0), share: 0.5 }, [1, 3, 0]), [7.5, 4.5, 0.0]);
        // A copy where there are threads.
        assert_eq!(lies(Placement::Replicated, [1, 3, 0]), [12.0, 12.0, 0.0]);
        assert_eq!(lies(Placement::Replicated, [0, 3, 0]), [0.0, 12.0, 0.0]);
        // 9 GiB over three nodes, the other 3 GiB as 1 : 3.
        assert_eq!(lies(Placement::PartInterleave { share: 0.75 }, [1, 3, 0]), [3.75, 5.25, 3.0]);
    }

    #[test]
    fn without_threads_only_what_is_not_local_lies_anywhere() {
        assert_eq!(lies(Placement::Local, [0; 3]), [0.0; 3]);
        assert_eq!(lies(Placement::PartHome { home: NodeId(1), share: 0.25 }, [0; 3]), [0.0, 3.0, 0.0]);
        assert_eq!(lies(Placement::Interleave, [0; 3]), [4.0; 3]);
    }

    #[test]
    fn a_memory_that_is_too_small_names_the_data_in_it() {
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
