//! What an allocation may do: each restriction stated once, for a whole allocation and for what a change touches.

use numasim_model::{Allocation, App, AppId, Machine};

/// Restrictions of a search. They combine; the default restricts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// An application has the same number of threads on every node that has cores.
    pub same_on_every_node: bool,
    /// At most one application has threads on a node.
    pub whole_nodes: bool,
    /// Fewest threads of each application on every node that has cores.
    pub min_threads_per_node: u32,
    /// Every core runs a thread.
    pub no_idle_cores: bool,
}

/// A restriction that an allocation breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// More threads than cores on a node.
    TooManyThreads,
    /// Fewer threads of an application on a node than [`Restrictions::min_threads_per_node`].
    TooFewOnNode,
    /// Several applications on a node, against [`Restrictions::whole_nodes`].
    SharedNode,
    /// A core without a thread, against [`Restrictions::no_idle_cores`].
    IdleCores,
    /// Fewer threads of an application than its `min_threads`.
    BelowMinThreads,
    /// More threads of an application than its `max_threads`.
    AboveMaxThreads,
}

impl Restrictions {
    /// Whether `allocation` keeps to the restrictions, the threads of each application and the cores of each node.
    pub fn allow(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> bool {
        self.violation(machine, apps, allocation).is_none()
    }

    /// Whether a node with `cores` cores may hold these threads of each application. A node without cores holds none,
    /// and nothing else is asked of it.
    pub(crate) fn on_node(
        &self,
        cores: u32,
        threads: impl Iterator<Item = u32> + Clone,
    ) -> Result<(), Broken> {
        let used: u64 = threads.clone().map(u64::from).sum();
        if used > u64::from(cores) {
            return Err(Broken::TooManyThreads);
        }
        if cores == 0 {
            return Ok(());
        }
        if threads.clone().any(|threads| threads < self.min_threads_per_node) {
            return Err(Broken::TooFewOnNode);
        }
        if self.whole_nodes && threads.filter(|&threads| threads > 0).count() > 1 {
            return Err(Broken::SharedNode);
        }
        if self.no_idle_cores && used < u64::from(cores) {
            return Err(Broken::IdleCores);
        }
        Ok(())
    }

    /// Whether an application may have `total` threads on the whole machine.
    pub(crate) fn in_all(app: &App, total: u64) -> Result<(), Broken> {
        if total < u64::from(app.min_threads) {
            return Err(Broken::BelowMinThreads);
        }
        if app.max_threads.is_some_and(|max| total > u64::from(max)) {
            return Err(Broken::AboveMaxThreads);
        }
        Ok(())
    }

    /// The first restriction that `allocation` breaks, in words.
    pub fn violation(&self, machine: &Machine, apps: &[App], allocation: &Allocation) -> Option<String> {
        if allocation.apps() != apps.len() || allocation.nodes() != machine.node_count() {
            return Some("it is for another machine or other applications".to_owned());
        }
        if let Err(error) = allocation.fits(machine) {
            return Some(error.to_string());
        }
        for (a, app) in apps.iter().enumerate() {
            let total = allocation.total(AppId(a));
            match Self::in_all(app, total) {
                Err(Broken::BelowMinThreads) => {
                    return Some(format!("{} has {total} threads, fewer than its min_threads", app.name));
                }
                Err(_) => {
                    return Some(format!("{} has {total} threads, more than its max_threads", app.name));
                }
                Ok(()) => {}
            }
        }
        for node in machine.compute_nodes() {
            let threads = (0..apps.len()).map(|a| allocation.get(AppId(a), node));
            match self.on_node(machine.node(node).cores, threads) {
                Err(Broken::SharedNode) => return Some(format!("several applications share {node}")),
                Err(Broken::IdleCores) => return Some(format!("{node} has idle cores")),
                Err(Broken::TooManyThreads) => return Some(format!("{node} has more threads than cores")),
                Err(_) => return Some(format!("{node} has fewer threads of an application than required")),
                Ok(()) => {}
            }
        }
        if self.same_on_every_node {
            for (a, app) in apps.iter().enumerate() {
                let mut counts = machine.compute_nodes().map(|node| allocation.get(AppId(a), node));
                let first = counts.next();
                if counts.any(|threads| Some(threads) != first) {
                    return Some(format!("{} differs between nodes", app.name));
                }
            }
        }
        None
    }

    /// The restrictions in force, as people would write them.
    pub fn describe(&self, apps: &[App]) -> Vec<String> {
        let mut words = Vec::new();
        if self.same_on_every_node {
            words.push("--same-on-every-node".to_owned());
        }
        if self.whole_nodes {
            words.push("--whole-nodes".to_owned());
        }
        if self.min_threads_per_node > 0 {
            words.push(format!("--min-threads-per-node {}", self.min_threads_per_node));
        }
        if self.no_idle_cores {
            words.push("--no-idle-cores".to_owned());
        }
        if apps.iter().any(|app| app.min_threads > 0) {
            words.push("min_threads".to_owned());
        }
        if apps.iter().any(|app| app.max_threads.is_some()) {
            words.push("max_threads".to_owned());
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    fn on_node(restrictions: Restrictions, threads: [u32; 2]) -> Result<(), Broken> {
        restrictions.on_node(4, threads.into_iter())
    }

    #[test]
    fn a_node_of_four_cores_keeps_each_restriction() {
        let free = Restrictions::default();
        assert_eq!(on_node(free, [4, 0]), Ok(()));
        assert_eq!(on_node(free, [3, 2]), Err(Broken::TooManyThreads));
        let minimum = Restrictions { min_threads_per_node: 1, ..free };
        assert_eq!(on_node(minimum, [4, 0]), Err(Broken::TooFewOnNode));
        let whole = Restrictions { whole_nodes: true, ..free };
        assert_eq!(on_node(whole, [1, 1]), Err(Broken::SharedNode));
        let full = Restrictions { no_idle_cores: true, ..free };
        assert_eq!(on_node(full, [1, 2]), Err(Broken::IdleCores));
        assert_eq!(full.on_node(0, [0, 0].into_iter()), Ok(()), "a node without cores has none idle");
    }

    #[test]
    fn threads_of_an_application_stay_in_its_range() {
        let app = App { min_threads: 2, max_threads: Some(3), ..local_app("a", 1.0) };
        assert_eq!(Restrictions::in_all(&app, 1), Err(Broken::BelowMinThreads));
        assert_eq!(Restrictions::in_all(&app, 3), Ok(()));
        assert_eq!(Restrictions::in_all(&app, 4), Err(Broken::AboveMaxThreads));
    }

    #[test]
    fn an_allocation_of_another_shape_is_refused() {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let apps = [local_app("a", 1.0)];
        let restrictions = Restrictions::default();
        assert!(restrictions.allow(
            &machine,
            &apps,
            &Allocation::from_rows(&[vec![1, 0]]).expect("equal rows")
        ));
        assert!(!restrictions.allow(
            &machine,
            &apps,
            &Allocation::from_rows(&[vec![1]]).expect("equal rows")
        ));
    }
}
