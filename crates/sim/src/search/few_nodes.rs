//! Applications that may be on few nodes only: which ones is decided part by part.
//!
//! A part says which nodes an application may use. Where the best of a part has an application on too many, a node of these is
//! chosen: either the application is on it, which is noted, or on none of the nodes that are like it. With as many noted as it may
//! have, the others are out.

use std::collections::BTreeMap;

use numasim_model::{AppId, NodeId};

use super::parts::Division;
use crate::problem::{Candidate, Problem};
use crate::restrictions::may_hold;
use crate::symmetry::{app_classes, node_classes};

/// Per application: the nodes that it may use, and those of them that it is taken to use; both ascending.
pub(super) type Sets = Vec<(Vec<usize>, Vec<usize>)>;

/// How many nodes applications may use.
pub(super) struct FewNodes<'a> {
    problem: &'a Problem,
    /// For each application the first one that is equal.
    app_classes: Vec<usize>,
}

impl<'a> FewNodes<'a> {
    /// `None` where no application may be on fewer nodes than it could.
    pub(super) fn new(problem: &'a Problem) -> Option<Self> {
        let Problem { machine, apps, restrictions, .. } = problem;
        // All nodes are one then; everything is tried, or nothing.
        if restrictions.same_on_every_node {
            return None;
        }
        let could = |app| machine.compute_nodes().filter(|&node| may_hold(app, node)).count();
        let asked = apps.iter().any(|app| app.placing.max_nodes.is_some_and(|most| most < could(app)));
        asked.then(|| Self { problem, app_classes: app_classes(machine, apps) })
    }

    /// Everything.
    pub(super) fn root(&self) -> Sets {
        let Problem { machine, apps, .. } = self.problem;
        let nodes = |app| machine.compute_nodes().filter(move |&node| may_hold(app, node));
        apps.iter().map(|app| (nodes(app).map(|node| node.0).collect(), Vec::new())).collect()
    }

    fn most(&self, app: usize) -> usize {
        self.problem.apps[app].placing.max_nodes.unwrap_or(usize::MAX)
    }

    /// The same where equal instances stand in order.
    fn in_order(&self, sets: &Sets) -> Sets {
        let mut groups: BTreeMap<usize, Vec<_>> = BTreeMap::new();
        for (app, own) in sets.iter().enumerate() {
            groups.entry(self.app_classes[app]).or_default().push(own.clone());
        }
        for group in groups.values_mut() {
            group.sort_unstable_by(|a, b| b.cmp(a));
        }
        let next = |class: &usize| groups.get_mut(class).and_then(Vec::pop).unwrap_or_default();
        self.app_classes.iter().map(next).collect()
    }

    /// The nodes that are like `node`, itself among them.
    fn like(sets: &Sets, problem: &Problem, node: usize) -> Vec<usize> {
        let Problem { machine, apps, .. } = problem;
        let fixed: Vec<_> = apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let class = node_classes(machine, apps, &fixed, fixed.len() < apps.len());
        let noted = |other: usize| sets.iter().map(move |(_, used)| used.contains(&other));
        (0..class.len())
            .filter(|&other| class[other] == class[node] && noted(other).eq(noted(node)))
            .collect()
    }
}

impl Division for FewNodes<'_> {
    type Part = Sets;

    fn problem(&self, sets: &Sets) -> Option<Problem> {
        let mut problem = self.problem.clone();
        for (app, (allowed, _)) in problem.apps.iter_mut().zip(sets) {
            if app.placing.max_nodes.take().is_some() {
                app.nodes = Some(allowed.iter().copied().map(NodeId).collect());
            }
        }
        problem.restrictions.check(&problem.machine, &problem.apps).is_ok().then_some(problem)
    }

    fn holds(&self, candidate: &Candidate) -> bool {
        let used = |a: usize| {
            let nodes = 0..self.problem.machine.node_count();
            nodes.filter(|&node| candidate.allocation.get(AppId(a), NodeId(node)) > 0).count()
        };
        (0..self.problem.apps.len()).all(|a| used(a) <= self.most(a))
    }

    fn split(&self, sets: &Sets, around: Option<&Candidate>) -> Vec<Sets> {
        let threads = |a: usize, node: usize| match around {
            Some(candidate) => candidate.allocation.get(AppId(a), NodeId(node)),
            None => 1,
        };
        let used = |a: usize| sets[a].0.iter().filter(|&&node| threads(a, node) > 0).count();
        let over = |a: &usize| used(*a).saturating_sub(self.most(*a));
        let free = |a: usize| sets[a].0.iter().copied().filter(move |node| !sets[a].1.contains(node));
        let app = (0..sets.len()).filter(|a| over(a) > 0).max_by_key(|a| (over(a), std::cmp::Reverse(*a)));
        let Some(app) = app else { return Vec::new() };
        let node = free(app).max_by_key(|&node| (threads(app, node), std::cmp::Reverse(node)));
        let (Some(node), Some(problem)) = (node, self.problem(sets)) else { return Vec::new() };
        let mut with = sets.clone();
        with[app].1.push(node);
        with[app].1.sort_unstable();
        if with[app].1.len() >= self.most(app) {
            let noted = with[app].1.clone();
            with[app].0 = noted;
        }
        let mut without = sets.clone();
        let like = Self::like(sets, &problem, node);
        without[app].0.retain(|node| !like.contains(node) || sets[app].1.contains(node));
        [with, without].iter().map(|sets| self.in_order(sets)).collect()
    }

    /// Each application on those nodes where it has most.
    fn rounded(&self, sets: &Sets, near: &Candidate) -> Option<Sets> {
        let keep = |(a, (allowed, _)): (usize, &(Vec<usize>, Vec<usize>))| {
            let mut nodes = allowed.clone();
            nodes.sort_by_key(|&node| std::cmp::Reverse(near.allocation.get(AppId(a), NodeId(node))));
            nodes.truncate(self.most(a));
            nodes.sort_unstable();
            (nodes.clone(), nodes)
        };
        Some(self.in_order(&sets.iter().enumerate().map(keep).collect()))
    }
}
