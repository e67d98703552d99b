//! Intervals by hand, their guarantees, and their coverage.

use std::collections::BTreeMap;

use numasim_model::evaluation::Options;
use numasim_model::machine::{FigureKind, Provenance};
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{Allocation, App, Machine, Placement};
use rand::RngExt as _;

use super::{Draws, Interval, Prediction, quantile};
use crate::objective::Objective;
use crate::problem::{Candidate, Problem};
use crate::restrictions::Restrictions;
use crate::search::generator;
use crate::testing::{local_app, uniform_machine, with_nodes};

/// The machine with intervals of 95 %, in percent, for some keys.
fn known(machine: Machine, percents: &[(&str, f64)]) -> Machine {
    let origin = |percent| Provenance {
        kind: FigureKind::Measured,
        source: None,
        uncertainty_percent: None,
        interval95_percent: Some(percent),
    };
    let provenance: BTreeMap<String, Provenance> =
        percents.iter().map(|&(key, percent)| (key.to_owned(), origin(percent))).collect();
    machine.with_provenance(provenance)
}

fn predicted(machine: &Machine, apps: &[App], threads: &[&[u32]]) -> Option<Prediction> {
    let rows: Vec<Vec<u32>> = threads.iter().map(|row| row.to_vec()).collect();
    let allocation = Allocation::from_rows(&rows).expect("a table");
    let placements = vec![Placement::Local; apps.len()];
    Draws::of(machine, 0)?.predict(apps, &placements, &allocation, Options::default()).expect("fits")
}

fn close(found: Interval, low: f64, high: f64) {
    let near = |a: f64, b: f64| (a - b).abs() <= 2e-4 * b.abs();
    assert!(near(found.low, low) && near(found.high, high), "{found:?}, not {low} to {high}");
}

#[test]
fn a_result_limited_by_one_value_has_its_interval() {
    // A core of 10 GFLOPS to 5 %: 10 / 1.05 to 10 x 1.05 if nothing else limits it. 2 threads of intensity 10 want 2 GB/s.
    let machine = uniform_machine(1, 4, 10.0, 32.0, 10.0);
    let compute = known(machine.clone(), &[("gflops_per_core", 5.0)]);
    let found = predicted(&compute, &[local_app("a", 10.0)], &[&[2]]).expect("an interval");
    close(found.total_gflops, 20.0 / 1.05, 20.0 * 1.05);
    // Four threads of intensity 0.5 want 80 GB/s and get all 32, to 2 %: 16 GFLOPS.
    let memory = known(machine, &[("bandwidth_gbs", 2.0)]);
    let found = predicted(&memory, &[local_app("a", 0.5)], &[&[4]]).expect("an interval");
    close(found.gflops[0], 16.0 / 1.02, 16.0 * 1.02);
    close(found.bandwidth_gbs[0], 32.0 / 1.02, 32.0 * 1.02);
}

#[test]
fn values_that_do_not_limit_have_no_effect() {
    let machine = known(uniform_machine(1, 4, 10.0, 32.0, 10.0), &[("bandwidth_gbs", 2.0)]);
    let found = predicted(&machine, &[local_app("a", 10.0)], &[&[2]]).expect("an interval");
    assert_eq!(found.total_gflops, Interval { low: 20.0, high: 20.0 });
}

#[test]
fn at_a_corner_the_interval_goes_to_one_side() {
    // Four threads of intensity 1.25 want 4 x 8 = 32 GB/s, exactly the available bandwidth: less memory bandwidth slows them, more does
    // nothing.
    let machine = known(uniform_machine(1, 4, 10.0, 32.0, 10.0), &[("bandwidth_gbs", 2.0)]);
    let found = predicted(&machine, &[local_app("a", 1.25)], &[&[4]]).expect("an interval");
    close(found.total_gflops, 40.0 / 1.02, 40.0);
}

#[test]
fn without_uncertain_figures_there_are_no_draws() {
    let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
    assert_eq!(Draws::of(&machine, 0), None);
    assert_eq!(Draws::of(&known(machine.clone(), &[("bandwidth_gbs", 0.0)]), 0), None);
    // The size of a memory has no effect.
    assert_eq!(Draws::of(&known(machine, &[("memory_gib", 3.0)]), 0), None);
}

#[test]
fn the_same_seed_draws_the_same_machines() {
    let percents = [("bandwidth_gbs", 2.0), ("gflops_per_core", 3.0)];
    let machine = known(uniform_machine(2, 4, 10.0, 32.0, 10.0), &percents);
    assert_eq!(Draws::of(&machine, 7), Draws::of(&machine, 7));
    assert_ne!(Draws::of(&machine, 7), Draws::of(&machine, 8));
    assert_eq!(Draws::of(&machine, 7).map(|draws| draws.machines().count()), Some(Draws::COUNT));
}

#[test]
fn equal_values_vary_together_and_different_ones_independently() {
    let equal = known(uniform_machine(2, 4, 10.0, 32.0, 10.0), &[("bandwidth_gbs", 2.0)]);
    assert_eq!(Draws::of(&equal, 0).map(|draws| draws.uncertain().len()), Some(1));
    let nodes = [32.0, 33.0].map(GigabytesPerSecond::new);
    let other = with_nodes(&equal, |n, node| numasim_model::Node { bandwidth: nodes[n], ..node });
    let other = known(other, &[("bandwidth_matrix_gbs", 2.0)]);
    // Two controllers; both links are 10 GB/s.
    let draws = Draws::of(&other, 0).expect("draws");
    assert_eq!(draws.uncertain().iter().map(|one| one.key).collect::<Vec<_>>(), ["bandwidth_matrix_gbs"; 3]);
    for machine in draws.machines() {
        let [a, b] = [0, 1].map(|n| machine.nodes()[n].bandwidth.value());
        assert!((a / b - 32.0 / 33.0).abs() > 0.0 && a > 30.0 && b < 36.0, "{a} {b}");
    }
    // Four threads of intensity 0.5 on each node: the sum of two independent 2 % of 16 and 16.5: 32.5 x 2 % / sqrt 2 or so.
    let found = predicted(&other, &[local_app("a", 0.5)], &[&[4, 4]]).expect("an interval");
    let reach = found.total_gflops.reach(32.5);
    let expected = 0.02 * (16.0_f64.powi(2) + 16.5_f64.powi(2)).sqrt();
    assert!((reach / expected - 1.0).abs() < 0.12, "{reach}, not {expected}");
}

#[test]
fn wider_input_intervals_give_wider_results() {
    let machine = uniform_machine(2, 4, 10.0, 32.0, 10.0);
    let apps = [local_app("a", 0.5), local_app("b", 2.0)];
    let reach = |percent: f64| {
        let machine = known(machine.clone(), &[("bandwidth_gbs", percent), ("gflops_per_core", 2.0)]);
        let found = predicted(&machine, &apps, &[&[2, 2], &[2, 2]]).expect("an interval");
        found.total_gflops.high - found.total_gflops.low
    };
    assert!(reach(0.5) < reach(2.0) && reach(2.0) < reach(8.0));
}

/// The candidates with these threads on one node.
fn candidates(problem: &Problem, rows: &[[u32; 2]]) -> Vec<Candidate> {
    let of = |row: &[u32; 2]| {
        let allocation = Allocation::from_rows(&row.map(|threads| vec![threads])).expect("a table");
        crate::problem::Evaluator::new(problem, vec![Placement::Local; 2]).candidate(allocation)
    };
    rows.iter().map(of).collect()
}

#[test]
fn rivals_are_compared_on_the_same_machines() {
    // One node of 4 cores, 10 GFLOPS each, 32 GB/s; `cpu` of intensity 10 and `mem` of 0.5. 3 + 1: 30 + 1 x 10 = 40 (mem wants 20, cpu 3
    // GB/s). 2 + 2: 20 + (32 - 2) x 0.5 = 35. A factor on all cores alone cannot swap their order, although the uncertainty of both values
    // is as large as their difference.
    let machine = known(uniform_machine(1, 4, 10.0, 32.0, 10.0), &[("gflops_per_core", 20.0)]);
    let apps = [local_app("cpu", 10.0), local_app("mem", 0.5)];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
    let problem = problem.expect("a possible question");
    let found = candidates(&problem, &[[3, 1], [2, 2], [3, 1]]);
    let draws = Draws::of(&machine, 0).expect("draws");
    let rivals = draws.rivals(&problem, &found[0], &[&found[1], &found[2]]).expect("values");
    assert!(rivals.best.low < rivals.others[0].value.high, "the intervals of the values overlap");
    assert!(rivals.others[0].distinguishable, "{rivals:?}");
    assert!(rivals.others[0].difference.high < 0.0, "{rivals:?}");
    // An allocation cannot be distinguished from itself.
    assert!(!rivals.others[1].distinguishable);
    assert_eq!(rivals.others[1].difference, Interval { low: 0.0, high: 0.0 });
}

#[test]
fn a_rival_behind_on_some_machines_is_not_distinguishable() {
    // `cpu` on all 4 cores has 40 GFLOPS. 3 + 1 with `mem` of 1.2 FLOP/byte also has 30 + 10, unless the memory has less than the 3 + 8.33
    // GB/s wanted. It has 11.5 to 5 %, so 3 + 1 is behind on a quarter of the machines.
    let machine = uniform_machine(1, 4, 10.0, 11.5, 10.0);
    let machine = known(machine, &[("bandwidth_gbs", 5.0)]);
    let apps = [local_app("cpu", 10.0), local_app("mem", 1.2)];
    let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
    let problem = problem.expect("a possible question");
    let found = candidates(&problem, &[[4, 0], [3, 1]]);
    let draws = Draws::of(&machine, 0).expect("draws");
    let rivals = draws.rivals(&problem, &found[0], &[&found[1]]).expect("values");
    assert!(!rivals.others[0].distinguishable, "{rivals:?}");
}

#[test]
fn the_interval_contains_the_true_value_in_95_percent() {
    // 400 calibrations of a machine whose true values are known. Each value is off by its own error, which the file gives (2 and 3 %,
    // lognormal). The interval around the prediction of such a file contains the true value in 95 %; 90 to 99 % is further than 4 standard
    // deviations of 400 trials, sqrt(0.95 x 0.05 / 400) = 1.1 %.
    let truth = (10.0, 32.0);
    let percents = [("gflops_per_core", 2.0), ("bandwidth_gbs", 3.0)];
    let apps = [local_app("cpu", 10.0), local_app("mem", 0.5)];
    // Memory for `mem`: 32 - 2 x 1 = 30 GB/s, 15 GFLOPS, in addition to 20 of `cpu`.
    let (trials, mut held) = (400, 0);
    let mut random = generator(1, 0);
    for _ in 0..trials {
        let mut off = |percent: f64| {
            let p: f64 = random.random_range(1e-9..1.0);
            ((percent / 100.0).ln_1p() / quantile(0.975) * quantile(p)).exp()
        };
        let machine = uniform_machine(1, 4, truth.0 * off(2.0), truth.1 * off(3.0), 10.0);
        let found = predicted(&known(machine, &percents), &apps, &[&[2], &[2]]).expect("an interval");
        held += i32::from((found.total_gflops.low..=found.total_gflops.high).contains(&35.0));
    }
    let share = f64::from(held) / f64::from(trials);
    assert!((0.90..=0.99).contains(&share), "{share}");
}
