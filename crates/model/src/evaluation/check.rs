//! Final check of a finished evaluation before it is returned.
//!
//! The check runs in every build if it is cheap compared with the evaluation: it makes one pass over the
//! flows and one over the pairs of nodes. Beyond [`super::MOST_NODES_WITH_ALL_LINKS`] nodes, for which an
//! evaluation no longer visits every pair, it runs only for explained evaluations and in debug builds. A
//! direct call of [`crate::sharing::Solver::solve`], which searches and sweeps make millions of times, is not
//! checked; [`super::evaluate`] reports the same result, and that one is checked.

use super::Evaluation;
use crate::ids::AppId;
use crate::machine::Machine;
use crate::sharing::invariants::{self, Grants, Group, TOLERANCE, Violation};
use crate::sharing::{FlowView, ModelKind};

/// Checks that `evaluation` keeps the invariants of its model on `machine`, for grants and for actual
/// traffic.
///
/// # Errors
/// The first [`Violation`]: a bug in this program, whatever the input was.
pub fn check(machine: &Machine, evaluation: &Evaluation) -> Result<(), Violation> {
    let grants = sharing(machine, evaluation, |flow| flow.granted);
    let model = machine.sharing();
    if model.is_plain_default() {
        invariants::of_default(&grants)?;
    } else if model.is_plain(ModelKind::RemoteFirst) && !machine.has_common_limits() {
        invariants::of_remote_first(&grants)?;
    } else {
        invariants::within_limits(&grants)?;
    }
    invariants::within_limits(&sharing(machine, evaluation, |flow| drawn(evaluation, flow)))?;
    speeds(evaluation)
}

/// The flows of the evaluation in the form that the invariants take; `amount` is the bandwidth of one thread.
fn sharing(machine: &Machine, evaluation: &Evaluation, amount: impl Fn(&FlowView) -> f64) -> Grants {
    let mut grants = Grants::of_idle(machine);
    grants.groups.extend(evaluation.flows.iter().map(|flow| Group {
        app: flow.app,
        from: flow.from,
        memory: flow.memory,
        threads: flow.threads,
        demand_gbs: flow.demand_gbs,
        granted_gbs: amount(flow),
    }));
    grants
}

/// Read-equivalent bandwidth of one thread of the flow on its memory; NaN if the evaluation has no such
/// threads.
fn drawn(evaluation: &Evaluation, flow: &FlowView) -> f64 {
    let per_node = evaluation.apps.get(flow.app.0).map(|app| &app.per_node);
    let group = per_node.and_then(|per_node| per_node.get(flow.from.0)?.as_ref());
    group.map_or(f64::NAN, |group| group.bandwidth.value() * flow.cost() / f64::from(group.threads))
}

/// No application is faster than with the machine to itself.
fn speeds(evaluation: &Evaluation) -> Result<(), Violation> {
    for (a, app) in evaluation.apps.iter().enumerate() {
        let (gflops, full_speed) = (app.gflops.value(), app.full_speed.value());
        if !(0.0..=full_speed * (1.0 + TOLERANCE)).contains(&gflops) {
            return Err(Violation::AboveFullSpeed { app: AppId(a), gflops, full_speed });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::Allocation;
    use crate::app::{App, Data, Placement};
    use crate::evaluation::{EvaluateError, evaluate_explained};
    use crate::ids::NodeId;
    use crate::machine::{KernelBandwidths, Node, SharedLink};
    use crate::sharing::Model;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    const NODE: Node = Node {
        cores: 2,
        gflops_per_core: Gflops::new(20.0),
        bandwidth: GigabytesPerSecond::new(10.0),
        core_bandwidth: None,
        read_bandwidth: None,
        cores_per_l3: None,
        l3_bandwidth: None,
        memory: None,
        kernels: KernelBandwidths::NONE,
    };

    /// Two nodes of 2 cores with 10 GB/s, links of 4 GB/s. Two threads on each node read node 0, and each
    /// requests 20 GB/s. The link gives its threads 2 GB/s each; node 0 has 6 left, 3 for each of its own
    /// threads.
    fn sound(model: Model) -> (Machine, Evaluation) {
        let machine = Machine::uniform("two", 2, NODE, GigabytesPerSecond::new(4.0)).expect("a machine");
        let machine = machine.with_sharing(model);
        let placement = Placement::Home(NodeId(0));
        let allocation = Allocation::from_rows(&[vec![2, 2]]).expect("rows");
        let evaluation = evaluate_explained(&machine, &[app(placement.clone())], &[placement], &allocation)
            .expect("an evaluation");
        (machine, evaluation)
    }

    fn app(placement: Placement) -> App {
        App::new("a", FlopPerByte::new(1.0), Data::Placed(placement))
    }

    #[test]
    fn results_are_sound_under_every_model() {
        for kind in ModelKind::ALL {
            let (machine, evaluation) = sound(kind.into());
            assert_eq!(check(&machine, &evaluation), Ok(()), "{}", kind.as_str());
        }
    }

    #[test]
    fn results_on_shared_links_are_sound_under_every_model_that_supports_them() {
        // The threads of nodes 0 and 1 read nodes 2 and 3 over 5 GB/s in total; a third node also reads one
        // of the memories.
        let shared = SharedLink {
            name: "xGMI".to_owned(),
            bandwidth: GigabytesPerSecond::new(5.0),
            from: vec![NodeId(0), NodeId(1)],
            to: vec![NodeId(2), NodeId(3)],
            both_ways: true,
        };
        let machine = Machine::uniform("four", 4, NODE, GigabytesPerSecond::new(9.0)).expect("a machine");
        let machine = machine.with_shared_links(vec![shared]).expect("two groups");
        let apps: Vec<App> = [2, 3, 2].map(|home| app(Placement::Home(NodeId(home)))).to_vec();
        let placements: Vec<Placement> =
            apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let rows = [vec![1, 0, 0, 0], vec![0, 2, 0, 0], vec![0, 0, 1, 2]];
        let allocation = Allocation::from_rows(&rows).expect("rows");
        let mut known = 0;
        for kind in ModelKind::ALL {
            let machine = machine.clone().with_sharing(kind.into());
            match evaluate_explained(&machine, &apps, &placements, &allocation) {
                Ok(_) => known += 1,
                Err(error) => assert!(matches!(error, EvaluateError::Refused(_)), "{error}"),
            }
        }
        assert_eq!(known, 5);
    }

    #[test]
    fn grants_above_the_capacity_of_a_link_are_found() {
        let (machine, mut evaluation) = sound(Model::default());
        let flow = evaluation.flows.iter_mut().find(|flow| flow.from == NodeId(1)).expect("a remote flow");
        flow.granted = 2.5; // 2 x 2.5 = 5 GB/s over a link of 4; the controller has 6 + 5 = 11 of 10
        assert!(matches!(check(&machine, &evaluation), Err(Violation::ControllerOverrun { .. })));
        evaluation.flows[0].granted = 2.5;
        evaluation.flows[1].granted = 2.5; // now 5 + 5 = 10
        assert!(matches!(check(&machine, &evaluation), Err(Violation::LinkOverrun { .. })));
    }

    #[test]
    fn traffic_above_capacity_is_found_although_the_grants_are_right() {
        let (machine, mut evaluation) = sound(Model::default());
        let own = evaluation.apps[0].per_node[0].as_mut().expect("threads");
        own.bandwidth = GigabytesPerSecond::new(7.0); // 6 are left
        assert!(matches!(check(&machine, &evaluation), Err(Violation::ControllerOverrun { .. })));
    }

    #[test]
    fn idle_capacity_is_a_violation_only_for_the_default_model() {
        let starve = |(machine, mut evaluation): (Machine, Evaluation)| {
            for flow in &mut evaluation.flows {
                flow.granted = 1.0;
            }
            for group in evaluation.apps[0].per_node.iter_mut().flatten() {
                group.bandwidth = GigabytesPerSecond::new(2.0);
            }
            check(&machine, &evaluation)
        };
        assert!(starve(sound(Model::default())).is_err());
        assert_eq!(starve(sound(ModelKind::Ecm.into())), Ok(()));
    }

    #[test]
    fn an_application_faster_than_alone_is_found() {
        let (machine, mut evaluation) = sound(Model::default());
        for wrong in [81.0, -1.0, f64::NAN] {
            evaluation.apps[0].gflops = Gflops::new(wrong); // 4 threads of 20 GFLOPS
            assert!(matches!(check(&machine, &evaluation), Err(Violation::AboveFullSpeed { .. })), "{wrong}");
        }
    }
}
