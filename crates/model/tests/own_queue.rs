//! The property that searches rely on under `ecm`: regardless of others, threads of a node and the traffic of
//! others on its memory are below one curve.

use crate::common::Case;
use crate::common::strategies::case;
use numasim_model::sharing::own_queue::{OwnQueue, Prices, Stretch};
use numasim_model::sharing::{Parameter, Solver, Workspace};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Access, AppId, Demand, Machine, Model, ModelKind, Node, NodeId, Placement};
use proptest::prelude::*;

/// The case under ecm with this penalty, without a loss on several nodes.
fn under_ecm(case: Case, penalty: Option<f64>) -> Case {
    let mut model = Model::from(ModelKind::Ecm);
    model.parameters.ecm_penalty = penalty;
    let mut case = case;
    case.demands.iter_mut().for_each(|demand| demand.node_overhead = 0.0);
    case.machine = case.machine.with_sharing(model);
    case
}

/// A solved case, and one of its memories.
struct At<'a> {
    case: &'a Case,
    solver: &'a Solver,
    workspace: &'a Workspace,
    node: NodeId,
    wait: f64,
}

impl At<'_> {
    fn threads(&self, node: NodeId) -> Vec<u32> {
        self.case.apps().map(|app| self.case.allocation.get(app, node)).collect()
    }

    fn gflops(&self, app: AppId, node: NodeId) -> f64 {
        let each = self.solver.gflops_per_thread(app, node, self.workspace);
        f64::from(self.case.allocation.get(app, node)) * each
    }

    /// GB/s over links, and of threads of the node that also read other memories.
    fn others_gbs(&self, own: &OwnQueue) -> f64 {
        let is_own = |app: AppId, from: NodeId| from == self.node && own.has(app.0);
        let flows = self.solver.flows(self.case.allocation.as_slice(), self.workspace);
        let others = flows.filter(|(flow, pool)| pool.memory == self.node && !is_own(flow.app, pool.from));
        others.map(|(flow, _)| f64::from(flow.threads) * flow.granted).sum()
    }

    fn curve(&self, own: &OwnQueue, others_gbs: f64, range: (f64, f64)) -> Vec<Stretch> {
        let threads = self.threads(self.node);
        let waits = own.waits(&threads, others_gbs).within(range);
        let mut curve = vec![Stretch::default(); 5];
        own.lay_out(&threads, waits, &mut curve);
        if waits.is_empty() { Vec::new() } else { curve }
    }
}

proptest! {
    #![proptest_config(crate::random::questions(1024))]

    #[test]
    fn no_point_is_above_the_curve(
        case in prop_oneof![case(), case().prop_map(Case::with_one_memory_each)],
        penalty in prop_oneof![3 => (0.01..2.0_f64).prop_map(Some), 1 => Just(None)],
        price in 0.0..3.0_f64,
        wait_price in prop_oneof![Just(0.0), 0.0..100.0_f64],
        others_may in 1.0..2.0_f64,
        range in (0.2..1.0_f64, 1.0..3.0_f64),
    ) {
        let case = under_ecm(case, penalty);
        let solver = Solver::new(&case.machine, &case.demands);
        let mut workspace = solver.workspace();
        solver.solve(case.allocation.as_slice(), &mut workspace);
        for node in case.machine.node_ids() {
            let Some(own) = solver.own_queue(node) else { continue };
            // Threads that read this memory and others wherever they run are in the queue, regardless of
            // their traffic.
            let reads_all = |app: &AppId| {
                let part = |from| case.demands[app.0].fraction(&case.machine, from, node);
                case.machine.compute_nodes().all(|from| part(from) > 0.0 && part(from) < 1.0)
            };
            let all = |app: AppId| case.machine.node_ids().map(|from| case.allocation.get(app, from)).sum();
            let own = own.with_at_least(case.apps().filter(reads_all).map(|app| (app.0, all(app))));
            let wait = solver.wait(node, &workspace).unwrap_or(0.0);
            let at = At { case: &case, solver: &solver, workspace: &workspace, node, wait };
            let threads = at.threads(node);
            let others = at.others_gbs(&own);
            let capacity = case.machine.node(node).bandwidth.value();
            // Threads of the node are at the point of the wait, and others below the curve.
            for (app, gflops) in own.gflops(&threads, at.wait) {
                let real = at.gflops(AppId(app), node);
                prop_assert!((real - gflops).abs() <= 1e-7 * gflops.abs().max(1e-9), "{node:?} {app}: {real} {gflops}");
            }
            prop_assert!(others <= own.others_gbs(&threads, at.wait) + 1e-7 * capacity, "{others} of {}", own.others_gbs(&threads, at.wait));
            for (app, most) in own.gflops_at_most(&threads, at.wait) {
                let real = at.gflops(AppId(app), node);
                prop_assert!(real <= most * (1.0 + 1e-7), "{node:?} {app}: {real} of {most}");
            }
            // Threads over links have no more than after this wait.
            for from in case.machine.node_ids() {
                let Some(link) = solver.link_readers(from, node) else { continue };
                for (app, most) in link.gflops(&at.threads(from), at.wait) {
                    let real = at.gflops(AppId(app), from);
                    prop_assert!(real <= most * (1.0 + 1e-7), "{from:?} {app}: {real} of {most}");
                }
            }
            // No combination of them is worth more than the curve, complete or restricted to waits of about
            // that length.
            let worth: Vec<f64> = case.apps().map(|app| 1.0 + app.0 as f64).collect();
            let has = |app: AppId| own.has(app.0);
            let real: f64 = case.apps().filter(|app| has(*app)).map(|app| worth[app.0] * at.gflops(app, node)).sum();
            let real = real + price * others;
            let prices = Prices { gflops: &worth, others: price, wait: wait_price };
            let real = real - wait_price * at.wait;
            for range in [(0.0, f64::INFINITY), (range.0 * at.wait, range.1 * at.wait + 1e-9)] {
                let others_may = others_may * others;
                let curve = at.curve(&own, others_may, range);
                let most = own.worth(&threads, prices, &curve, others_may);
                let rounding = 1e-9 + 1e-7 * (most.most.abs() + wait_price * at.wait);
                prop_assert!(real <= most.most + rounding, "{real} of {most:?} in {range:?}");
                let quickly = own.worth_at_most(&threads, prices, &curve, others_may);
                prop_assert!(real <= quickly + rounding, "{real} of {quickly} in {range:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(crate::random::questions(1024))]

    #[test]
    fn equal_threads_get_most_alone_and_no_more_than_after_their_waits(
        case in prop_oneof![3 => case(), 1 => case().prop_map(Case::with_one_memory_each)],
        penalty in prop_oneof![3 => (0.0..2.0_f64).prop_map(Some), 1 => Just(None)],
    ) {
        let case = under_ecm(case, penalty);
        let solver = Solver::new(&case.machine, &case.demands);
        let mut workspace = solver.workspace();
        solver.solve(case.allocation.as_slice(), &mut workspace);
        let mut alone = solver.workspace();
        for app in case.apps() {
            for node in case.machine.node_ids() {
                let threads = case.allocation.get(app, node);
                if threads == 0 {
                    continue;
                }
                let real = f64::from(threads) * solver.gflops_per_thread(app, node, &workspace);
                if solver.equal_threads_have_most_alone() {
                    let mut only = numasim_model::Allocation::empty(case.demands.len(), case.machine.node_count());
                    only.set(app, node, threads);
                    solver.solve(only.as_slice(), &mut alone);
                    let most = alone.gflops()[app.0];
                    prop_assert!(real <= most * (1.0 + 1e-9), "{app:?} {node:?}: {real} of {most}");
                }
                if solver.shares_along_curves() {
                    let of_memory = |memory| {
                        let occupied = case.machine.node(memory).occupied_by(case.demands[app.0].traffic);
                        let cost = case.demands[app.0].fraction(&case.machine, node, memory) * occupied;
                        cost * solver.wait(memory, &workspace).unwrap_or(0.0)
                    };
                    let waited: f64 = case.machine.node_ids().map(of_memory).sum();
                    let most = solver.gflops_after(app, node, threads, waited);
                    prop_assert!(real <= most * (1.0 + 1e-7), "{app:?} {node:?}: {real} of {most} after {waited}");
                }
            }
        }
    }
}

#[test]
fn the_maximum_traffic_of_others_solves_the_law_of_the_queue() {
    // Two nodes of 8 cores with 32 GB/s, links of 20. Threads of `near` and of `far`, whose data is on node
    // 0, request 10 GB/s each, so each counts as one (the share of a core is 4). While bytes wait w, 4 of
    // `near` use 4 / (0.1 + w), and others with traffic R are R (0.1 + w) threads, all with p = 0.4: f = (N -
    // 1) p / B^2, R = ((w / f)^-8 + B^-8)^(-1/8) - 4 / (0.1 + w).
    let node = Node {
        cores: 8,
        gflops_per_core: Gflops::new(10.0),
        bandwidth: GigabytesPerSecond::new(32.0),
        ..Node::default()
    };
    let machine =
        Machine::new("two", vec![node; 2], vec![GigabytesPerSecond::new(20.0); 4]).expect("a machine");
    let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, 0.4).expect("a penalty");
    let demand = |placement| Demand::new(FlopPerByte::new(1.0), Access::Read, placement);
    let demands = [demand(Placement::Local), demand(Placement::Home(NodeId(0)))];
    let solver = Solver::new(&machine.with_sharing(model), &demands);
    let own = solver.own_queue(NodeId(0)).expect("a soft corner");
    for wait in [0.06_f64, 0.1, 0.2] {
        let others = own.others_gbs(&[4, 0], wait);
        let time = 0.1 + wait;
        let factor = (4.0 + others * time - 1.0) * 0.4 / (32.0 * 32.0);
        let delivered = ((wait / factor).powi(-8) + 32.0_f64.powi(-8)).powf(-0.125);
        assert!((delivered - 4.0 / time - others).abs() < 1e-6, "{wait}: {others} {delivered}");
    }
    // Alone, 4 threads wait until they use all of the delivered bandwidth: nothing is left for others.
    let waits = own.waits(&[4, 0], 5.0);
    assert!(own.others_gbs(&[4, 0], waits.least) < 1e-6 && waits.most > waits.least);
    assert!((own.others_gbs(&[4, 0], waits.most) / 5.0 - 1.0).abs() < 0.1);
    // If others request more than the capacity, the curve ends with almost nothing left for own threads.
    assert!(own.others_gbs(&[4, 0], own.waits(&[4, 0], 1e3).most) > 31.9);
}
