//! Properties of what the search takes for equal: applications and nodes of one class can be exchanged in every allocation.

use super::models::{lines, model, sharing, with_lines};
use super::*;
use crate::symmetry::{app_classes, node_classes};

/// The GFLOPS of each application with `threads`: row after row, a row for each application, a number for each node.
fn gflops(evaluator: &Evaluator<'_>, threads: &[u32]) -> Vec<f64> {
    let mut workspace = evaluator.solver.workspace();
    evaluator.solver.solve(threads, &mut workspace);
    workspace.gflops().to_vec()
}

/// Whether two lists of GFLOPS differ by rounding only. Sums are in another order.
fn same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| (one - other).abs() <= 1e-8 * one.abs().max(other.abs()))
}

proptest! {
    #![proptest_config(crate::random::questions(1000))]

    #[test]
    fn equals_can_be_exchanged_in_every_allocation(
        (machine, apps) in machine().prop_flat_map(|machine| {
            let apps = apps(machine.node_count());
            (Just(machine), apps)
        }),
        model in model(),
        lines in lines(),
        drawn in prop::collection::vec(0_u32..4, 9),
        choice in 0_usize..1000,
    ) {
        let nodes = machine.node_count();
        let machine = sharing(machine, model);
        let apps = with_lines(apps, lines);
        let apps = with_data_on_memories(&machine, apps);
        let Ok(problem) = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()) else { return Ok(()) };
        let sets = every_set_of_homes(&problem);
        let placements = problem.placements(&sets[choice % sets.len()]);
        let evaluator = Evaluator::new(&problem, placements.clone());
        // No node has more threads than cores.
        let mut free: Vec<u32> = machine.nodes().iter().map(|node| node.cores).collect();
        let mut threads = vec![0; apps.len() * nodes];
        for (position, number) in threads.iter_mut().enumerate() {
            *number = drawn[position % drawn.len()].min(free[position % nodes]);
            free[position % nodes] -= *number;
        }
        let before = gflops(&evaluator, &threads);
        let classes = app_classes(&machine, &apps);
        for (one, &other) in classes.iter().enumerate().filter(|&(one, &other)| other < one && placements[one] == placements[other]) {
            let (mut threads, mut expected) = (threads.clone(), before.clone());
            (0..nodes).for_each(|node| threads.swap(one * nodes + node, other * nodes + node));
            expected.swap(one, other);
            let after = gflops(&evaluator, &threads);
            prop_assert!(same(&expected, &after), "applications {one} and {other}: {before:?}, exchanged {after:?}");
        }
        let classes = node_classes(&machine, &apps, &placements, false);
        for (one, &other) in classes.iter().enumerate().filter(|&(one, &other)| other < one) {
            let mut threads = threads.clone();
            threads.chunks_exact_mut(nodes).for_each(|row| row.swap(one, other));
            let after = gflops(&evaluator, &threads);
            prop_assert!(same(&before, &after), "nodes {one} and {other}: {before:?}, exchanged {after:?}");
        }
    }
}
