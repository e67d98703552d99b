//! Guarantees of every sharing model on random machines, and the answer of each in scenarios that distinguish
//! them.

use crate::common::changes::{renumbered, some_of};
use crate::common::models::{alone, corrected, hard, patiently_by_ecm, plain, slowly, slowly_by_ecm};
use crate::common::strategies::{
    case, case_of, case_with_common_limits, case_with_domains, log_uniform, order,
};
use crate::common::{Case, Solved};
use numasim_model::machine::SharedLink;
use numasim_model::sharing::{Parameter, invariants};
use numasim_model::units::{FlopPerByte, Gflops, GigabytesPerSecond};
use numasim_model::{Access, Allocation, AppId, Model, ModelKind, NodeId, Placement};
use proptest::prelude::*;
use proptest::sample::Index;

const CASES: u32 = 1024;

fn holds(property: Result<(), invariants::Violation>) -> Result<(), TestCaseError> {
    property.map_err(|violation| TestCaseError::fail(violation.to_string()))
}

/// A billionth of the fastest controller, GB/s: fixed points are far more exact.
fn tolerance(case: &Case) -> f64 {
    1e3 * case.rounding_gbs()
}

/// No thread's bandwidth differs by more than `tolerance`; `of(app, node)` is its bandwidth in `got`.
fn assert_near(
    case: &Case,
    expected: &[Vec<Option<f64>>],
    got: &[Vec<Option<f64>>],
    tolerance: f64,
    of: impl Fn(usize, usize) -> (usize, usize),
) -> Result<(), TestCaseError> {
    for app in case.apps() {
        for node in case.machine.node_ids() {
            let (a, n) = of(app.0, node.0);
            let (before, after) = (expected[app.0][node.0], got[a][n]);
            let near = match (before, after) {
                (Some(before), Some(after)) => (before - after).abs() <= tolerance,
                (before, after) => before == after,
            };
            prop_assert!(near, "{app:?} on {node}: {before:?} {after:?}");
        }
    }
    Ok(())
}

fn same(app: usize, node: usize) -> (usize, usize) {
    (app, node)
}

/// Traffic of remote and own threads on `memory`, GB/s.
fn drawn(solved: &Solved, memory: NodeId) -> (f64, f64) {
    let of = |own: bool| -> f64 {
        let groups = solved.draws.groups.iter().filter(|g| g.memory == memory && (g.from == memory) == own);
        groups.map(|group| f64::from(group.threads) * group.granted_gbs).sum()
    };
    (of(false), of(true))
}

proptest! {
    #![proptest_config(crate::random::questions(CASES))]

    #[test]
    fn no_model_exceeds_demands_or_capacities(case in case(), model in corrected()) {
        let solved = case.under(model);
        for sharing in [&solved.grants, &solved.draws] {
            holds(invariants::nobody_above_demand(sharing))?;
            holds(invariants::controllers_within_capacity(sharing))?;
            holds(invariants::links_within_capacity(sharing))?;
        }
        // Corrections reduce bandwidth: of controllers for remote traffic, of links, of single threads.
        let parameters = model.parameters;
        for memory in case.machine.node_ids() {
            let (remote, own) = drawn(&solved, memory);
            let capacity = case.machine.node(memory).bandwidth.value();
            let taken = own + (1.0 + parameters.remote_loss) * remote;
            prop_assert!(taken <= capacity * (1.0 + 1e-9), "{memory}: {taken} of {capacity}");
        }
        for group in solved.draws.groups.iter().filter(|group| group.from == group.memory && group.threads > 0) {
            let most = parameters.core_local_gbs.unwrap_or(f64::INFINITY);
            let occupied = case.machine.node(group.memory).occupied_by(case.demands[group.app.0].traffic);
            prop_assert!(group.granted_gbs <= occupied * most * (1.0 + 1e-9), "{group:?}");
        }
    }

    #[test]
    fn the_order_of_applications_does_not_matter_under_any_model(
        (case, new) in case().prop_flat_map(|case| {
            let new = order(case.demands.len());
            (Just(case), new)
        }),
        model in corrected(),
    ) {
        let mut moved = case.clone();
        for app in case.apps() {
            let to = AppId(new[app.0]);
            moved.demands[to.0] = case.demands[app.0].clone();
            for node in case.machine.node_ids() {
                moved.allocation.set(to, node, case.allocation.get(app, node));
            }
        }
        let (before, after) = (case.under(model).bandwidth, moved.under(model).bandwidth);
        assert_near(&case, &before, &after, tolerance(&case), |a, n| (new[a], n))?;
    }

    #[test]
    fn the_numbering_of_nodes_does_not_matter_under_any_model(
        (case, new) in case().prop_flat_map(|case| {
            let new = order(case.machine.node_count());
            (Just(case), new)
        }),
        model in corrected(),
    ) {
        let (before, after) = (case.under(model).bandwidth, renumbered(&case, &new).under(model).bandwidth);
        assert_near(&case, &before, &after, tolerance(&case), |a, n| (a, new[n]))?;
    }

    /// An increase of the intensity by a millionth changes no rate by more than a thousandth of the fastest
    /// resource. The test compares traffic, not grants: people see the rate.
    #[test]
    fn a_small_change_of_an_intensity_changes_little(case in case(), at in any::<Index>(), model in corrected()) {
        let mut changed = case.clone();
        let demand = &mut changed.demands[at.index(case.demands.len())];
        demand.arithmetic_intensity = FlopPerByte::new(demand.arithmetic_intensity.value() * (1.0 + 1e-6));
        let (before, after) = (case.under(model).bandwidth, changed.under(model).bandwidth);
        let widest = case.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
        assert_near(&case, &before, &after, 1e-3 * widest, same)?;
    }

    #[test]
    fn k_times_the_bandwidths_and_peaks_give_k_times_the_result_under_every_model(
        case in case(),
        k in log_uniform(1.0 / 64.0, 64.0),
        model in plain(),
        knee in prop_oneof![Just(0.0), 0.05..0.5_f64],
        penalty in prop_oneof![Just(0.0), 0.05..2.0_f64],
    ) {
        let model = model.with(Parameter::SaturationKnee, knee).unwrap();
        let model = model.with(Parameter::EcmPenalty, penalty).unwrap();
        let mut nodes = case.machine.nodes().to_vec();
        for node in &mut nodes {
            node.gflops_per_core = node.gflops_per_core * k;
            node.bandwidth = node.bandwidth * k;
            node.core_bandwidth = node.core_bandwidth.map(|ceiling| ceiling * k);
            node.kernels = node.kernels.times(k);
        }
        let old = crate::common::links(&case.machine);
        let faster = case.on(nodes, |from, memory| old(from, memory).map(|link| link * k)).with_limits_times(k);
        let scaled = |table: Vec<Vec<Option<f64>>>| -> Vec<Vec<Option<f64>>> {
            table.into_iter().map(|row| row.into_iter().map(|cell| cell.map(|gbs| gbs * k)).collect()).collect()
        };
        let (before, after) = (scaled(case.under(model).bandwidth), faster.under(model).bandwidth);
        assert_near(&case, &before, &after, k.max(1.0) * tolerance(&case), same)?;
    }

    /// If all demands are met under the default, they are met under every model, to the bit (except for
    /// max-min, whose level is counted in read-equivalent GB/s).
    #[test]
    fn without_contention_all_models_agree(case in case(), part in log_uniform(1e-4, 1.0), model in plain()) {
        let mut light = case.clone();
        for demand in &mut light.demands {
            demand.arithmetic_intensity = FlopPerByte::new(demand.arithmetic_intensity.value() / part);
        }
        let default = light.under(Model::default());
        let content = default.grants.groups.iter().all(|group| group.granted_gbs == group.demand_gbs);
        let model = hard(model.kind);
        if content && !matches!(model.kind, ModelKind::RequestFraction | ModelKind::MaxMin) {
            prop_assert_eq!(&light.under(model).bandwidth, &default.bandwidth);
        }
        if content {
            assert_near(&light, &default.bandwidth, &light.under(model).bandwidth, light.rounding_gbs(), same)?;
        }
    }

    #[test]
    fn a_thread_alone_gets_the_same_from_every_model(case in case(), at in any::<Index>(), model in plain()) {
        let taken: Vec<usize> =
            (0..case.allocation.as_slice().len()).filter(|&cell| case.allocation.as_slice()[cell] > 0).collect();
        prop_assume!(!taken.is_empty());
        let mut single = case.clone();
        single.allocation.as_mut_slice().fill(0);
        single.allocation.as_mut_slice()[taken[at.index(taken.len())]] = 1;
        let (default, other) = (single.under(Model::default()).bandwidth, single.under(model).bandwidth);
        assert_near(&single, &default, &other, tolerance(&case), same)?;
    }

    #[test]
    fn negligible_corrections_change_nothing(case in case(), kind in plain()) {
        // Compares the corrected path of the default with its compiled one, and likewise for the others.
        let nearly = kind.with(Parameter::RemoteLoss, 1e-14).unwrap();
        let (plain, nearly) = (case.under(kind).bandwidth, case.under(nearly).bandwidth);
        assert_near(&case, &plain, &nearly, tolerance(&case), same)?;
    }

    #[test]
    fn each_model_equals_its_slow_second_formulation(
        case in case(),
        kind in prop::sample::select(&[
            ModelKind::Proportional, ModelKind::RequestFraction, ModelKind::Ecm,
        ][..]),
    ) {
        // For ecm only if memories do not depend on each other; the other cases follow below.
        let case = if kind == ModelKind::Ecm { case.with_one_memory_each() } else { case };
        let (fast, slow) = (case.under(hard(kind)).bandwidth, slowly(kind, &case));
        assert_near(&case, &slow, &fast, 10.0 * tolerance(&case), same)?;
    }

    #[test]
    fn soft_queues_at_controllers_and_links_equal_their_slow_second_formulation(
        case in case(),
        penalties in [prop::option::weighted(0.75, 0.01..2.0_f64), prop::option::of(0.01..2.0_f64)],
    ) {
        let mut model = Model::from(ModelKind::Ecm);
        [model.parameters.ecm_penalty, model.parameters.ecm_write_penalty] = penalties;
        let case = case.with_one_memory_each();
        let (fast, slow) = (case.under(model).bandwidth, slowly_by_ecm(penalties, &case));
        assert_near(&case, &slow, &fast, 10.0 * tolerance(&case), same)?;
    }

    /// Data on several memories and read limits of nodes: the waits of all queues together.
    #[test]
    fn queues_that_depend_on_each_other_equal_their_slow_second_formulation(
        case in case(),
        limit in prop_oneof![Just(None), (5.0..100.0_f64).prop_map(Some)],
        penalty in 0.05..2.0_f64,
    ) {
        let mut nodes = case.machine.nodes().to_vec();
        nodes.iter_mut().filter(|node| node.cores > 0).for_each(|node| node.read_bandwidth = limit.map(GigabytesPerSecond::new));
        let link = crate::common::links(&case.machine);
        let case = case.on(nodes, link);
        let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).unwrap();
        let solved = case.under(model);
        holds(invariants::within_limits(&solved.draws))?;
        if let Some(slow) = patiently_by_ecm(penalty, &case) {
            let widest = case.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
            assert_near(&case, &slow, &solved.bandwidth, 1e-5 * widest, same)?;
        }
    }

    /// The same with read limits of L3 domains, alone and inside nodes.
    #[test]
    fn queues_of_l3_domains_equal_their_slow_second_formulation(case in case_with_domains(), penalty in 0.05..2.0_f64) {
        let case = case.sharing(case.machine.clone(), Vec::new());
        let solved = case.under(Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).unwrap());
        holds(invariants::within_limits(&solved.draws))?;
        if let Some(slow) = patiently_by_ecm(penalty, &case) {
            let widest = case.machine.nodes().iter().map(|node| node.bandwidth.value()).fold(0.0, f64::max);
            for (slow, fast) in slow.iter().flatten().zip(solved.bandwidth.iter().flatten()) {
                let near = slow.is_some() == fast.is_some()
                    && (slow.unwrap_or(0.0) - fast.unwrap_or(0.0)).abs() <= 1e-5 * widest;
                prop_assert!(near, "{slow:?} {fast:?}");
            }
        }
    }

    /// A domain of all cores of a node equals a read limit of the node.
    #[test]
    fn under_ecm_one_l3_domain_is_the_whole_node(case in case(), limit in 5.0..100.0_f64, penalty in 0.0..2.0_f64) {
        let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).unwrap();
        let limited = |set: fn(&mut numasim_model::Node, GigabytesPerSecond)| {
            let mut nodes = case.machine.nodes().to_vec();
            nodes.iter_mut().filter(|node| node.cores > 0).for_each(|node| set(node, GigabytesPerSecond::new(limit)));
            case.on(nodes, crate::common::links(&case.machine)).under(model).bandwidth
        };
        let by_node = limited(|node, limit| node.read_bandwidth = Some(limit));
        let by_domain = limited(|node, limit| node.l3_bandwidth = Some(limit));
        prop_assert_eq!(by_node, by_domain);
    }

    /// Equal domains with the same threads in each equal a node with the sum of their limits, if a single
    /// core does not fill a domain.
    #[test]
    fn threads_dealt_evenly_over_l3_domains_get_the_same_as_by_node(
        case in case(), limit in 1.0..50.0_f64, domains in 1_u32..4, by_level in any::<bool>(),
    ) {
        let mut nodes = case.machine.nodes().to_vec();
        for node in nodes.iter_mut().filter(|node| node.cores > 0) {
            node.cores_per_l3 = Some(node.cores);
            let of_core = node.core_bandwidth.map_or(limit, |own| own.value().min(limit));
            node.core_bandwidth = Some(GigabytesPerSecond::new(of_core));
            (node.cores, node.l3_bandwidth, node.read_bandwidth) =
                (node.cores * domains, Some(GigabytesPerSecond::new(limit)), None);
        }
        let mut case = case.on(nodes, crate::common::links(&case.machine));
        let rows: Vec<Vec<u32>> = case
            .apps()
            .map(|app| case.machine.node_ids().map(|node| domains * case.allocation.get(app, node)).collect())
            .collect();
        case.allocation = Allocation::from_rows(&rows).expect("equal rows");
        let model = Model::from(if by_level { ModelKind::MaxMin } else { ModelKind::BaselineProportional });
        let dealt = case.sharing(case.machine.with_domains_dealt(), Vec::new()).under(model).bandwidth;
        // The row of an application in the first domain of each node.
        let rows = case.machine.rows_per_app();
        assert_near(&case, &dealt, &case.under(model).bandwidth, 1e3 * tolerance(&case), |app, node| (app * rows, node))?;
    }

    #[test]
    fn soft_queues_stay_within_shared_links(case in case_with_common_limits(), penalty in 0.0..2.0_f64) {
        let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).unwrap();
        let under = |wider: f64| case.with_shared_links_only(wider).under(model);
        let solved = under(1.0);
        holds(invariants::within_limits(&solved.draws))?;
        // A slightly faster link changes little and never in a step, and limits that are not reached change
        // nothing.
        assert_near(&case, &solved.bandwidth, &under(1.0 + 1e-12).bandwidth, 1e3 * tolerance(&case), same)?;
        let none = case.with_shared_links_only(1.0);
        let none = none.sharing(none.machine.clone(), Vec::new()).under(model);
        assert_near(&case, &none.bandwidth, &under(1e9).bandwidth, tolerance(&case), same)?;
    }

    #[test]
    fn no_thread_is_hungry_next_to_idle_bandwidth_if_pools_are_shared_one_by_one(case in case(), model in plain()) {
        let case = if model.kind == ModelKind::Ecm { case.with_one_memory_each() } else { case };
        if !matches!(model.kind, ModelKind::MaxMin | ModelKind::BaselineProportional) {
            holds(invariants::work_conserving(&case.under(hard(model.kind)).grants))?;
        }
    }

    /// The definition of max-min: a hungry thread uses a full resource on which no thread has a higher rate.
    #[test]
    fn under_max_min_the_hungry_have_the_highest_rate_at_a_full_resource(case in case()) {
        let solved = case.under(ModelKind::MaxMin.into());
        let gbs = |app: AppId, node: NodeId| solved.bandwidth[app.0][node.0].unwrap_or(0.0);
        // Rates are compared in read-equivalent GB/s.
        let rate = |app: AppId, node: NodeId| gbs(app, node) * case.occupied_once(app, node);
        let slack = 1e-9;
        let groups = || solved.draws.groups.iter().filter(|group| group.threads > 0 && group.demand_gbs > 0.0);
        for hungry in groups() {
            let own = rate(hungry.app, hungry.from);
            if gbs(hungry.app, hungry.from) >= alone(&case, hungry.app, hungry.from) * (1.0 - slack) {
                continue;
            }
            let full_and_highest = groups().filter(|g| g.app == hungry.app && g.from == hungry.from).any(|used| {
                let link = case.machine.link(used.from, used.memory).map(GigabytesPerSecond::value);
                let on = |link_only: bool| {
                    groups().filter(move |g| g.memory == used.memory && (!link_only || g.from == used.from))
                };
                let check = |capacity: f64, link_only: bool| {
                    let sum: f64 = on(link_only).map(|g| f64::from(g.threads) * g.granted_gbs).sum();
                    let highest = on(link_only).map(|g| rate(g.app, g.from)).fold(0.0, f64::max);
                    sum >= capacity * (1.0 - slack) && own >= highest * (1.0 - slack)
                };
                check(case.machine.node(used.memory).bandwidth.value(), false)
                    || link.is_some_and(|link| check(link, true))
            });
            prop_assert!(full_and_highest, "{hungry:?} at {own} GB/s could have more");
        }
    }

    /// Solving only the changes gives the same bits as a full solve, regardless of earlier answers.
    #[test]
    fn solving_changes_equals_a_full_solve(
        case in case(),
        model in corrected(),
        one_memory in any::<bool>(),
        steps in prop::collection::vec((any::<Index>(), 0.0..=1.0_f64), 1..6),
    ) {
        let case = if one_memory { case.with_one_memory_each() } else { case };
        let nodes = case.machine.node_count();
        let latencies = (0..nodes * nodes).map(|_| 100.0).collect();
        let machine = case.machine.clone().with_sharing(model).with_latencies_ns(latencies).expect("latencies");
        let solver = numasim_model::sharing::Solver::new(&machine, &case.demands);
        let (mut changing, mut anew) = (solver.workspace(), solver.workspace());
        let mut threads = case.allocation.as_slice().to_vec();
        for (at, share) in steps {
            let cell = at.index(threads.len());
            threads[cell] = some_of(case.allocation.as_slice()[cell], share);
            solver.solve_changes(&threads, &mut changing);
            solver.solve(&threads, &mut anew);
            prop_assert_eq!(changing.gflops(), anew.gflops());
            for (cell, _) in threads.iter().enumerate().filter(|(_, count)| **count > 0) {
                let of = |workspace: &numasim_model::sharing::Workspace| workspace.bandwidth_per_thread()[cell];
                prop_assert_eq!(of(&changing), of(&anew));
            }
        }
    }

    /// The property that the search relies on, for the models that guarantee it.
    #[test]
    fn threads_elsewhere_never_help_under_models_that_guarantee_it(
        case in case(),
        model in corrected(),
        one_memory in any::<bool>(),
        at in any::<Index>(),
        kept in prop::collection::vec(0.0..=1.0_f64, 5),
    ) {
        let node = NodeId(at.index(case.machine.node_count()));
        let mut case = case;
        if one_memory {
            case = case.with_one_memory_each();
        }
        let machine = case.machine.clone().with_sharing(model);
        let solver = numasim_model::sharing::Solver::new(&machine, &case.demands);
        prop_assume!(solver.threads_elsewhere_never_help());
        let mut fewer = case.clone();
        for app in case.apps() {
            fewer.allocation.set(app, node, some_of(case.allocation.get(app, node), kept[app.0]));
        }
        let (before, after) = (fewer.under(model).bandwidth, case.under(model).bandwidth);
        for app in case.apps() {
            for other in case.machine.node_ids().filter(|&other| other != node) {
                if let (Some(before), Some(after)) = (before[app.0][other.0], after[app.0][other.0]) {
                    prop_assert!(after <= before + tolerance(&case), "{app:?} on {other}: {before} to {after}");
                }
            }
        }
    }

    /// The same for threads that read local memory, also if pairs of nodes share links: with others they get
    /// no more than with all other nodes empty.
    #[test]
    fn shared_links_never_help_threads_that_read_local_memory(
        case in case_with_common_limits(),
        model in corrected(),
        at in any::<Index>(),
    ) {
        let node = NodeId(at.index(case.machine.node_count()));
        let case = case.with_one_memory_each();
        let machine = case.machine.clone().with_sharing(model);
        let solver = numasim_model::sharing::Solver::new(&machine, &case.demands);
        prop_assume!(solver.threads_elsewhere_never_help_local_ones());
        let mut alone = case.clone();
        for app in case.apps() {
            for other in case.machine.node_ids().filter(|&other| other != node) {
                alone.allocation.set(app, other, 0);
            }
        }
        let (before, after) = (alone.under(model).bandwidth, case.under(model).bandwidth);
        let reads_own = |app: AppId| {
            case.demands[app.0].placement.read_from(&case.machine, node) == [node]
        };
        for app in case.apps().filter(|&app| reads_own(app)) {
            if let (Some(before), Some(after)) = (before[app.0][node.0], after[app.0][node.0]) {
                prop_assert!(after <= before + tolerance(&case), "{app:?}: {before} to {after}");
            }
        }
    }

    #[test]
    fn on_one_node_all_data_is_local_under_every_model(case in case_of(Just(1)), model in corrected()) {
        let mut local = case.clone();
        local.demands.iter_mut().for_each(|demand| demand.placement = Placement::Local);
        let (before, after) = (local.under(model).bandwidth, case.under(model).bandwidth);
        assert_near(&case, &before, &after, tolerance(&case), same)?;
    }
}

/// One node of 8 cores with 32 GB/s; `(threads, demand of one in GB/s)` per application at 1 FLOP/byte, with
/// a high peak.
fn one_node(demands: &[(u32, f64)]) -> Case {
    const PEAK: f64 = 1000.0;
    let node = numasim_model::Node {
        cores: 8,
        gflops_per_core: Gflops::new(PEAK),
        bandwidth: GigabytesPerSecond::new(32.0),
        ..numasim_model::Node::default()
    };
    let mut allocation = numasim_model::Allocation::empty(demands.len(), 1);
    for (a, &(threads, _)) in demands.iter().enumerate() {
        allocation.set(AppId(a), NodeId(0), threads);
    }
    let demand = |&(_, demand_gbs): &(u32, f64)| {
        numasim_model::Demand::new(FlopPerByte::new(PEAK / demand_gbs), Access::Read, Placement::Local)
    };
    let machine = crate::common::machine(vec![node], |_, _| None);
    Case { machine, demands: demands.iter().map(demand).collect(), allocation }
}

/// Two nodes of 2 cores and a link of 10 GB/s: `local` threads of node 0 and `remote` ones of node 1 read
/// node 0, which has `controller` GB/s; each requests `want` GB/s. Returns the GB/s of one thread of both
/// under ecm.
fn two_nodes(controller: f64, want: f64, [local, remote]: [u32; 2], penalty: f64) -> Vec<f64> {
    let mut case = one_node(&[(local, want), (remote, want)]);
    let mut node = case.machine.nodes()[0];
    node.cores = 2;
    node.bandwidth = GigabytesPerSecond::new(controller);
    case.machine = crate::common::machine(vec![node, node], |_, _| Some(10.0));
    case.allocation = numasim_model::Allocation::empty(2, 2);
    case.allocation.set(AppId(0), NodeId(0), local);
    case.allocation.set(AppId(1), NodeId(1), remote);
    case.demands[1].placement = Placement::Home(NodeId(0));
    let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).expect("a penalty");
    case.under(model).bandwidth.iter().flatten().filter_map(|one| *one).collect()
}

#[test]
fn under_ecm_a_link_gets_what_the_others_leave_of_a_shared_one() {
    // Two threads each on nodes 0 and 1 request 4 GB/s, 8 per node, of a shared link with 12: 6 for each
    // node.
    let shared = SharedLink {
        name: "xGMI".to_owned(),
        bandwidth: GigabytesPerSecond::new(12.0),
        from: vec![NodeId(0), NodeId(1)],
        to: vec![NodeId(2)],
        both_ways: false,
    };
    let mut case = one_node(&[(2, 4.0)]);
    let mut node = case.machine.nodes()[0];
    node.cores = 2;
    node.bandwidth = GigabytesPerSecond::new(1e9);
    let machine = crate::common::machine(vec![node; 3], |_, _| Some(100.0));
    case.machine = machine.with_shared_links(vec![shared]).expect("two groups");
    case.allocation = numasim_model::Allocation::from_rows(&[vec![2, 2, 0]]).expect("rows");
    case.demands[0].placement = Placement::Home(NodeId(2));
    let each = |penalty: f64| {
        let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).expect("a penalty");
        case.under(model).bandwidth[0].iter().filter_map(|one| *one).collect::<Vec<f64>>()
    };
    assert_gbs(&each(0.0), &[3.0, 3.0]);
    // A queue with 6 GB/s for the two of a node (each a whole thread: 4 is above 6 / 2 cores), penalty 1: f =
    // (2 - 1) x 1 / 6 / 6. w = 0.145651 alone would give S = 36 w = 5.2434; of 6, 5.2434 / (1 + (5.2434 /
    // 6)^8)^(1/8) = 5.0550 are delivered, and 1 / (1/4 + w) = 2.5275 is half of that.
    assert_gbs(&each(1.0), &[2.5275, 2.5275]);
}

/// GB/s of one thread of each application.
fn each(kind: ModelKind, demands: &[(u32, f64)]) -> Vec<f64> {
    one_node(demands).under(hard(kind)).bandwidth.iter().filter_map(|row| row[0]).collect()
}

fn assert_gbs(got: &[f64], expected: &[f64]) {
    let near = got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 5e-3);
    assert!(near && got.len() == expected.len(), "{got:?} is not {expected:?}");
}

#[test]
fn one_heavy_and_two_light_threads_distinguish_the_models() {
    let demands = [(1, 40.0), (2, 6.0)];
    // baseline 4: 12 given, 20 left, remaining demand 36 + 2 + 2 = 40: half of it each
    assert_gbs(&each(ModelKind::BaselineProportional, &demands), &[22.0, 5.0]);
    assert_gbs(&each(ModelKind::RemoteFirst, &demands), &[22.0, 5.0]);
    // level 6: 18 taken; the rest, 20, goes to the one that is still rising
    assert_gbs(&each(ModelKind::MaxMin, &demands), &[20.0, 6.0]);
    // 32/52 of each demand
    assert_gbs(&each(ModelKind::Proportional, &demands), &[24.615, 3.692]);
    // fractions 1 and 6/32: 44/32 in total, 32/44 of 32 and of 6
    assert_gbs(&each(ModelKind::RequestFraction, &demands), &[23.273, 4.364]);
    // 1/(1/40 + w) + 2/(1/6 + w) = 32: with x = 1/40 + w, y = x + 17/120, (y + 2x) = 32 x y, so
    // 32 x^2 + (32 x 17/120 - 3) x - 17/120 = 0, x = (-1.53333 + sqrt(2.35111 + 18.13333)) / 64 = 0.0467606
    assert_gbs(&each(ModelKind::Ecm, &demands), &[21.386, 5.307]);
}

#[test]
fn two_heavy_and_four_light_threads_distinguish_the_models() {
    let demands = [(2, 20.0), (4, 6.0)];
    // baseline 4: 24 given, 8 left, remaining demand 2 x 16 + 4 x 2 = 40: a fifth of it
    assert_gbs(&each(ModelKind::BaselineProportional, &demands), &[7.2, 4.4]);
    assert_gbs(&each(ModelKind::MaxMin, &demands), &[5.333, 5.333]);
    // half of each demand
    assert_gbs(&each(ModelKind::Proportional, &demands), &[10.0, 3.0]);
    assert_gbs(&each(ModelKind::RequestFraction, &demands), &[10.0, 3.0]);
}

#[test]
fn if_all_cores_are_hungry_only_demand_based_models_differ() {
    let demands = [(4, 12.0), (4, 5.0)];
    assert_gbs(&each(ModelKind::BaselineProportional, &demands), &[4.0, 4.0]);
    assert_gbs(&each(ModelKind::MaxMin, &demands), &[4.0, 4.0]);
    // 32/68 of each demand
    assert_gbs(&each(ModelKind::Proportional, &demands), &[5.647, 2.353]);
}

#[test]
fn light_threads_of_the_papers_best_allocation_distinguish_the_models() {
    let demands = [(3, 20.0), (5, 1.0)];
    assert_gbs(&each(ModelKind::BaselineProportional, &demands), &[9.0, 1.0]);
    assert_gbs(&each(ModelKind::MaxMin, &demands), &[9.0, 1.0]);
    // 32/65 of each demand
    assert_gbs(&each(ModelKind::Proportional, &demands), &[9.846, 0.492]);
}

#[test]
fn with_request_fractions_and_12_gbs_per_core_the_papers_winner_has_212_gflops() {
    // 3 x 12 + 5 x 1 = 41 requested of 32: 9.366 and 0.780 GB/s; 4 nodes x (3 x 9.366 x 0.5 + 5 x 0.780 x 10)
    // = 212.3
    let model = Model::from(ModelKind::RequestFraction).with(Parameter::CoreLocal, 12.0).unwrap();
    let solved = one_node(&[(3, 20.0), (5, 1.0)]).under(model);
    let (mem, compute) = (solved.bandwidth[0][0].unwrap(), solved.bandwidth[1][0].unwrap());
    let total = 4.0 * (3.0 * mem * 0.5 + 5.0 * compute * 10.0);
    assert!((total - 212.3).abs() < 0.05, "{total}");
}

#[test]
fn latency_limits_the_bandwidth_of_one_thread() {
    // 10 lines x 64 byte / 80 ns = 8 GB/s; 140 ns would allow 4.57
    let model = Model::from(ModelKind::MaxMin).with(Parameter::OutstandingLines, 10.0).unwrap();
    let solved = one_node(&[(1, 40.0)]).under(model);
    assert_eq!(solved.bandwidth[0][0], Some(8.0));
}

/// A pointer chaser (one outstanding line) with 7 threads that read, on a memory of 64 GB/s with 96 ns and a
/// core bandwidth of 12 GB/s: 12 x 96 / 64 = 18 lines.
fn beside_a_chaser(readers: u32, penalty: f64) -> numasim_model::Evaluation {
    let case = one_node(&[(1, 40.0), (readers, 40.0)]);
    let mut node = case.machine.nodes()[0];
    node.bandwidth = GigabytesPerSecond::new(64.0);
    node.core_bandwidth = Some(GigabytesPerSecond::new(12.0));
    let model = Model::from(ModelKind::Ecm).with(Parameter::EcmPenalty, penalty).expect("a penalty");
    let machine = crate::common::machine(vec![node], |_, _| None).with_sharing(model);
    let machine = machine.with_latencies_ns(vec![96.0]).expect("latencies");
    let apps = [Some(1.0), None].map(|lines| {
        let data = numasim_model::Data::Placed(Placement::Local);
        let mut app = numasim_model::App::new("app", FlopPerByte::new(1.0), data);
        app.outstanding_lines = lines;
        app
    });
    let placements = [Placement::Local, Placement::Local];
    numasim_model::evaluate(&machine, &apps, &placements, &case.allocation).expect("an evaluation")
}

#[test]
fn a_pointer_chaser_waits_longer_than_threads_with_more_outstanding_lines() {
    // Alone 64 byte / 96 ns.
    let alone = beside_a_chaser(0, 0.0);
    assert!((alone.apps[0].bandwidth.value() - 64.0 / 96.0).abs() < 1e-12);
    assert_eq!(alone.nodes[0].loaded_latency_ns, Some(96.0));
    // 7 readers request 84 of 64 GB/s; hard corner. 7 x 18 + 1 lines are outstanding, so one takes 127 x 64
    // byte / 64 GB/s = 127 ns: w = 31 ns / 64 byte / 18. The readers get 64 x 18 / 127 = 9.071 each, and all
    // keep 96 / 127 = 76 % of their bandwidth alone.
    let beside = beside_a_chaser(7, 0.0);
    let [chaser, readers] = [0, 1].map(|app| beside.apps[app].bandwidth.value());
    let latency = beside.nodes[0].loaded_latency_ns.expect("a latency");
    assert!((readers + chaser - 64.0).abs() < 1e-9, "{readers} {chaser}");
    assert!((chaser - 64.0 / latency).abs() < 1e-9 && (readers / 7.0 - 64.0 * 18.0 / latency).abs() < 1e-9);
    assert!((latency - 127.0).abs() < 1e-9, "{latency}");
    // More readers, a longer latency.
    let latencies =
        [1, 2, 3, 4, 5, 6, 7].map(|readers| beside_a_chaser(readers, 0.5).nodes[0].loaded_latency_ns);
    assert!(latencies.is_sorted(), "{latencies:?}");
}

#[test]
fn under_ecm_a_core_gets_less_bandwidth_from_a_more_distant_memory() {
    // 12 GB/s of local memory at 80 ns are 15 lines; at 120 ns they yield 8 GB/s. Half of the data on each: 1
    // / (1/24 + 1/16) = 9.6.
    let alone = |placement: Placement, remote: Option<f64>| {
        let mut case = one_node(&[(1, 40.0)]);
        let mut node = case.machine.nodes()[0];
        node.core_bandwidth = Some(GigabytesPerSecond::new(12.0));
        let mut model = Model::from(ModelKind::Ecm);
        model.parameters.core_remote_gbs = remote;
        let machine = crate::common::machine(vec![node, node], |_, _| Some(32.0)).with_sharing(model);
        case.machine = machine.with_latencies_ns(vec![80.0, 120.0, 120.0, 80.0]).expect("latencies");
        case.allocation = numasim_model::Allocation::from_rows(&[vec![1, 0]]).expect("rows");
        case.demands[0].placement = placement;
        let solver = numasim_model::sharing::Solver::new(&case.machine, &case.demands);
        let mut workspace = solver.workspace();
        solver.solve(case.allocation.as_slice(), &mut workspace);
        workspace.bandwidth_per_thread()[0]
    };
    let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-9, "{got} {expected}");
    near(alone(Placement::Local, None), 12.0);
    near(alone(Placement::Home(NodeId(1)), None), 8.0);
    near(alone(Placement::Interleave, None), 9.6);
    // A given value takes precedence.
    near(alone(Placement::Home(NodeId(1)), Some(9.0)), 9.0);
}

#[test]
fn a_knee_bends_the_curve_of_equal_threads() {
    // 4 threads of 8 GB/s request exactly 32: 32 / 2^0.2 with a knee of 0.2
    let model = Model::from(ModelKind::Proportional).with(Parameter::SaturationKnee, 0.2).unwrap();
    let each = one_node(&[(4, 8.0)]).under(model).bandwidth[0][0].unwrap();
    assert!((4.0 * each - 32.0 / 2_f64.powf(0.2)).abs() < 1e-9, "{each}");
}

#[test]
fn a_thread_that_waits_at_a_controller_queues_less_at_its_link() {
    // 4 threads of 20 GB/s on 30: 7.5 each, but two of them read over 10 GB/s: 5 each. They fill the link,
    // and the others get the rest: (30 - 10) / 2 = 10.
    assert_gbs(&two_nodes(30.0, 20.0, [2, 2], 0.0), &[10.0, 5.0]);
    // On 16 all get 4: the link is not full, so no thread waits there.
    assert_gbs(&two_nodes(16.0, 20.0, [2, 2], 0.0), &[4.0; 4][..2]);
}

#[test]
fn without_a_measurement_write_threads_and_bytes_over_links_wait_longer() {
    let penalties = |kernel: Access, remote: bool, penalty: [Option<f64>; 2]| {
        let mut case = one_node(&[(4, 10.0)]);
        if remote {
            let node = case.machine.nodes()[0];
            case.machine = crate::common::machine(vec![node, node], |_, _| Some(32.0));
            case.allocation = numasim_model::Allocation::from_rows(&[vec![0, 4]]).expect("rows");
            case.demands[0].placement = Placement::Home(NodeId(0));
        }
        case.demands[0].traffic = kernel.into();
        let mut model = Model::from(ModelKind::Ecm);
        [model.parameters.ecm_penalty, model.parameters.ecm_write_penalty] = penalty;
        case.under(model).bandwidth[0].iter().flatten().copied().next()
    };
    for (kernel, remote, usual) in [
        (Access::Read, false, 0.33),
        (Access::Triad, false, 0.5),
        (Access::Read, true, 0.5),
        (Access::Copy, true, 0.5),
    ] {
        let gets = |penalty| penalties(kernel, remote, penalty);
        assert_eq!(gets([None, None]), gets([Some(usual), None]), "{kernel:?} {remote}");
        // Each alone applies to its own threads, and the first applies to all.
        let own = if usual == 0.33 { [Some(0.2), Some(0.9)] } else { [Some(0.9), Some(0.2)] };
        assert_eq!(gets(own), gets([Some(0.2), None]), "{kernel:?} {remote}");
        let other = if usual == 0.33 { [None, Some(0.9)] } else { [None, Some(0.2)] };
        assert_eq!(gets(other), gets([Some(if usual == 0.33 { 0.33 } else { 0.2 }), None]));
    }
    // Half of the threads at a controller each: the mean, 0.415.
    let mut case = one_node(&[(2, 10.0), (2, 10.0)]);
    case.demands[1].traffic = Access::Update.into();
    let each = |penalty| {
        let mut model = Model::from(ModelKind::Ecm);
        model.parameters.ecm_penalty = penalty;
        case.under(model).bandwidth
    };
    assert_eq!(each(None), each(Some(0.415)));
}

#[test]
fn a_link_saturates_as_softly_as_a_controller() {
    // Two threads of 5 GB/s on a link of 10, a fast controller, p0 = 0.5 / 10: f = 0.005. w = 0.0425 alone
    // would give S = w / f = 8.500; of 10, 8.5 / (1 + 0.85^8)^(1/8) = 8.2475 are delivered, and 1 / (1/5 + w)
    // = 4.1237 is half of that.
    assert_gbs(&two_nodes(1e9, 5.0, [0, 2], 0.5), &[4.1237]);
    // A single thread does not wait.
    assert_gbs(&two_nodes(1e9, 5.0, [0, 1], 0.5), &[5.0]);
}
