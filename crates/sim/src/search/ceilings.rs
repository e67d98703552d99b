//! Upper bounds on the performance of threads under any sharing, for questions in which threads elsewhere can help.
//!
//! If data is on several memories, or pairs of nodes share a link, a thread that is slowed down at one place may leave more at another. The
//! performance of a node with all others empty is then no bound. Two facts hold in every model: no thread gets more than it wants, and no
//! resource carries more than its capacity.

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, Machine, NodeId, Placement};

use crate::problem::{Evaluator, Problem};

/// An upper bound for threads of one application on one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ceiling {
    /// GFLOPS of one thread.
    pub(super) per_thread: f64,
    /// GFLOPS of all of them.
    pub(super) together: f64,
}

/// The ceilings of each application on `node`: the maximum that a thread can use, and the maximum that controllers, links and the read
/// limit of the node let through to it.
pub(super) fn ceilings(problem: &Problem, evaluator: &Evaluator<'_>, node: NodeId) -> Vec<Ceiling> {
    let machine = &problem.machine;
    let solver = &evaluator.solver;
    let of = |(a, placement): (usize, &Placement)| {
        let intensity = problem.apps[a].arithmetic_intensity.value();
        let wants = solver.demand_per_thread()[a * solver.nodes() + node.0];
        let through = placement
            .read_from(machine, node)
            .into_iter()
            .map(|memory| way(machine, node, memory) / evaluator.cost(a, node, memory));
        let most = machine.node(node).read_bandwidth.map_or(f64::INFINITY, GigabytesPerSecond::value);
        let read = most / solver.occupied_in_all(AppId(a), node);
        Ceiling { per_thread: wants * intensity, together: through.fold(read, f64::min) * intensity }
    };
    evaluator.placements.iter().enumerate().map(of).collect()
}

/// The maximum bandwidth of a memory that cores of `from` can occupy, GB/s: its controller, the link, and links that pairs share.
fn way(machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
    let controller = machine.node(memory).bandwidth.value();
    let link = machine
        .link(from, memory)
        .filter(|_| from != memory)
        .map_or(f64::INFINITY, GigabytesPerSecond::value);
    let shared = machine.shared_directions().filter(|direction| direction.carries(from, memory));
    shared.map(|direction| direction.link.bandwidth.value()).fold(controller.min(link), f64::min)
}

/// A shared resource other than a controller, used by several flows.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Common {
    /// GB/s.
    pub(super) capacity: f64,
    /// Per class of nodes and application: GB/s that are occupied of it per GB/s that one of its nodes draws in all.
    pub(super) parts: Vec<Vec<f64>>,
}

/// Limits that the options of a node are known to respect, apart from its cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Respected {
    /// Everything that others do not use: they were evaluated.
    All,
    /// The ceiling of each application alone.
    Ceilings,
    /// The demand of threads: they are corners.
    Demand,
}

/// The links between classes of nodes, links that pairs share, and the read limits of nodes, if they can be bottlenecks of options that
/// respect only this. `classes`: the nodes of each. `machine`: that of the problem, perhaps with limits of L3 domains that
/// the problem leaves out.
pub(super) fn common_limits(
    problem: &Problem,
    machine: &Machine,
    evaluator: &Evaluator<'_>,
    classes: &[&[NodeId]],
    respected: Respected,
) -> Vec<Common> {
    /// With more classes there would be too many pairs for the linear programs.
    const MOST_CLASSES: usize = 16;
    let part = |class: &[NodeId], a: usize, over: &dyn Fn(NodeId, NodeId) -> bool| -> f64 {
        let Some(&from) = class.first().filter(|from| machine.node(**from).cores > 0) else { return 0.0 };
        let read = evaluator.placements[a].read_from(machine, from).into_iter();
        read.filter(|&memory| over(from, memory)).map(|memory| evaluator.cost(a, from, memory)).sum()
    };
    let parts_over = |over: &dyn Fn(NodeId, NodeId) -> bool| -> Vec<Vec<f64>> {
        let apps = 0..problem.apps.len();
        classes.iter().map(|class| apps.clone().map(|a| part(class, a, over)).collect()).collect()
    };
    let mut found = Vec::new();
    if respected != Respected::All && classes.len() <= MOST_CLASSES {
        for (c, from) in classes.iter().enumerate() {
            for to in classes {
                let pairs = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
                let links =
                    pairs.filter(|(from, to)| from != to).filter_map(|(from, to)| machine.link(from, to));
                let capacity = links.map(GigabytesPerSecond::value).sum();
                let mut parts = parts_over(&|from, memory| from != memory && to.contains(&memory));
                let others = parts.iter_mut().enumerate().filter(|(other, _)| *other != c);
                others.for_each(|(_, parts)| parts.fill(0.0));
                let over_it = parts[c].iter().filter(|part| **part > 0.0).count();
                if over_it > 1 || respected == Respected::Demand {
                    found.push(Common { capacity, parts });
                }
            }
        }
    }
    for (c, class) in classes.iter().enumerate() {
        let limits = class.iter().map(|&node| machine.node(node).most_read().map(GigabytesPerSecond::value));
        if let Some(capacity) = limits.sum::<Option<f64>>() {
            let mut parts = vec![vec![0.0; problem.apps.len()]; classes.len()];
            if let Some(&node) = class.first().filter(|node| machine.node(**node).cores > 0) {
                let occupied =
                    (0..problem.apps.len()).map(|a| evaluator.solver.occupied_in_all(AppId(a), node));
                parts[c] = occupied.collect();
            }
            found.push(Common { capacity, parts });
        }
    }
    for direction in machine.shared_directions() {
        let parts = parts_over(&|from, memory| direction.carries(from, memory));
        found.push(Common { capacity: direction.link.bandwidth.value(), parts });
    }
    found.retain(|common| common.can_be_too_narrow(problem, evaluator, classes));
    found
}

impl Common {
    fn can_be_too_narrow(&self, problem: &Problem, evaluator: &Evaluator<'_>, classes: &[&[NodeId]]) -> bool {
        let solver = &evaluator.solver;
        let most = |(class, parts): (&&[NodeId], &Vec<f64>)| -> f64 {
            let on_node = |node: &NodeId| {
                let wants =
                    |(a, part): (usize, &f64)| part * solver.demand_per_thread()[a * solver.nodes() + node.0];
                let thread = parts.iter().enumerate().map(wants).fold(0.0, f64::max);
                thread * f64::from(problem.machine.node(*node).cores)
            };
            class.iter().map(on_node).sum()
        };
        classes.iter().zip(&self.parts).map(most).sum::<f64>() > self.capacity
    }
}

#[cfg(test)]
mod tests {
    use numasim_model::{Access, Data};

    use super::*;
    use crate::testing::{app, uniform_machine};
    use crate::{Objective, Restrictions};

    /// Two nodes of 4 cores with 10 GFLOPS, 32 GB/s and links of 6 GB/s; a quarter of the data is on node 0, a thread wants 10 GB/s.
    fn problem() -> Problem {
        problem_of(&["a"])
    }

    /// The same with several such applications.
    fn problem_of(names: &[&str]) -> Problem {
        let machine = uniform_machine(2, 4, 10.0, 32.0, 6.0);
        let data = Data::Placed(Placement::PartHome { home: NodeId(0), share: 0.25 });
        let apps: Vec<_> = names.iter().map(|name| app(name, 1.0, data.clone())).collect();
        Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default())
            .expect("a possible question")
    }

    #[test]
    fn a_ceiling_is_the_slowest_part_of_the_path() {
        let problem = problem();
        let evaluator = Evaluator::new(&problem, problem.placements(&[]));
        // On node 0 everything is local: 32 GB/s. On node 1 a quarter comes over 6 GB/s: 24.
        let ceiling = |node| ceilings(&problem, &evaluator, NodeId(node));
        assert_eq!(ceiling(0), [Ceiling { per_thread: 10.0, together: 32.0 }]);
        assert_eq!(ceiling(1), [Ceiling { per_thread: 10.0, together: 24.0 }]);
    }

    #[test]
    fn ceilings_include_the_cost_of_a_kernel() {
        // Triads have 24 of 32 GB/s on node 0 and 16 on node 1: on node 0 all is local, 24. On node 1 a GB/s occupies 1/4 x 4/3 of
        // node 0, over 6 GB/s: 18; and 3/4 x 2 of node 1: 32 / 1.5 = 21.3.
        let mut problem = problem_of(&["a", "b"]);
        problem.apps.iter_mut().for_each(|app| app.kernel = Access::Triad);
        problem.machine = crate::testing::with_nodes(&problem.machine, |number, mut node| {
            node.kernels.set(Access::Triad, GigabytesPerSecond::new([24.0, 16.0][number]));
            node
        });
        let evaluator = Evaluator::new(&problem, problem.placements(&[]));
        let together = |node| ceilings(&problem, &evaluator, NodeId(node))[0].together;
        assert!((together(0) - 24.0).abs() < 1e-12 && (together(1) - 18.0).abs() < 1e-12);
        // A GB/s on node 1 occupies 1/3 of the link to node 0.
        let common = common_limits(
            &problem,
            &problem.machine,
            &evaluator,
            &[&[NodeId(0)], &[NodeId(1)]],
            Respected::Ceilings,
        );
        assert_eq!(common.len(), 1);
        assert!((common[0].parts[1][0] - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn only_resources_that_can_limit_several_are_common() {
        let problem = problem_of(&["a", "b"]);
        let evaluator = Evaluator::new(&problem, problem.placements(&[]));
        let (zero, one) = ([NodeId(0)], [NodeId(1)]);
        // 4 threads on node 1 want 40 GB/s, a quarter of them over the link to node 0. The other link is unused.
        let common =
            common_limits(&problem, &problem.machine, &evaluator, &[&zero, &one], Respected::Ceilings);
        assert_eq!(common, [Common { capacity: 6.0, parts: vec![vec![0.0; 2], vec![0.25; 2]] }]);
        // Over the link, a single application gets no more than its ceiling; corners do not know it.
        let problem = self::problem();
        let evaluator = Evaluator::new(&problem, problem.placements(&[]));
        let of_corners =
            common_limits(&problem, &problem.machine, &evaluator, &[&zero, &one], Respected::Demand);
        assert_eq!(of_corners, [Common { capacity: 6.0, parts: vec![vec![0.0], vec![0.25]] }]);
        assert_eq!(
            common_limits(&problem, &problem.machine, &evaluator, &[&zero, &one], Respected::Ceilings),
            []
        );
    }
}
