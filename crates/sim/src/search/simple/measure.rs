//! How simple an allocation is.

use std::collections::BTreeSet;

use numasim_model::{Allocation, AppId, NodeId};

/// How much there is to say about an allocation: the smaller of two is simpler, compared field by field in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Simplicity {
    /// Of each application the different numbers of threads on the nodes where it has any, added up over applications: "4 on
    /// every node" is 1, "16 on nodes 0 and 1, 3 on node 2" is 2. No application has less than 1, unless it has no thread.
    pub numbers: usize,
    /// Whether some node has threads of several applications: whole nodes are simpler.
    pub mixed: bool,
}

/// How simple `allocation` is; it alone decides.
pub fn simplicity(allocation: &Allocation) -> Simplicity {
    let nodes = || (0..allocation.nodes()).map(NodeId);
    let apps = || (0..allocation.apps()).map(AppId);
    let numbers = apps().map(|app| numbers(allocation, app).len()).sum();
    let on = |node| apps().filter(|&app| allocation.get(app, node) > 0).count();
    Simplicity { numbers, mixed: nodes().any(|node| on(node) > 1) }
}

/// The different numbers of threads of an application on nodes where it has any.
pub(super) fn numbers(allocation: &Allocation, app: AppId) -> BTreeSet<u32> {
    let all = (0..allocation.nodes()).map(|node| allocation.get(app, NodeId(node)));
    all.filter(|&threads| threads > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[Vec<u32>]) -> (usize, bool) {
        let found = simplicity(&Allocation::from_rows(rows).expect("equal rows"));
        (found.numbers, found.mixed)
    }

    #[test]
    fn equal_numbers_come_before_whole_nodes_and_both_before_odd_ones() {
        let whole = of(&[vec![8, 8, 0, 0], vec![0, 0, 8, 8]]);
        let equal = of(&[vec![3, 3, 3, 3], vec![5, 5, 5, 5]]);
        let uneven_and_whole = of(&[vec![8, 4, 0, 0], vec![0, 0, 8, 8]]);
        let odd = of(&[vec![3, 1, 4, 0], vec![5, 7, 4, 8]]);
        assert_eq!([whole, equal, uneven_and_whole, odd], [(2, false), (2, true), (3, false), (7, true)]);
        assert!(whole < equal && equal < uneven_and_whole && uneven_and_whole < odd);
        assert_eq!(of(&[vec![0, 0], vec![2, 2]]), (1, false), "who has no thread needs no word");
    }
}
