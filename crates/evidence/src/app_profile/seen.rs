//! From what an operating system says of a process to a [`Look`]: its nodes in the order of the machine file.

use std::collections::BTreeMap;

use super::placement::Look;
use crate::formats::numa_maps::Pages;

/// A thread with less of the processor time of the busiest one only waits: it starts others, or is woken now and then.
const WORKS: f64 = 0.1;

/// The processors of the threads that work; of each thread its processor and the time that it has used, in any unit. All
/// threads where none has used any.
pub fn working(threads: &[(u32, u64)]) -> Vec<u32> {
    let most = threads.iter().map(|thread| thread.1).max().unwrap_or(0) as f64;
    threads.iter().filter(|thread| thread.1 as f64 >= WORKS * most).map(|thread| thread.0).collect()
}

/// Pages and threads of each node; `os_nodes` has the system's number of each node of the machine, `threads` those of each of
/// these nodes.
///
/// # Errors
/// A sentence: data lies on a node that is not listed, or there is no thread on a listed one.
pub fn look(pages: &Pages, os_nodes: &[u32], threads: Option<&BTreeMap<u32, u32>>) -> Result<Look, String> {
    let place = |os_node: &u32| os_nodes.iter().position(|known| known == os_node);
    if let Some(other) = pages.data.keys().find(|node| place(node).is_none()) {
        let listed: Vec<String> = os_nodes.iter().map(u32::to_string).collect();
        return Err(format!(
            "there is data on NUMA node {other}, and the nodes of the machine are {}",
            listed.join(", ")
        ));
    }
    let on = |amount: &dyn Fn(u32) -> f64| os_nodes.iter().map(|&node| amount(node)).collect::<Vec<f64>>();
    let data = on(&|node| pages.data.get(&node).copied().unwrap_or(0) as f64);
    let threads = threads.map(|threads| on(&|node| f64::from(threads.get(&node).copied().unwrap_or(0))));
    Look::of(&data, threads.as_deref()).ok_or_else(|| "no thread runs on a node of the machine".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_only_wait_do_not_count() {
        assert_eq!(working(&[(0, 3), (4, 100), (5, 10), (6, 9)]), [4, 5]);
        assert_eq!(working(&[(0, 0), (1, 0)]), [0, 1]);
        assert_eq!(working(&[]), Vec::<u32>::new());
    }

    #[test]
    fn nodes_are_in_the_order_of_the_machine() {
        let pages = Pages { data: BTreeMap::from([(0, 300), (2, 100)]), ..Pages::default() };
        let threads = BTreeMap::from([(2, 4)]);
        let found = look(&pages, &[2, 0], Some(&threads)).expect("both nodes are listed");
        assert_eq!((found.data, found.threads), (vec![0.25, 0.75], Some(vec![1.0, 0.0])));
        assert_eq!(
            look(&pages, &[0, 1], None),
            Err("there is data on NUMA node 2, and the nodes of the machine are 0, 1".to_owned())
        );
        assert!(look(&pages, &[0, 2], Some(&BTreeMap::from([(7, 1)]))).is_err());
    }
}
