//! Contradictions between restrictions that show without a search.

use numasim_model::{App, Machine};

use super::infeasible::Infeasible;
use super::rules::Restrictions;

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
        self.check_per_node(machine, apps, nodes)?;
        if self.whole_nodes {
            self.check_whole_nodes(machine, apps, nodes)?;
        }
        if self.no_idle_cores {
            let allowed: Option<u64> = apps.iter().map(|app| app.max_threads.map(u64::from)).sum();
            if let Some(allowed) = allowed.filter(|&allowed| allowed < cores) {
                return Err(Infeasible::IdleCores { allowed, cores });
            }
        }
        if self.same_on_every_node {
            self.check_same(machine, apps, nodes)?;
        }
        Ok(())
    }

    fn check_per_node(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let per_node = self.min_threads_per_node;
        if per_node == 0 {
            return Ok(());
        }
        if self.whole_nodes && apps.len() > 1 {
            return Err(Infeasible::WholeNodesMinPerNode { per_node, apps: apps.len() });
        }
        for node in machine.compute_nodes() {
            let cores = machine.node(node).cores;
            if u64::from(per_node) * apps.len() as u64 > u64::from(cores) {
                return Err(Infeasible::MinPerNode { per_node, apps: apps.len(), node, cores });
            }
        }
        for app in apps {
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
        if self.same_on_every_node && needy.len() > 1 {
            return Err(Infeasible::WholeNodesSame { apps: needy.len() });
        }
        let largest = machine.nodes().iter().map(|node| node.cores).max().unwrap_or(1).max(1);
        let needed: usize = needy.iter().map(|app| app.min_threads.div_ceil(largest) as usize).sum();
        if needed > nodes {
            return Err(Infeasible::TooFewNodes { needed, nodes });
        }
        Ok(())
    }

    fn check_same(&self, machine: &Machine, apps: &[App], nodes: usize) -> Result<(), Infeasible> {
        let cores = || machine.compute_nodes().map(|node| machine.node(node).cores);
        let (smallest, largest) = (cores().min().unwrap_or(0), cores().max().unwrap_or(0));
        if self.no_idle_cores && smallest < largest {
            return Err(Infeasible::IdleCoresOnUnequalNodes { smallest, largest });
        }
        let steps = u32::try_from(nodes).unwrap_or(u32::MAX);
        for app in apps {
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
