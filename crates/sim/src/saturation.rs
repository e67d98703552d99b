//! Finds the nodes on which the best allocation leaves cores idle because a memory or a link is full, and the number of threads from which
//! more gain nothing.

use numasim_model::{Allocation, AppId, Bottleneck, Evaluation, NodeId};

use crate::objective::Objective;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::search::is_fairer;

/// Maximum number of changed allocations that are evaluated.
const MOST_CHANGES: usize = 4_096;

/// A resource that is full, with idle cores on a node whose threads wait for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Saturated {
    /// The node with the threads and the idle cores.
    pub node: NodeId,
    /// The resource that is full.
    pub by: Bottleneck,
    /// The applications that wait for it, ascending, each with its hardware threads on the node.
    pub apps: Vec<(AppId, u32)>,
    /// Whether one thread less of any of them is worse.
    pub is_least: bool,
}

impl Problem {
    /// Nodes on which more threads of the applications there are allowed and gain nothing, in ascending order; `evaluation` belongs to
    /// `best`. Empty if there are too many changes to evaluate.
    pub fn saturated(&self, best: &Candidate, evaluation: &Evaluation) -> Vec<Saturated> {
        let of = self.with_smt(&best.smt);
        let nodes: Vec<NodeId> = of.machine.compute_nodes().collect();
        if of.apps.len() * nodes.len() * of.machine.rows_per_app() > MOST_CHANGES {
            return Vec::new();
        }
        let mut around = Around::new(&of, best);
        let mut found = Vec::new();
        for &node in &nodes {
            let idle = u64::from(of.machine.node(node).cores) > best.allocation.on_node(node);
            let mut by_resource: Vec<(&Bottleneck, Vec<AppId>)> = Vec::new();
            for app in (0..of.apps.len()).map(AppId).filter(|_| idle) {
                match evaluation.apps[app.0].per_node[node.0].as_ref().map(|group| &group.bottleneck) {
                    None | Some(Bottleneck::Thread(_) | Bottleneck::SlowestThread(_)) => {}
                    Some(by) => match by_resource.iter_mut().find(|(other, _)| is_same(other, by)) {
                        Some((_, apps)) => apps.push(app),
                        None => by_resource.push((by, vec![app])),
                    },
                }
            }
            for (by, waiting) in by_resource {
                let more: Vec<bool> =
                    waiting.iter().filter_map(|&app| around.gains_with_more(app, node)).collect();
                if more.is_empty() || more.contains(&true) {
                    continue;
                }
                let is_least = waiting.iter().all(|&app| around.loses_with_less(app, node));
                let threads = |app: AppId| {
                    let cores = best.allocation.get(app, node);
                    (app, cores * of.apps[app.0].smt.threads_per_core())
                };
                let apps = waiting.into_iter().map(threads).collect();
                found.push(Saturated { node, by: by.clone(), apps, is_least });
            }
        }
        found
    }
}

/// Whether two threads of a node have the same bottleneck; all L3 domains of a node are alike.
fn is_same(a: &Bottleneck, b: &Bottleneck) -> bool {
    a == b || matches!((a, b), (Bottleneck::L3Link { .. }, Bottleneck::L3Link { .. }))
}

/// Allocations with a few threads more or less than the best.
struct Around<'a> {
    problem: &'a Problem,
    best: &'a Candidate,
    evaluator: Evaluator<'a>,
    gflops: Vec<f64>,
}

impl<'a> Around<'a> {
    fn new(problem: &'a Problem, best: &'a Candidate) -> Self {
        let mut evaluator = Evaluator::new(problem, best.placements.clone());
        let gflops = evaluator.gflops_of(&best.allocation).to_vec();
        Self { problem, best, evaluator, gflops }
    }

    /// Whether the objective is better with more threads of an application on a node; `None` if it may have no more.
    fn gains_with_more(&mut self, app: AppId, node: NodeId) -> Option<bool> {
        let step = i64::from(self.step(app));
        let changed = self.changed(app, node, step);
        let gains: Vec<bool> =
            changed.iter().filter_map(|allocation| Some(self.compared(allocation)? > 0)).collect();
        (!gains.is_empty()).then(|| gains.contains(&true))
    }

    /// Whether it is worse with fewer.
    fn loses_with_less(&mut self, app: AppId, node: NodeId) -> bool {
        let step = i64::from(self.step(app));
        let changed = self.changed(app, node, -step);
        let loses: Vec<bool> =
            changed.iter().filter_map(|allocation| Some(self.compared(allocation)? < 0)).collect();
        !loses.is_empty() && !loses.contains(&false)
    }

    /// Step of an application's threads on a node.
    fn step(&self, app: AppId) -> u32 {
        let placing = &self.problem.apps[app.0].placing;
        placing.per_l3.or(placing.multiple_of).map_or(1, std::num::NonZeroU32::get)
    }

    /// The allocations with `more` threads on a node: if domains matter, one for each domain.
    fn changed(&self, app: AppId, node: NodeId, more: i64) -> Vec<Allocation> {
        let with = |threads: u32| u32::try_from(i64::from(threads) + more).ok();
        let allocation = &self.best.allocation;
        if !self.problem.is_by_domain() {
            let mut changed = allocation.clone();
            let threads = with(allocation.get(app, node));
            return threads
                .map(|threads| changed.set(app, node, threads))
                .map(|()| changed)
                .into_iter()
                .collect();
        }
        let per_l3 = allocation.per_l3(&self.problem.machine);
        let in_domain = |domain: usize| {
            let mut changed = per_l3.clone().into_owned();
            changed[app.0][node.0][domain] = with(changed[app.0][node.0][domain])?;
            Allocation::from_domains(changed)
        };
        let domains = 0..self.problem.machine.node(node).domains();
        domains
            .filter(|&domain| more > 0 || per_l3[app.0][node.0][domain] > 0)
            .filter_map(in_domain)
            .collect()
    }

    /// 1 if an allocation is better than the best, -1 if it is worse, 0 if both are as good; `None` if it is not allowed.
    fn compared(&mut self, allocation: &Allocation) -> Option<i32> {
        if !self.evaluator.allows(allocation) {
            return None;
        }
        let goal = &self.problem.goal;
        let own = self.evaluator.gflops_of(allocation);
        if goal.objective() == Objective::Fair {
            let (own, best) = (goal.sorted(own), goal.sorted(&self.gflops));
            return Some(i32::from(is_fairer(&own, &best)) - i32::from(is_fairer(&best, &own)));
        }
        let (own, best) = (goal.score(own), goal.score(&self.gflops));
        let margin = goal.margin(best);
        Some(i32::from(own > best + margin) - i32::from(own < best - margin))
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::{App, Machine};

    use super::*;
    use crate::restrictions::Restrictions;
    use crate::search::{Settings, Unattended, explore};
    use crate::testing::{local_app, two_chiplets, uniform_machine};

    fn saturated(machine: &Machine, apps: &[App]) -> (u64, Vec<Saturated>) {
        let problem =
            Problem::new(machine, apps, Objective::default(), Restrictions::default()).expect("a question");
        let best = explore(&problem, &Settings::default(), &Unattended).expect("an answer").best;
        let (evaluation, _) = problem.evaluated(&best, false).expect("possible");
        (problem.threads_of(&best), problem.saturated(&best, &evaluation))
    }

    /// Hand test H: 1 node x 8 cores, 10 GFLOPS, 32 GB/s. A thread of intensity 0.5 wants 20 GB/s: two fill the memory.
    #[test]
    fn a_memory_is_full_from_the_smallest_saturating_number_of_threads() {
        let machine = uniform_machine(1, 8, 10.0, 32.0, 1.0);
        let (threads, found) = saturated(&machine, &[local_app("omp", 0.5)]);
        let by = Bottleneck::LocalController(NodeId(0));
        assert_eq!(threads, 2);
        assert_eq!(found, [Saturated { node: NodeId(0), by, apps: vec![(AppId(0), 2)], is_least: true }]);
    }

    /// 8 threads of intensity 10 want 8 GB/s together: nothing is full, and no core is idle.
    #[test]
    fn nothing_is_full_when_every_core_counts() {
        let machine = uniform_machine(1, 8, 10.0, 32.0, 1.0);
        assert_eq!(saturated(&machine, &[local_app("compute", 10.0)]), (8, Vec::new()));
    }

    /// Hand test H with exactly 5 threads: the memory is full, but fewer threads are not allowed.
    #[test]
    fn a_required_number_of_threads_is_not_reported_as_minimum() {
        let machine = uniform_machine(1, 8, 10.0, 32.0, 1.0);
        let five = App { min_threads: 5, ..local_app("omp", 0.5) };
        let (threads, found) = saturated(&machine, std::slice::from_ref(&five));
        assert_eq!((threads, found.len(), found[0].is_least), (5, 1, false));
        // It may not have more: nothing is reported.
        assert_eq!(saturated(&machine, &[App { max_threads: Some(5), ..five }]).1, []);
    }

    /// Hand test B: 2 + 2 threads fill both L3 domains (50 GB/s, 30 a core) of a node with 200 GB/s.
    #[test]
    fn l3_domains_of_a_node_are_full_together() {
        let (threads, found) = saturated(&two_chiplets(), &[local_app("a", 1.0)]);
        assert_eq!((threads, found.len()), (4, 1));
        assert!(matches!(found[0].by, Bottleneck::L3Link { .. }) && found[0].is_least);
    }
}
