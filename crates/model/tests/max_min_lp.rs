//! Max-min compared with linear programs on random networks: an independent solver without progressive
//! filling.
//!
//! The largest minimum is a linear program. Groups that cannot have more keep it, and the next program is
//! about the others (lexicographic max-min).

use crate::common::Case;
use crate::common::models::alone;
use crate::common::strategies::case_of;
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, ModelKind, NodeId};
use proptest::prelude::*;

/// Threads of one application on one node.
#[derive(Clone, Copy, Debug)]
struct Group {
    app: AppId,
    node: NodeId,
    threads: f64,
    /// Read-equivalent GB/s of one GB/s of a thread.
    occupied: f64,
    /// Demand of a thread in read-equivalent GB/s, the unit of all rates here.
    demand_gbs: f64,
    /// Its rate, once it is known.
    rate: Option<f64>,
}

/// Tolerance for rates in units of the fastest resource.
const NEAR: f64 = 1e-7;

/// GB/s of one thread of each group.
fn by_programs(case: &Case) -> Vec<Group> {
    let unit = case.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
    let mut groups: Vec<Group> = Vec::new();
    for app in case.apps() {
        for node in case.machine.node_ids().filter(|&node| case.allocation.get(app, node) > 0) {
            let threads = f64::from(case.allocation.get(app, node));
            let occupied = case.occupied_once(app, node);
            // No thread can have more than all controllers together; this keeps the numbers of the programs
            // small.
            let demand_gbs = (occupied * alone(case, app, node) / unit).min(case.machine.node_count() as f64);
            groups.push(Group { app, node, threads, occupied, demand_gbs, rate: None });
        }
    }
    while groups.iter().any(|group| group.rate.is_none()) {
        let least = largest_minimum(case, &groups, unit);
        let stuck: Vec<usize> = (0..groups.len())
            .filter(|&g| groups[g].rate.is_none() && largest(case, &groups, unit, least, g) <= least + NEAR)
            .collect();
        assert!(!stuck.is_empty(), "the smallest rate is somebody's largest");
        for g in stuck {
            groups[g].rate = Some(least);
        }
    }
    for group in &mut groups {
        group.rate = group.rate.map(|rate| rate * unit / group.occupied);
    }
    groups
}

/// A program with a rate for each group, within every resource.
fn program(case: &Case, groups: &[Group], unit: f64, least: f64) -> (Problem, Vec<Variable>) {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let rates: Vec<Variable> = groups
        .iter()
        .map(|group| match group.rate {
            // A small margin for the rounding errors of earlier programs.
            Some(rate) => problem.add_var(0.0, ((rate - NEAR * 1e-2).max(0.0), rate)),
            None => problem.add_var(0.0, (least.min(group.demand_gbs), group.demand_gbs)),
        })
        .collect();
    let mut limit = |capacity: f64, memory: NodeId, from: Option<NodeId>| {
        let mut sum = LinearExpr::empty();
        for (group, &rate) in groups.iter().zip(&rates) {
            let cost = case.cost(group.app, group.node, memory);
            if cost > 0.0 && from.is_none_or(|from| from == group.node) {
                sum.add(rate, group.threads * cost / group.occupied);
            }
        }
        problem.add_constraint(sum, ComparisonOp::Le, capacity / unit);
    };
    for memory in case.machine.node_ids() {
        limit(case.machine.node(memory).bandwidth.value(), memory, None);
        for from in case.machine.node_ids() {
            if let Some(link) = case.machine.link(from, memory).map(GigabytesPerSecond::value) {
                limit(link, memory, Some(from));
            }
        }
    }
    (problem, rates)
}

/// The largest smallest rate of the groups whose rate is not yet known.
fn largest_minimum(case: &Case, groups: &[Group], unit: f64) -> f64 {
    let (mut problem, rates) = program(case, groups, unit, 0.0);
    let least = problem.add_var(1.0, (0.0, f64::INFINITY));
    for (_, &rate) in groups.iter().zip(&rates).filter(|(group, _)| group.rate.is_none()) {
        problem.add_constraint([(rate, 1.0), (least, -1.0)], ComparisonOp::Ge, 0.0);
    }
    let solution = problem.solve().expect("zero is possible").into_solution().expect("not interrupted");
    solution[least]
}

/// The largest rate of one group if the other unknown ones have at least `least`.
fn largest(case: &Case, groups: &[Group], unit: f64, least: f64, group: usize) -> f64 {
    let (mut problem, rates) = program(case, groups, unit, (least - NEAR * 1e-1).max(0.0));
    let goal = problem.add_var(1.0, (0.0, f64::INFINITY));
    problem.add_constraint([(rates[group], 1.0), (goal, -1.0)], ComparisonOp::Ge, 0.0);
    let solution =
        problem.solve().expect("the last program's answer").into_solution().expect("not interrupted");
    solution[goal]
}

proptest! {
    #![proptest_config(crate::random::questions(400))]

    #[test]
    fn progressive_filling_is_the_lexicographic_optimum(case in case_of(1..=4_usize)) {
        let solved = case.under(ModelKind::MaxMin.into());
        let unit = case.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        for group in by_programs(&case) {
            let (fast, slow) = (solved.bandwidth[group.app.0][group.node.0].unwrap(), group.rate.unwrap());
            // Rates of one round may differ by the tolerance times the number of groups that share it.
            let tolerance = 1e2 * NEAR * unit;
            prop_assert!((fast - slow).abs() <= tolerance, "{group:?}: {fast} {slow}");
        }
    }
}
