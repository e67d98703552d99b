//! Guarantees of the model on random machines, for every solver in [`SOLVERS`].

use crate::common::changes::{renumbered, some_of, without_one_thread};
use crate::common::models::peak;
use crate::common::strategies::{
    case, case_of, case_with_common_limits, case_with_data_alike, case_with_domains, log_uniform, order,
};
use crate::common::{
    Case, OF_DEFAULT, OF_REMOTE_FIRST, SOLVERS, Solved, Solver, by_fast, by_reference, links,
};
use numasim_model::sharing::invariants;
use numasim_model::sharing::least::MostThreads;
use numasim_model::{AppId, Demand, ModelKind, NodeId, Placement};
use proptest::prelude::*;
use proptest::sample::Index;

/// `expected` and `got` (read by `of(app, node)`) are the same answer, up to rounding errors.
fn assert_same(
    case: &Case,
    expected: &Solved,
    got: &Solved,
    of: impl Fn(AppId, NodeId) -> (usize, usize),
) -> Result<(), TestCaseError> {
    for app in case.apps() {
        for node in case.machine.node_ids() {
            let (a, n) = of(app, node);
            let (before, after) = (expected.bandwidth[app.0][node.0], got.bandwidth[a][n]);
            prop_assert!(
                near(before, after, case.rounding_gbs()),
                "GB/s of {app:?}, {node}: {before:?} {after:?}"
            );
            let (before, after) = (expected.gflops[app.0][node.0], got.gflops[a][n]);
            prop_assert!(
                near(before, after, case.rounding_gflops(app)),
                "GFLOPS of {app:?}, {node}: {before:?} {after:?}"
            );
        }
    }
    Ok(())
}

fn near(a: Option<f64>, b: Option<f64>, rounding: f64) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= rounding,
        (a, b) => a == b,
    }
}

/// No thread that is in both answers, on a node for which `counts` is true, has more bandwidth in `after`.
fn assert_nobody_gains(
    case: &Case,
    before: &Solved,
    after: &Solved,
    counts: impl Fn(NodeId) -> bool,
) -> Result<(), TestCaseError> {
    for app in case.apps() {
        for node in case.machine.node_ids().filter(|&node| counts(node)) {
            if let (Some(before), Some(after)) =
                (before.bandwidth[app.0][node.0], after.bandwidth[app.0][node.0])
            {
                prop_assert!(
                    after <= before + case.rounding_gbs(),
                    "{app:?} on {node} rises from {before} to {after}"
                );
            }
        }
    }
    Ok(())
}

fn for_every_solver(check: impl Fn(Solver) -> Result<(), TestCaseError>) -> Result<(), TestCaseError> {
    for_each(SOLVERS, check)
}

fn for_each(
    solvers: &[(&str, Solver)],
    check: impl Fn(Solver) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    solvers.iter().try_for_each(|&(name, solver)| {
        check(solver).map_err(|error| TestCaseError::fail(format!("solver {name}: {error}")))
    })
}

/// Two solvers give the same answer in all its values.
fn assert_equal(case: &Case, slow: Solver, fast: Solver) -> Result<(), TestCaseError> {
    let (slow, fast) = (case.solve(slow), case.solve(fast));
    assert_same(case, &slow, &fast, |app, node| (app.0, node.0))?;
    prop_assert_eq!(slow.grants.groups.len(), fast.grants.groups.len());
    for (slow, fast) in slow.grants.groups.iter().zip(&fast.grants.groups) {
        prop_assert_eq!((slow.app, slow.from, slow.memory), (fast.app, fast.from, fast.memory));
        prop_assert!((slow.granted_gbs - fast.granted_gbs).abs() <= case.rounding_gbs(), "{slow:?} {fast:?}");
    }
    Ok(())
}

/// A case, a node whose controller or links become faster, and the factor.
fn case_with_a_wider_node() -> impl Strategy<Value = (Case, Index, f64)> {
    (case(), any::<Index>(), log_uniform(1.0, 100.0))
}

fn holds(property: Result<(), invariants::Violation>) -> Result<(), TestCaseError> {
    property.map_err(|violation| TestCaseError::fail(violation.to_string()))
}

/// Random cases for each property; all together take about a second.
const CASES: u32 = 1024;

proptest! {
    #![proptest_config(crate::random::questions(CASES))]

    #[test]
    fn no_thread_gets_more_than_its_demand(case in case()) {
        for_every_solver(|solver| {
            let solved = case.solve(solver);
            holds(invariants::nobody_above_demand(&solved.grants))?;
            holds(invariants::nobody_above_demand(&solved.draws))
        })?;
    }

    #[test]
    fn no_controller_exceeds_its_bandwidth(case in case()) {
        for_every_solver(|solver| {
            let solved = case.solve(solver);
            holds(invariants::controllers_within_capacity(&solved.grants))?;
            holds(invariants::controllers_within_capacity(&solved.draws))
        })?;
    }

    #[test]
    fn no_link_exceeds_its_bandwidth(case in case()) {
        for_every_solver(|solver| {
            let solved = case.solve(solver);
            holds(invariants::links_within_capacity(&solved.grants))?;
            holds(invariants::links_within_capacity(&solved.draws))
        })?;
    }

    #[test]
    fn every_thread_gets_the_baseline(case in case()) {
        for_each(OF_REMOTE_FIRST, |solver| holds(invariants::at_least_baseline(&case.solve(solver).grants)))?;
        let case = case.with_one_memory_each();
        for_every_solver(|solver| holds(invariants::at_least_baseline(&case.solve(solver).grants)))?;
    }

    #[test]
    fn a_nodes_own_threads_keep_an_equal_share_of_their_controller(case in case_with_common_limits()) {
        for_each(OF_DEFAULT, |solver| holds(invariants::own_port_keeps_its_part(&case.solve(solver).grants)))?;
    }

    #[test]
    fn threads_keep_the_lower_bound_of_the_search(
        case in case(),
        limited in case_with_common_limits(),
        more in prop::collection::vec(0_u32..4, 5),
    ) {
        let kinds = [ModelKind::BaselineProportional, ModelKind::MaxMin, ModelKind::Proportional, ModelKind::RemoteFirst];
        for (case, kind) in [case, limited].iter().flat_map(|case| kinds.map(|kind| (case, kind))) {
            let machine = case.machine.clone().with_sharing(kind.into());
            let solved = by_fast(&machine, &case.demands, &case.allocation);
            let solver = numasim_model::sharing::Solver::new(&machine, &case.demands);
            let total = |app: AppId| u32::try_from(case.allocation.total(app)).expect("few") + more[app.0];
            let highest: Vec<u32> = case.apps().map(total).collect();
            let mut least = vec![0.0; case.demands.len()];
            let may_be = |(node, app): (NodeId, AppId)| case.allocation.get(app, node) + more[app.0] / 2;
            let places = case.machine.node_ids().flat_map(|node| case.apps().map(move |app| (node, app)));
            let on_node: Vec<u32> = places.map(may_be).collect();
            let most = MostThreads { on_machine: &highest, on_node: &on_node };
            for node in case.machine.compute_nodes() {
                let Some(kept) = solver.kept(node) else { continue };
                let threads: Vec<u32> = case.apps().map(|app| case.allocation.get(app, node)).collect();
                let mut of_one = least.clone();
                kept.least_gflops_of_one(most, None, &mut of_one);
                kept.least_gflops(&threads, most, &mut least);
                for (app, of_one) in case.apps().zip(of_one) {
                    // The bound is for memory: the loss on several nodes is applied after it.
                    let per_thread = solved.gflops[app.0][node.0].unwrap_or(0.0) / case.kept_on_several_nodes(app);
                    let got = per_thread * f64::from(threads[app.0]);
                    let rounding = case.rounding_gflops(app) * f64::from(threads[app.0]);
                    prop_assert!(
                        least[app.0] <= got + rounding,
                        "{kind:?}: {app:?} on {node}: {got}, but {} at least", least[app.0]
                    );
                    prop_assert!(
                        of_one * f64::from(threads[app.0]) <= got + rounding,
                        "{kind:?}: {app:?} on {node}: {got}, but {of_one} at least of one thread"
                    );
                }
            }
        }
    }

    /// The bound is that of a solver without L3 domains: it knows only an equal part of the limit of a domain.
    #[test]
    fn threads_of_limited_domains_keep_the_lower_bound_of_the_search(case in case_with_domains()) {
        let (machine, solved) = (&case.machine, case.solve(by_fast));
        let solver = numasim_model::sharing::Solver::new(&machine.without_limited_domains(), &case.demands);
        let total = |app| u32::try_from(case.allocation.total(app)).expect("few");
        let highest: Vec<u32> = case.apps().map(total).collect();
        let places = machine.node_ids().flat_map(|node| case.apps().map(move |app| (app, node)));
        let on_node: Vec<u32> = places.map(|(app, node)| case.allocation.get(app, node)).collect();
        let most = MostThreads { on_machine: &highest, on_node: &on_node };
        let rows = machine.rows_per_app();
        for node in machine.compute_nodes() {
            let Some(kept) = solver.kept(node) else { continue };
            let own = machine.node(node);
            let part = own.l3_bandwidth.map(|limit| limit * f64::from(own.domain_cores()).recip());
            let mut of_one = vec![0.0; case.demands.len()];
            kept.least_gflops_of_one(most, part, &mut of_one);
            for (app, of_one) in case.apps().zip(of_one) {
                let of_domains = &solved.gflops[app.0 * rows..][..rows];
                for got in of_domains.iter().filter_map(|of_nodes| of_nodes[node.0]) {
                    let got = got / case.kept_on_several_nodes(app);
                    prop_assert!(
                        of_one <= got + case.rounding_gflops(app),
                        "{app:?} on {node}: {got}, but {of_one} at least of one thread"
                    );
                }
            }
        }
    }

    #[test]
    fn no_thread_is_hungry_with_room_on_every_resource_it_uses(case in case(), limited in case_with_common_limits()) {
        for_each(OF_DEFAULT, |solver| {
            holds(invariants::nobody_hungry_with_room(&case.solve(solver).draws))?;
            holds(invariants::nobody_hungry_with_room(&limited.solve(solver).draws))
        })?;
    }

    #[test]
    fn shared_links_and_read_limits_are_kept(case in case_with_common_limits()) {
        for_each(OF_DEFAULT, |solver| holds(invariants::within_limits(&case.solve(solver).draws)))?;
    }

    #[test]
    fn the_default_uses_all_its_grants(case in case_with_common_limits()) {
        for_each(OF_DEFAULT, |solver| {
            let solved = case.solve(solver);
            for (grant, draw) in solved.grants.groups.iter().zip(&solved.draws.groups) {
                prop_assert!((grant.granted_gbs - draw.granted_gbs).abs() <= case.rounding_gbs(), "{grant:?} {draw:?}");
            }
            Ok(())
        })?;
    }

    /// Limits that are not reached change nothing.
    #[test]
    fn high_limits_have_no_effect(case in case_with_common_limits()) {
        let mut nodes = case.machine.nodes().to_vec();
        for node in &mut nodes {
            node.read_bandwidth = node.read_bandwidth.map(|limit| limit * 1e9);
        }
        let mut shared = case.machine.shared_links().to_vec();
        for shared in &mut shared {
            shared.bandwidth = shared.bandwidth * 1e9;
        }
        let wide = case.on(nodes.clone(), links(&case.machine));
        let wide = wide.sharing(wide.machine.clone(), shared);
        for node in &mut nodes {
            node.read_bandwidth = None;
        }
        let none = case.on(nodes, links(&case.machine));
        let none = none.sharing(none.machine.clone(), Vec::new());
        for_each(OF_DEFAULT, |solver| {
            assert_same(&case, &none.solve(solver), &wide.solve(solver), |app, node| (app.0, node.0))
        })?;
    }

    #[test]
    fn no_thread_is_hungry_next_to_idle_bandwidth(case in case()) {
        for_each(OF_REMOTE_FIRST, |solver| holds(invariants::work_conserving(&case.solve(solver).grants)))?;
        let case = case.with_one_memory_each();
        for_every_solver(|solver| holds(invariants::work_conserving(&case.solve(solver).grants)))?;
    }

    /// The traffic is a fixed mix of memories: no more than the grant anywhere, and exactly the grant at some
    /// memory.
    #[test]
    fn the_slowest_memory_sets_the_pace(case in case()) {
        for_every_solver(|solver| {
            let solved = case.solve(solver);
            for app in case.apps() {
                for node in case.machine.node_ids() {
                    let Some(bandwidth) = solved.bandwidth[app.0][node.0] else { continue };
                    let pairs = solved.grants.groups.iter().zip(&solved.draws.groups);
                    let own = pairs.filter(|(grant, _)| grant.app == app && grant.from == node);
                    let mut drawn_in_all = 0.0;
                    let mut used_up_somewhere = false;
                    for (grant, draw) in own {
                        prop_assert!(draw.granted_gbs <= grant.granted_gbs + case.rounding_gbs());
                        drawn_in_all += draw.granted_gbs;
                        used_up_somewhere |= draw.granted_gbs >= grant.granted_gbs - case.rounding_gbs();
                    }
                    let occupied = case.occupied(app, node) * bandwidth;
                    prop_assert!(near(Some(drawn_in_all), Some(occupied), case.rounding_gbs()));
                    prop_assert!(used_up_somewhere);
                    let fed = bandwidth * case.demands[app.0].arithmetic_intensity.value();
                    let expected = fed.min(peak(&case, app, node)) * case.kept_on_several_nodes(app);
                    prop_assert!(near(solved.gflops[app.0][node.0], Some(expected), case.rounding_gflops(app)));
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn the_order_of_applications_does_not_matter(
        (case, new) in case().prop_flat_map(|case| {
            let new = order(case.demands.len());
            (Just(case), new)
        }),
    ) {
        // Application a becomes application new[a].
        let mut moved = case.clone();
        for app in case.apps() {
            let to = AppId(new[app.0]);
            moved.demands[to.0] = case.demands[app.0].clone();
            for node in case.machine.node_ids() {
                moved.allocation.set(to, node, case.allocation.get(app, node));
            }
        }
        for_every_solver(|solver| {
            assert_same(&case, &case.solve(solver), &moved.solve(solver), |app, node| (new[app.0], node.0))
        })?;
    }

    #[test]
    fn the_numbering_of_nodes_does_not_matter(
        (case, new) in prop_oneof![case(), case_with_common_limits()].prop_flat_map(|case| {
            let new = order(case.machine.node_count());
            (Just(case), new)
        }),
    ) {
        let moved = renumbered(&case, &new);
        for_every_solver(|solver| {
            assert_same(&case, &case.solve(solver), &moved.solve(solver), |app, node| (app.0, new[node.0]))
        })?;
    }

    #[test]
    fn k_times_the_bandwidths_and_peaks_give_k_times_the_gflops(
        case in prop_oneof![case(), case_with_common_limits()],
        k in log_uniform(1.0 / 1024.0, 1024.0),
    ) {
        let nodes = case.machine.nodes().iter().map(|node| {
            let mut node = *node;
            node.gflops_per_core = node.gflops_per_core * k;
            node.bandwidth = node.bandwidth * k;
            node.core_bandwidth = node.core_bandwidth.map(|ceiling| ceiling * k);
            node.read_bandwidth = node.read_bandwidth.map(|limit| limit * k);
            node.kernels = node.kernels.times(k);
            node
        });
        let links = links(&case.machine);
        let mut shared = case.machine.shared_links().to_vec();
        for shared in &mut shared {
            shared.bandwidth = shared.bandwidth * k;
        }
        let faster = case.on(nodes.collect(), |from, memory| links(from, memory).map(|link| link * k));
        let faster = faster.sharing(faster.machine.clone(), shared).with_limits_times(k);
        for_every_solver(|solver| {
            let mut expected = case.solve(solver);
            let cells = expected.bandwidth.iter_mut().chain(&mut expected.gflops).flatten().flatten();
            cells.for_each(|value| *value *= k);
            assert_same(&faster, &expected, &faster.solve(solver), |app, node| (app.0, node.0))
        })?;
    }

    #[test]
    fn on_one_node_all_data_is_local(case in case_of(Just(1))) {
        let mut local = case.clone();
        local.demands.iter_mut().for_each(|demand: &mut Demand| demand.placement = Placement::Local);
        for_every_solver(|solver| {
            assert_same(&case, &local.solve(solver), &case.solve(solver), |app, node| (app.0, node.0))
        })?;
    }

    /// Two independent implementations of the model: thread by thread, and compiled for speed.
    #[test]
    fn the_fast_solver_equals_the_slow_obvious_one(case in case(), limited in case_with_common_limits()) {
        assert_equal(&case, by_reference, by_fast)?;
        assert_equal(&limited, by_reference, by_fast)?;
        assert_equal(&case, OF_REMOTE_FIRST[0].1, OF_REMOTE_FIRST[1].1)?;
    }

    /// The reads of L3 domains are one more limit, inside that of their node.
    #[test]
    fn groups_in_l3_domains_get_the_same_as_single_threads(case in case_with_domains()) {
        let (slow, fast) = (case.solve(by_reference), case.solve(by_fast));
        let cells = |solved: &Solved| solved.bandwidth.iter().chain(&solved.gflops).flatten().copied().collect::<Vec<_>>();
        for (slow, fast) in cells(&slow).into_iter().zip(cells(&fast)) {
            prop_assert_eq!(slow.is_some(), fast.is_some());
            let (slow, fast) = (slow.unwrap_or(0.0), fast.unwrap_or(0.0));
            prop_assert!((slow - fast).abs() <= 1e-6 * slow.abs().max(fast.abs()), "{slow} {fast}");
        }
        for solved in [&slow, &fast] {
            prop_assert_eq!(invariants::of_default(&solved.draws), Ok(()));
        }
        let max_min = case.machine.clone().with_model(ModelKind::MaxMin);
        let filled = by_fast(&max_min, &case.demands, &case.allocation);
        prop_assert_eq!(invariants::within_limits(&filled.draws), Ok(()));
        prop_assert_eq!(invariants::nobody_hungry_with_room(&filled.draws), Ok(()));
    }

    /// The fast solver processes such groups together as long as one port limits all of them.
    #[test]
    fn groups_with_equal_data_placement_get_the_same_as_single_groups(case in case_with_data_alike()) {
        assert_equal(&case, by_reference, by_fast)?;
    }

    /// The bounds of the search rely on this property. It assumes that the threads on other nodes keep their demand: an application that writes more
    /// copies moves less and leaves more bandwidth to others.
    #[test]
    fn threads_added_on_one_node_never_help_threads_on_another(
        case in case().prop_map(Case::without_copies),
        at in any::<Index>(),
        kept in prop::collection::vec(0.0..=1.0_f64, 5),
    ) {
        let node = NodeId(at.index(case.machine.node_count()));
        let mut fewer = case.clone();
        for app in case.apps() {
            fewer.allocation.set(app, node, some_of(case.allocation.get(app, node), kept[app.0]));
        }
        for_each(OF_REMOTE_FIRST, |solver| {
            assert_nobody_gains(&case, &fewer.solve(solver), &case.solve(solver), |other| other != node)
        })?;
        let (fewer, case) = (fewer.with_one_memory_each(), case.with_one_memory_each());
        for_each(OF_DEFAULT, |solver| {
            assert_nobody_gains(&case, &fewer.solve(solver), &case.solve(solver), |other| other != node)
        })?;
    }

    #[test]
    fn a_thread_added_to_local_threads_helps_none_of_them(case in case(), at in any::<Index>()) {
        // Local data only: remote readers of one link do gain from company if the controller is short. The
        // local data of a node without memory is read over a link.
        if !case.machine.all_have_memory() {
            return Ok(());
        }
        let mut case = case;
        for demand in &mut case.demands {
            demand.placement = Placement::Local;
        }
        let Some(fewer) = without_one_thread(&case, at) else { return Ok(()) };
        for_every_solver(|solver| assert_nobody_gains(&case, &fewer.solve(solver), &case.solve(solver), |_| true))?;
    }

    #[test]
    fn a_faster_controller_takes_bandwidth_from_no_thread((case, at, factor) in case_with_a_wider_node()) {
        let at = at.index(case.machine.node_count());
        let mut nodes = case.machine.nodes().to_vec();
        nodes[at].bandwidth = nodes[at].bandwidth * factor;
        nodes[at].kernels = nodes[at].kernels.times(factor);
        let wider = case.on(nodes, links(&case.machine));
        for_each(OF_REMOTE_FIRST, |solver| {
            assert_nobody_gains(&wider, &wider.solve(solver), &case.solve(solver), |_| true)
        })?;
        // With data on several memories a thread may lose: others that get more here take more elsewhere.
        let (wider, case) = (wider.with_one_memory_each(), case.with_one_memory_each());
        for_each(OF_DEFAULT, |solver| {
            assert_nobody_gains(&wider, &wider.solve(solver), &case.solve(solver), |_| true)
        })?;
    }

    #[test]
    fn faster_links_of_a_node_take_bandwidth_from_none_of_its_threads_on_them(
        (case, at, factor) in case_with_a_wider_node(),
    ) {
        let at = NodeId(at.index(case.machine.node_count()));
        let old = links(&case.machine);
        let wider = case.on(case.machine.nodes().to_vec(), |from, memory| {
            old(from, memory).map(|link| if from == at { link * factor } else { link })
        });
        let one_round = !numasim_model::sharing::Solver::new(&case.machine, &case.demands).deals_again();
        let solvers = if one_round { SOLVERS } else { OF_REMOTE_FIRST };
        for_each(solvers, |solver| {
            let (before, after) = (case.solve(solver), wider.solve(solver));
            for (before, after) in before.grants.groups.iter().zip(&after.grants.groups) {
                if before.from == at && before.memory != at {
                    prop_assert!(after.granted_gbs >= before.granted_gbs - case.rounding_gbs(), "{before:?} {after:?}");
                }
            }
            Ok(())
        })?;
    }
}
