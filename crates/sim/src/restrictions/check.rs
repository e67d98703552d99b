//! Contradictions between restrictions that show without a search.

use super::infeasible::Infeasible;
use super::placing;
use super::rules::{Restrictions, may_hold};
use numasim_model::{App, Machine, NodeId};

impl Restrictions {
    /// Contradictions that can be named before any search.
    ///
    /// # Errors
    /// The first [`Infeasible`] found. `Ok` does not promise that an allocation exists.
    pub fn check(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let cores = machine.total_cores();
        let nodes = machine.compute_nodes().count();
        let wanted: u64 = apps.iter().map(|app| u64::from(app.min_threads)).sum();
        if wanted > cores {
            return Err(Infeasible::MinThreads { wanted, cores });
        }
        for app in apps.iter().filter(|app| app.nodes.is_some()) {
            let cores = allowed(machine, app).map(|node| u64::from(machine.node(node).cores)).sum();
            if u64::from(app.min_threads) > cores {
                let (app, wanted) = (app.name.clone(), app.min_threads);
                return Err(Infeasible::TooFewAllowed { app, wanted, cores });
            }
        }
        placing::check(self, machine, apps)?;
        self.check_per_node(machine, apps)?;
        if self.whole_nodes {
            self.check_whole_nodes(machine, apps, nodes)?;
        }
        if self.no_idle_cores {
            let allowed: Option<u64> = apps.iter().map(|app| app.max_threads.map(u64::from)).sum();
            let free = machine.compute_nodes().find(|&node| !apps.iter().any(|app| may_hold(app, node)));
            if let Some(node) = free {
                return Err(Infeasible::NobodyOnNode(node));
            }
            if let Some(allowed) = allowed.filter(|&allowed| allowed < cores) {
                return Err(Infeasible::IdleCores { allowed, cores });
            }
        }
        if self.same_on_every_node {
            self.check_same(machine, apps)?;
        }
        Ok(())
    }

    fn check_per_node(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let per_node = self.min_threads_per_node;
        if per_node == 0 {
            return Ok(());
        }
        for node in machine.compute_nodes() {
            let cores = machine.node(node).cores;
            let apps = apps.iter().filter(|app| may_hold(app, node)).count();
            if self.whole_nodes && apps > 1 {
                return Err(Infeasible::WholeNodesMinPerNode { per_node, apps });
            }
            if u64::from(per_node) * apps as u64 > u64::from(cores) {
                return Err(Infeasible::MinPerNode { per_node, apps, node, cores });
            }
        }
        for app in apps {
            let nodes = allowed(machine, app).count();
            let total = u64::from(per_node) * nodes as u64;
            if let Some(max) = app.max_threads.filter(|&max| u64::from(max) < total) {
                return Err(Infeasible::MaxBelowMinPerNode {
                    app: app.name.clone(),
                    max,
                    per_node,
                    nodes,
                    total,
                });
            }
        }
        Ok(())
    }

    fn check_whole_nodes(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let needy: Vec<&App> = apps.iter().filter(|app| app.min_threads > 0).collect();
        let everywhere = needy.iter().filter(|app| app.nodes.is_none()).count();
        if self.same_on_every_node && everywhere > 1 {
            return Err(Infeasible::WholeNodesSame { apps: everywhere });
        }
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
        let needed: usize = needy.iter().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
        if needed > nodes {
            return Err(Infeasible::TooFewNodes { needed, nodes });
        }
        Ok(())
    }

    fn check_same(&self, machine: &Machine, apps: &[App]) -> Result<(), Infeasible> {
        let cores = || machine.compute_nodes().map(|node| machine.node(node).cores);
        let (smallest, largest) = (cores().min().unwrap_or(0), cores().max().unwrap_or(0));
        // Applications that keep to different nodes can fill nodes of different size.
        let everywhere = apps.iter().all(|app| app.nodes.is_none());
        if self.no_idle_cores && smallest < largest && everywhere {
            return Err(Infeasible::IdleCoresOnUnequalNodes { smallest, largest });
        }
        for app in apps {
            let nodes = allowed(machine, app).count();
            let steps = u32::try_from(nodes).unwrap_or(u32::MAX).max(1);
            let fewest = app.min_threads.div_ceil(steps).saturating_mul(steps);
            if let Some(max) = app.max_threads.filter(|&max| fewest > max) {
                return Err(Infeasible::SameMissesRange {
                    app: app.name.clone(),
                    nodes,
                    min: app.min_threads,
                    max,
                });
            }
        }
        Ok(())
    }
}

/// The nodes with cores that may hold threads of an application.
fn allowed<'a>(machine: &'a Machine, app: &'a App) -> impl Iterator<Item = NodeId> + 'a {
    machine.compute_nodes().filter(move |&node| may_hold(app, node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};

    /// Two nodes of 4 cores; `a` may use node 0, `b` node 1 or, with `both`, each.
    fn refused(restrictions: Restrictions, min_threads: u32, both: bool) -> Option<String> {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[0].nodes = Some(vec![NodeId(0)]);
        apps[0].min_threads = min_threads;
        apps[1].nodes = (!both).then(|| vec![NodeId(1)]);
        restrictions.check(&machine, &apps).err().map(|refused| refused.to_string())
    }

    #[test]
    fn only_the_nodes_of_an_application_count_for_it() {
        let free = Restrictions::default();
        assert_eq!(refused(free, 4, false), None);
        assert_eq!(
            refused(free, 5, false).as_deref(),
            Some("a has `min_threads` 5, but its `nodes` have 4 cores")
        );
        // 4 threads of each fit: they are on different nodes.
        let many = Restrictions { min_threads_per_node: 4, ..free };
        assert_eq!(refused(many, 1, false), None);
        assert!(refused(many, 1, true).is_some_and(|words| words.contains("do not fit node 0")));
        let whole = Restrictions { whole_nodes: true, same_on_every_node: true, ..free };
        assert_eq!(refused(whole, 1, false), None);
    }

    #[test]
    fn a_node_that_nobody_may_use_cannot_be_busy() {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
        let app = App { nodes: Some(vec![NodeId(0)]), ..local_app("a", 1.0) };
        let busy = Restrictions { no_idle_cores: true, ..Restrictions::default() };
        assert_eq!(busy.check(&machine, &[app]), Err(Infeasible::NobodyOnNode(NodeId(1))));
    }
}
