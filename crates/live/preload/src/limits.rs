//! The number of threads of this process that may run on each node, and that do run.

use numasim_model::order::Order;

/// See the module.
#[derive(Debug)]
pub(crate) struct Limits {
    /// The maximum number of threads on each node, as the hello reports them.
    threads: Vec<u32>,
    /// The threads that the order allows on each node; `None`: there is no order.
    allowed: Option<Vec<u32>>,
    /// The threads in regions on each node.
    used: Vec<u32>,
}

impl Limits {
    pub(crate) fn new(threads: Vec<u32>) -> Self {
        let used = vec![0; threads.len()];
        Self { threads, allowed: None, used }
    }

    pub(crate) fn threads(&self) -> &[u32] {
        &self.threads
    }

    pub(crate) fn used(&self) -> &[u32] {
        &self.used
    }

    /// Puts an order in force; `None` allows all threads.
    ///
    /// # Errors
    /// The reason why the order cannot be followed.
    pub(crate) fn order(&mut self, order: Option<&Order>) -> Result<(), String> {
        self.allowed = match order {
            None => None,
            Some(&Order::Total(total)) => {
                let all: u32 = self.threads.iter().sum();
                if total > all {
                    return Err(format!("{total} threads are ordered, there are {all}"));
                }
                Some(dealt(total, &self.threads))
            }
            Some(Order::PerNode(nodes)) if nodes.len() != self.threads.len() => {
                let (ordered, nodes) = (nodes.len(), self.threads.len());
                return Err(format!("the order is for {ordered} nodes, there are {nodes}"));
            }
            Some(Order::PerNode(nodes)) => {
                let mut pairs = nodes.iter().zip(&self.threads).enumerate();
                if let Some((node, (ordered, threads))) =
                    pairs.find(|(_, (ordered, threads))| ordered > threads)
                {
                    return Err(format!("{ordered} threads are ordered on node {node}, which has {threads}"));
                }
                Some(nodes.clone())
            }
            Some(Order::Cores(_)) => {
                return Err("an OpenMP or oneTBB program follows no order of cores".into());
            }
        };
        Ok(())
    }

    /// The threads that the order allows in total; `None`: there is no order.
    pub(crate) fn allowed(&self) -> Option<u32> {
        self.allowed.as_ref().map(|allowed| allowed.iter().sum())
    }

    /// Whether the order allows more threads than run on this node.
    pub(crate) fn has_room(&self, node: usize) -> bool {
        self.used[node] < self.allowed.as_ref().unwrap_or(&self.threads)[node]
    }

    /// Whether more threads run on this node than the order allows.
    pub(crate) fn is_over(&self, node: usize) -> bool {
        self.allowed.as_ref().is_some_and(|allowed| self.used[node] > allowed[node])
    }

    /// Counts at most `most` more threads, from the first node on, and returns how many on each node.
    pub(crate) fn take(&mut self, most: u32) -> Vec<u32> {
        let allowed = self.allowed.as_ref().unwrap_or(&self.threads);
        let mut left = most;
        let nodes = self.used.iter_mut().zip(allowed);
        nodes
            .map(|(used, allowed)| {
                let taken = allowed.saturating_sub(*used).min(left);
                *used += taken;
                left -= taken;
                taken
            })
            .collect()
    }

    /// Counts one more thread although the order allows none: on a node with an unused thread, if there is one. Returns the node.
    pub(crate) fn force(&mut self) -> Option<usize> {
        let node = (0..self.used.len()).find(|&node| self.used[node] < self.threads[node])?;
        self.used[node] += 1;
        Some(node)
    }

    /// Counts a thread on this node.
    pub(crate) fn add(&mut self, node: usize) {
        self.used[node] += 1;
    }

    /// These threads do not run any more.
    pub(crate) fn give_back(&mut self, taken: &[u32]) {
        for (used, taken) in self.used.iter_mut().zip(taken) {
            *used = used.saturating_sub(*taken);
        }
    }

    /// Threads on each node that the order keeps from running. Those that still run do not count.
    pub(crate) fn blocked(&self) -> Vec<u32> {
        let Some(allowed) = &self.allowed else { return vec![0; self.threads.len()] };
        let nodes = self.threads.iter().zip(allowed).zip(&self.used);
        nodes.map(|((threads, allowed), used)| threads.saturating_sub(*allowed.max(used))).collect()
    }
}

/// Threads in the order in which the runtime numbers its workers: the first of each node, then the second of each, and so on.
fn dealt(total: u32, threads: &[u32]) -> Vec<u32> {
    let mut dealt = vec![0; threads.len()];
    let mut left = total;
    while left > 0 {
        let before = left;
        for (dealt, threads) in dealt.iter_mut().zip(threads) {
            if left > 0 && *dealt < *threads {
                *dealt += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(threads: &[u32], order: &Order) -> Limits {
        let mut limits = Limits::new(threads.to_vec());
        limits.order(Some(order)).expect("an order that can be followed");
        limits
    }

    #[test]
    fn a_total_is_dealt_round_the_nodes() {
        // 5 of 1 + 4 + 4: one on each, then one on the second and the third.
        assert_eq!(dealt(5, &[1, 4, 4]), [1, 2, 2]);
        assert_eq!(dealt(0, &[1, 4]), [0, 0]);
    }

    #[test]
    fn regions_share_what_the_order_allows() {
        let mut limits = ordered(&[4, 4], &Order::PerNode(vec![1, 2]));
        let first = limits.take(2);
        assert_eq!(first, [1, 1]);
        assert_eq!(limits.take(8), [0, 1]); // of 3 allowed 2 run
        assert_eq!(limits.take(1), [0, 0]);
        limits.give_back(&first);
        assert_eq!(limits.take(8), [1, 1]);
    }

    #[test]
    fn threads_of_a_region_that_goes_on_are_not_blocked() {
        let mut limits = Limits::new(vec![4]);
        assert_eq!(limits.take(3), [3]);
        limits.order(Some(&Order::Total(1))).expect("one of four");
        // 3 run, 1 is allowed: the fourth is blocked, the other two only when they are back.
        assert_eq!((limits.used(), limits.blocked()), (&[3][..], vec![1]));
        assert!(limits.is_over(0));
        limits.give_back(&[3]);
        assert_eq!(limits.blocked(), [3]);
    }

    #[test]
    fn what_cannot_be_followed_changes_nothing() {
        let mut limits = ordered(&[2, 2], &Order::Total(2));
        let mut wrong = |order: &Order| limits.order(Some(order)).expect_err("cannot be followed");
        assert_eq!(wrong(&Order::Total(5)), "5 threads are ordered, there are 4");
        assert_eq!(wrong(&Order::PerNode(vec![1])), "the order is for 1 nodes, there are 2");
        assert_eq!(wrong(&Order::PerNode(vec![0, 3])), "3 threads are ordered on node 1, which has 2");
        assert!(wrong(&Order::Cores(vec![0])).contains("no order of cores"));
        assert_eq!(limits.allowed(), Some(2));
    }

    #[test]
    fn one_thread_more_than_allowed_is_counted_where_it_fits() {
        let mut limits = ordered(&[1, 1], &Order::Total(0));
        assert_eq!((limits.force(), limits.force(), limits.force()), (Some(0), Some(1), None));
    }
}
