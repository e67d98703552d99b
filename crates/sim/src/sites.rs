//! Which nodes change together, and which of them may hold whose threads.

use numasim_model::{Allocation, AppId, NodeId};

use crate::problem::Problem;
use crate::restrictions::may_hold;

/// The nodes with cores, cut into sites: nodes whose threads change together, one node or, under "the same on every
/// node", all of them.
pub(crate) struct Sites<'p> {
    problem: &'p Problem,
    sites: Vec<Vec<NodeId>>,
}

impl<'p> Sites<'p> {
    pub(crate) fn new(problem: &'p Problem) -> Self {
        let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
        let sites = if problem.restrictions.same_on_every_node {
            vec![nodes]
        } else {
            nodes.into_iter().map(|node| vec![node]).collect()
        };
        Self { problem, sites }
    }

    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    /// All nodes of a site.
    pub(crate) fn nodes(&self, site: usize) -> &[NodeId] {
        &self.sites[site]
    }

    /// The nodes of a site that may hold threads of `app`.
    pub(crate) fn nodes_of(&self, app: usize, site: usize) -> impl Iterator<Item = NodeId> + use<'_> {
        let app = &self.problem.apps[app];
        self.sites[site].iter().copied().filter(move |&node| may_hold(app, node))
    }

    /// Threads of `app` on each node of the site that may hold them.
    pub(crate) fn threads(&self, allocation: &Allocation, app: usize, site: usize) -> u32 {
        self.nodes_of(app, site).next().map_or(0, |node| allocation.get(AppId(app), node))
    }

    /// Puts so many threads of `app` on each node of the site that may hold them.
    pub(crate) fn set(&self, allocation: &mut Allocation, app: usize, site: usize, threads: u32) {
        self.nodes_of(app, site).for_each(|node| allocation.set(AppId(app), node, threads));
    }

    /// Makes `app` on the site what it is in `before`.
    pub(crate) fn take_back(
        &self,
        before: &Allocation,
        allocation: &mut Allocation,
        app: usize,
        site: usize,
    ) {
        self.nodes_of(app, site)
            .for_each(|node| allocation.set(AppId(app), node, before.get(AppId(app), node)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};
    use crate::{Objective, Restrictions};

    #[test]
    fn a_site_of_all_nodes_leaves_out_those_that_an_application_may_not_use() {
        let machine = uniform_machine(3, 2, 10.0, 32.0, 10.0);
        let mut apps = [local_app("a", 1.0), local_app("b", 1.0)];
        apps[1].nodes = Some(vec![NodeId(1), NodeId(2)]);
        let restrictions = Restrictions { same_on_every_node: true, ..Restrictions::default() };
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, restrictions).expect("possible");
        let sites = Sites::new(&problem);
        let mut allocation = Allocation::empty(2, 3);
        (0..2).for_each(|app| sites.set(&mut allocation, app, 0, 1));
        assert_eq!((sites.len(), allocation.as_slice()), (1, &[1, 1, 1, 0, 1, 1][..]));
        assert_eq!(sites.threads(&allocation, 1, 0), 1);
    }
}
