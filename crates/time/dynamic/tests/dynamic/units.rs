//! The same question in other units has the same answer: GFLOPS, GB/s and work are multiplied by a factor, and times do not change.

use numasim_course::{Study, Work};
use numasim_dynamic::{Run, SimulateError};
use numasim_model::machine::{Machine, Node, SharedLink};
use numasim_model::sharing::Parameter;
use numasim_model::units::Seconds;
use proptest::prelude::*;

use crate::agreement::{differences, is_close};
use crate::drawn::{Chooser, Drawn, anything, choices};

/// All policies that decide by values of speeds, and those that do not.
const NAMES: [&str; 7] = ["replan", "marginal", "reexplore", "replan", "lend", "lead:1", "fair-share"];

fn machine(of: &Machine, factor: f64) -> Machine {
    let node = |node: &Node| Node {
        gflops_per_core: node.gflops_per_core * factor,
        bandwidth: node.bandwidth * factor,
        core_bandwidth: node.core_bandwidth.map(|limit| limit * factor),
        read_bandwidth: node.read_bandwidth.map(|limit| limit * factor),
        kernels: node.kernels.times(factor),
        ..*node
    };
    let nodes = of.nodes().iter().map(node).collect();
    let pairs = of.node_ids().flat_map(|from| of.node_ids().map(move |to| (from, to)));
    let links =
        pairs.map(|(from, to)| of.link(from, to).unwrap_or(of.node(from).bandwidth) * factor).collect();
    let mut model = *of.sharing();
    for (parameter, value) in of.sharing().in_use() {
        if matches!(parameter, Parameter::CoreLocal | Parameter::CoreRemote | Parameter::OutstandingLines) {
            model = model.with(parameter, value * factor).expect("in range");
        }
    }
    let shared = of.shared_links().iter();
    let shared = shared.map(|link| SharedLink { bandwidth: link.bandwidth * factor, ..link.clone() });
    let machine = of.retuned(nodes, links).expect("a machine").with_sharing(model);
    machine.with_shared_links(shared.collect()).expect("shared links")
}

fn in_units(study: &Study, factor: f64) -> Study {
    let mut other = study.clone();
    for app in &mut other.apps {
        app.thread_gbs = app.thread_gbs.map(|limit| limit * factor);
    }
    other.machine = machine(&study.machine, factor);
    for phase in other.dynamics.courses.iter_mut().flat_map(|course| &mut course.phases) {
        match &mut phase.work {
            Some(Work::Divisible(work)) => *work = *work * factor,
            Some(Work::Tasks { each, .. }) => each.iter_mut().for_each(|work| *work = *work * factor),
            None => {}
        }
    }
    other
}

/// Differences, with work in the same units.
fn compared(
    one: &Result<Run, SimulateError>,
    other: &Result<Run, SimulateError>,
    factor: f64,
) -> Vec<String> {
    match (one, other) {
        (Ok(one), Ok(other)) => {
            let mut other = other.clone();
            other.apps.iter_mut().for_each(|app| app.work = app.work * (1.0 / factor));
            differences(one, &other)
        }
        (Err(SimulateError::Deadlock(one)), Err(SimulateError::Deadlock(other)))
            if one.stuck == other.stuck && is_close(one.time.value(), other.time.value()) =>
        {
            Vec::new()
        }
        (Err(one), Err(other)) if one == other => Vec::new(),
        (one, other) => vec![format!("{one:?} / {other:?}")],
    }
}

proptest! {
    #![proptest_config(crate::random::questions(300))]

    #[test]
    fn other_units_change_no_decision_and_no_makespan(mut choices in choices(), factor in prop::sample::select(vec![10.0, 3.0, 0.1])) {
        let mut drawn = anything(&mut choices);
        drawn.chooser = Chooser::Named(choices.of(&NAMES));
        if choices.one_in(2) {
            drawn.study.dynamics.policy.period = Seconds::new(0.0);
        }
        let other = Drawn { study: in_units(&drawn.study, factor), ..drawn.clone() };
        let differences = compared(&drawn.fast(), &other.fast(), factor);
        prop_assert!(differences.is_empty(), "x {factor}: {differences:#?}\n{drawn:#?}");
    }
}
