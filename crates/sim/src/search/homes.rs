//! The places of open data: each choice of homes and fractions for all applications is a set, with a bound before the search.
//!
//! Climbing may take all the available time, and a bound computed only afterwards would be crude. So each set gets a bound first, over the
//! corners of its nodes: that takes milliseconds for any number of options.

use super::budget::{Budget, RISE};
use super::dual::{Effort, Relaxation};
use super::{ExploreError, Outcome, Settings, Status, explore_beyond, gap};
use crate::memory::fixed_data_fits;
use crate::monitor::Monitor;
use crate::objective::Objective;
use crate::open_data::{Decided, OpenChoices};
use crate::parallel;
use crate::problem::{Evaluator, Problem};
use crate::roof::roof;
use crate::symmetry::node_classes;
use numasim_model::{Machine, Placement};

/// Maximum number of sets that are bounded and searched one by one.
const MAX_SETS: usize = 512;
/// Maximum work on a first bound.
const MOST: Effort = Effort { steps: 100, cuts: 150 };
/// Fewest linear programs for a useful bound of a set: steps alone leave it far too high. The first one includes all corners, which is
/// complete except for a nonlinear score.
const fn least_cuts(objective: Objective) -> usize {
    if matches!(objective, Objective::Geomean) { 20 } else { 3 }
}
/// First bounds may take the whole budget divided by this.
const PART_OF_EFFORT: u64 = 50;
/// Links and latencies that are checked in the time of one step.
const PAIRS_PER_STEP: u64 = 16;

/// A home, or a fraction on each node, for each application with open data.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HomeSet {
    pub(super) homes: Vec<Placement>,
    /// No allocation with this placement of data has a better score.
    pub(super) bound: f64,
}

/// All sets, one from each group that exchanges of equal nodes or equal instances turn into each other. Sets whose data does not fit the
/// memory are left out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HomeSets {
    /// `None` if there are too many to evaluate each.
    pub(super) listed: Option<Vec<HomeSet>>,
    /// No allocation has a better score for any open homes.
    pub(super) bound: f64,
    /// The cost of the bounds, in steps of the search.
    pub(super) work: u64,
}

impl HomeSets {
    /// Lists and bounds the sets of a search that may take `effort` steps.
    pub(super) fn new(problem: &Problem, effort: u64, monitor: &dyn Monitor) -> Self {
        Self::within(problem, &problem.machine, effort, monitor)
    }

    /// The same with the limits of L3 domains in `limits`, which is the machine with them, for a problem that leaves them out.
    pub(super) fn within(problem: &Problem, limits: &Machine, effort: u64, monitor: &dyn Monitor) -> Self {
        let Some(mut homes) = OpenChoices::new(limits, &problem.apps).all(MAX_SETS) else {
            let (bound, work) = anywhere(problem, limits, effort / PART_OF_EFFORT, monitor);
            return Self { listed: None, bound, work };
        };
        homes.retain(|homes| fixed_data_fits(limits, &problem.apps, &problem.placements(homes)));
        // The maximum cost of all of them, and of each.
        let all = effort / PART_OF_EFFORT;
        let each = all / homes.len().max(1) as u64;
        let several = homes.len() > 1;
        let (anywhere, mut work) =
            if several { anywhere(problem, limits, all, monitor) } else { (f64::INFINITY, 0) };
        // The weakest bound is that of all: it is loose before each set has a separate one.
        let found: Vec<Option<(f64, u64)>> = parallel::map(&homes, |homes| {
            with_homes(problem, limits, homes, (each, f64::NEG_INFINITY), !several, monitor)
        });
        work += found.iter().flatten().map(|(_, work)| work).sum::<u64>();
        let roofs = parallel::map(&homes, |homes| roof_with_homes(problem, limits, homes));
        let bounds: Vec<f64> = found
            .iter()
            .zip(roofs)
            .map(|(found, roof)| found.map_or(anywhere, |(bound, _)| bound.min(anywhere)).min(roof))
            .collect();
        let bound = bounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let listed = homes.into_iter().zip(bounds).map(|(homes, bound)| HomeSet { homes, bound }).collect();
        Self { listed: Some(listed), bound, work }
    }
}

/// Maximum number of parts that are refined at the same time, from the same cutoff.
const BATCH: usize = 16;
/// The bound of a part of all sets may take the whole budget divided by this.
const PART_OF_A_PART: u64 = 4_000;

/// Sets that are too many to be listed. Open data is decided node by node, the largest bound first, and only parts that could still beat
/// the best are refined. The sets come in batches of the size that is searched one by one.
pub(super) struct Undecided<'p> {
    problem: &'p Problem,
    choices: OpenChoices<'p>,
    /// Parts of all sets, each with a score that nothing in it exceeds.
    open: Vec<(f64, Decided)>,
}

impl HomeSets {
    /// All sets, if they are not listed.
    pub(super) fn undecided<'p>(&self, problem: &'p Problem) -> Undecided<'p> {
        let choices = OpenChoices::new(&problem.machine, &problem.apps);
        Undecided { problem, choices, open: vec![(self.bound, Decided::default())] }
    }
}

impl Undecided<'_> {
    /// A bound on all sets that have not been returned yet.
    pub(super) fn bound(&self) -> f64 {
        self.open.iter().map(|(bound, _)| *bound).fold(f64::NEG_INFINITY, f64::max)
    }

    /// The next sets that could have a score above `cutoff`, as far as a part of `budget` allows. Without open fractions there are none:
    /// homes are decided one application at a time, which gives weak bounds.
    pub(super) fn next_sets(
        &mut self,
        cutoff: f64,
        budget: &mut Budget,
        monitor: &dyn Monitor,
    ) -> Vec<HomeSet> {
        let Self { problem, choices, open } = self;
        let mut sets = Vec::new();
        if !choices.has_fractions() {
            return sets;
        }
        let each = (budget.left() / PART_OF_A_PART).max(1);
        let mut part = budget.at_most(budget.left() / 2);
        while sets.len() < MAX_SETS && !part.is_spent() && !monitor.stop() {
            open.retain(|(bound, _)| *bound > cutoff);
            open.sort_by(|a, b| a.0.total_cmp(&b.0));
            let batch = open.split_off(open.len().saturating_sub(BATCH));
            if batch.is_empty() {
                break;
            }
            let further = batch.iter().flat_map(|(bound, decided)| {
                choices.next(decided).into_iter().map(|decided| (*bound, decided))
            });
            let bounded = parallel::map(further.collect::<Vec<_>>(), |(bound, decided)| {
                if choices.is_complete(&decided) {
                    let homes = choices.placements(&decided);
                    if !fixed_data_fits(&problem.machine, &problem.apps, &problem.placements(&homes)) {
                        return None;
                    }
                    let (own, work) =
                        with_homes(problem, &problem.machine, &homes, (each, cutoff), true, monitor)?;
                    return Some((own.min(bound), work, decided));
                }
                let (own, work) =
                    with_decided(problem, &problem.machine, choices, &decided, (each, cutoff), monitor);
                Some((own.min(bound), work, decided))
            });
            for (bound, work, decided) in bounded.into_iter().flatten() {
                part.spend(work);
                if bound > cutoff && choices.is_complete(&decided) {
                    sets.push(HomeSet { homes: choices.placements(&decided), bound });
                } else if bound > cutoff {
                    open.push((bound, decided));
                }
            }
        }
        budget.settle(part);
        sets
    }
}

/// A bound that holds with these homes, and its cost. `None` if stopped, or if `steps` are too few for a good one; if it `must` exist, any
/// is good enough.
fn with_homes(
    problem: &Problem,
    limits: &Machine,
    homes: &[Placement],
    (steps, target): (u64, f64),
    must: bool,
    monitor: &dyn Monitor,
) -> Option<(f64, u64)> {
    if !must && (preparing(problem) > steps || monitor.stop()) {
        return None;
    }
    let placements = problem.placements(homes);
    let classes = node_classes(limits, &problem.apps, &placements, false);
    let evaluator = Evaluator::new(problem, placements);
    let loose =
        Relaxation::loose(problem, limits, &evaluator, &classes, monitor).with_least_of_corners(&evaluator);
    first_bound(&loose, steps, target, must)
}

/// A score that nothing with these homes exceeds: every application has its maximum by cores, links and memories, and no more than alone if
/// the others never help it.
fn roof_with_homes(problem: &Problem, limits: &Machine, homes: &[Placement]) -> f64 {
    let placements = problem.placements(homes);
    // Threads of others in an L3 domain may help.
    let apart = !limits.has_limited_domains() && problem.proofs_apply(&placements);
    let by_alone = problem.goal.alone_is_proven() && apart;
    let most = |(a, placement): (usize, &Placement)| {
        let roof = roof(&problem.machine, &problem.apps[a], placement);
        if by_alone { roof.min(problem.goal.alone()[a]) } else { roof }
    };
    problem.goal.score(&placements.iter().enumerate().map(most).collect::<Vec<_>>())
}

/// A bound that holds for any place of open data, with the read limits of `limits`, and its cost.
fn anywhere(problem: &Problem, limits: &Machine, steps: u64, monitor: &dyn Monitor) -> (f64, u64) {
    let nothing = Decided::default();
    let (bound, work) = with_decided(
        problem,
        limits,
        &OpenChoices::new(&problem.machine, &problem.apps),
        &nothing,
        (steps, f64::NEG_INFINITY),
        monitor,
    );
    (bound.min(problem.roof()), work)
}

/// The same with some of it decided.
fn with_decided(
    problem: &Problem,
    limits: &Machine,
    choices: &OpenChoices<'_>,
    decided: &Decided,
    (steps, target): (u64, f64),
    monitor: &dyn Monitor,
) -> (f64, u64) {
    let (placements, rest) = choices.sure(&problem.apps, decided);
    let evaluator = Evaluator::new(problem, placements);
    let relaxation = Relaxation::with_homes_anywhere(problem, limits, &evaluator, &rest, monitor);
    first_bound(&relaxation, steps, target, true).unwrap_or((f64::INFINITY, 0))
}

/// A bound for about `steps`, which need not be lower than `target`. `None` if the steps are too few for a good one, unless it `must`
/// exist.
fn first_bound(relaxation: &Relaxation<'_>, steps: u64, target: f64, must: bool) -> Option<(f64, u64)> {
    let preparing = preparing(relaxation.problem);
    let steps = steps.saturating_sub(preparing);
    let times = |cost: u64| usize::try_from(steps / 2 / cost).unwrap_or(usize::MAX);
    let effort = Effort {
        steps: times(relaxation.pricing()).clamp(1, MOST.steps),
        cuts: times(relaxation.program_steps() + relaxation.pricing()).min(MOST.cuts),
    };
    if !must && effort.cuts < least_cuts(relaxation.problem.goal.objective()) {
        return None;
    }
    let everything = relaxation.everything();
    let improved = relaxation.improve(&relaxation.start(), &everything, target, effort);
    Some((improved.bound, improved.work + preparing))
}

/// The cost of comparing nodes and compiling the limits, in steps of the search.
fn preparing(problem: &Problem) -> u64 {
    let nodes = problem.machine.node_count() as u64;
    nodes * nodes * (1 + problem.apps.len() as u64) / PAIRS_PER_STEP
}

// Search until the proof or the end of the time limit: [`best_to_the_end`].
//
// # Approach
// One search after the other, each with [`RISE`] times the budget of the one before and other random restarts, until one is proven or the
// monitor stops it. A larger budget also lists nodes with more options. Each search starts with the best allocation of those before; of all
// bounds the tightest counts. Starting over costs at most a third of all steps.

/// Repeats the search by node for any of the best allocations with larger budgets until the answer is proven or `monitor` stops it.
///
/// # Errors
/// Those of [`super::explore`]; [`ExploreError::NothingFound`] only when it was stopped.
pub(super) fn best_to_the_end(
    problem: &Problem,
    settings: &Settings,
    monitor: &dyn Monitor,
) -> Result<Outcome, ExploreError> {
    let mut settings = *settings;
    let mut found = explore_beyond(problem, &settings, monitor, None);
    loop {
        let goes_on = match &found {
            Ok(outcome) => outcome.status != Status::Optimal,
            Err(ExploreError::NothingFound) => true,
            Err(_) => false,
        };
        if !goes_on || monitor.stop() {
            return found;
        }
        settings.effort = settings.effort.saturating_mul(RISE);
        settings.seed = settings.seed.wrapping_add(1);
        let known = found.as_ref().ok().map(|outcome| &outcome.best);
        let next = explore_beyond(problem, &settings, monitor, known);
        found = match (found, next) {
            (Ok(before), Ok(after)) => Ok(together(problem, before, after)),
            (Ok(before), Err(ExploreError::NothingFound)) => Ok(before),
            (_, after) => after,
        };
    }
}

/// Combines the outcomes of two searches for the same question.
fn together(problem: &Problem, before: Outcome, after: Outcome) -> Outcome {
    if after.status == Status::Optimal {
        return after;
    }
    let status = after.status;
    let bound = if problem.goal.objective() == Objective::Makespan {
        before.bound.max(after.bound)
    } else {
        before.bound.min(after.bound)
    };
    // A search that was stopped has not looked for alternatives.
    let (mut better, other) = if after.best.beats(&before.best) { (after, before) } else { (before, after) };
    if better.alternatives.is_empty() && better.best == other.best {
        better.alternatives = other.alternatives;
    }
    let gap = gap(better.value, bound);
    Outcome { bound, gap, status, ..better }
}

#[cfg(test)]
mod tests {
    use numasim_model::units::{Gflops, GigabytesPerSecond};
    use numasim_model::{Access, App, Data, KernelBandwidths, Machine, Model, ModelKind, Node, NodeId};

    use super::*;
    use crate::monitor::{Progress, Unattended};
    use crate::testing::{app, local_app, uniform_machine, with_nodes};
    use crate::{Objective, Restrictions};

    const EFFORT: u64 = 150_000_000;

    /// Stops immediately.
    struct Stopped;

    impl Monitor for Stopped {
        fn stop(&self) -> bool {
            true
        }
        fn progress(&self, _: &Progress) {}
    }

    /// Nodes of 4 cores x 10 GFLOPS with controllers of 20 and 12 GB/s and links of 2 and 3 GB/s; a thread wants 40 GB/s.
    fn problem() -> Problem {
        let node = uniform_machine(1, 4, 10.0, 20.0, 1.0).nodes()[0];
        let nodes = vec![node, Node { bandwidth: GigabytesPerSecond::new(12.0), ..node }];
        let links = [20.0, 2.0, 3.0, 12.0].map(GigabytesPerSecond::new);
        let machine = Machine::new("unequal", nodes, links.to_vec()).expect("a machine");
        let app = app("a", 0.25, Data::OpenHome { share: 1.0 });
        Problem::new(&machine, &[app], Objective::TotalGflops, Restrictions::default()).expect("possible")
    }

    #[test]
    fn each_home_is_bounded_by_its_controller_and_all_by_the_fastest() {
        let sets = HomeSets::new(&problem(), EFFORT, &Unattended);
        let bounds: Vec<f64> = sets.listed.iter().flatten().map(|set| set.bound).collect();
        // 20 and 12 GB/s x 0.25 FLOP per byte; all data is read from the one controller.
        assert!((bounds[0] - 5.0).abs() < 1e-6 && (bounds[1] - 3.0).abs() < 1e-6, "{bounds:?}");
        assert!((sets.bound - 5.0).abs() < 1e-6, "{}", sets.bound);
        assert!(sets.work > 0);
    }

    #[test]
    fn with_a_small_budget_each_set_has_common_and_individual_bounds() {
        // `a` has its data on either node, `b` local data on node 0. One linear program for each set is too few.
        let Problem { machine, apps, .. } = problem();
        let apps = [apps[0].clone(), App { nodes: Some(vec![NodeId(0)]), ..local_app("b", 0.25) }];
        let problem =
            Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).expect("possible");
        let bounds = |effort| -> Vec<f64> {
            let sets = HomeSets::new(&problem, effort, &Unattended);
            sets.listed.iter().flatten().map(|set| set.bound).collect()
        };
        // (20 + 12) x 0.25. The individual upper bounds are 5 + 5 with both on node 0, 3 + 5 otherwise.
        let little = bounds(800_000);
        assert!(little.iter().all(|bound| (bound - 8.0).abs() < 1e-6), "{little:?}");
        // Both share 20 GB/s of node 0, or have 12 and 20 x 0.25.
        let much = bounds(EFFORT);
        assert!((much[0] - 5.0).abs() < 1e-6 && (much[1] - 8.0).abs() < 1e-6, "{much:?}");
    }

    #[test]
    fn an_open_home_allows_the_bandwidth_of_the_nearest_memory() {
        // 10 lines of 64 byte in 64 ns are 10 GB/s, in 128 ns 5. The threads belong on node 1; the first home that is tried is node 0.
        let latencies = [64.0, 128.0, 128.0, 64.0];
        let machine =
            uniform_machine(2, 1, 100.0, 50.0, 40.0).with_latencies_ns(latencies.to_vec()).expect("4");
        let open = |lines| App {
            nodes: Some(vec![NodeId(1)]),
            outstanding_lines: lines,
            ..app("a", 1.0, Data::OpenHome { share: 1.0 })
        };
        let core = Some(GigabytesPerSecond::new(10.0));
        let by_machine = with_nodes(&machine, |_, node| Node { core_bandwidth: core, ..node })
            .with_sharing(Model::from(ModelKind::Ecm));
        for (machine, app) in [(&machine, open(Some(10.0))), (&by_machine, open(None))] {
            let problem = Problem::new(machine, &[app], Objective::TotalGflops, Restrictions::default());
            let sets = HomeSets::new(&problem.expect("possible"), EFFORT, &Unattended);
            assert!((sets.bound - 10.0).abs() < 1e-6, "{}", sets.bound);
        }
    }

    #[test]
    fn copies_faster_than_reads_are_not_bounded_by_reads() {
        // Two unequal nodes of one core with 20 GB/s of reads, 30 of copies: `copy` gets 30 GFLOPS on each, and it uses both.
        let machine = with_nodes(&uniform_machine(2, 1, 100.0, 20.0, 10.0), |n, node| Node {
            gflops_per_core: Gflops::new(if n == 0 { 100.0 } else { 90.0 }),
            kernels: KernelBandwidths { copy: Some(GigabytesPerSecond::new(30.0)), ..KernelBandwidths::NONE },
            ..node
        });
        let copy = App { kernel: Access::Copy, ..local_app("copy", 1.0) };
        let open = App { min_threads: 0, ..app("open", 1.0, Data::OpenHome { share: 1.0 }) };
        let problem = Problem::new(&machine, &[copy, open], Objective::TotalGflops, Restrictions::default())
            .expect("possible");
        let sets = HomeSets::new(&problem, EFFORT, &Unattended);
        assert!((sets.bound - 60.0).abs() < 1e-6, "{}", sets.bound);
    }

    #[test]
    fn an_immediate_stop_leaves_a_valid_bound() {
        // Never below the possible 5 GFLOPS; at most all 8 cores.
        let sets = HomeSets::new(&problem(), EFFORT, &Stopped);
        assert!((5.0..=80.0).contains(&sets.bound), "{}", sets.bound);
    }

    #[test]
    fn too_many_sets_share_one_bound() {
        // 24 nodes that differ in memory bandwidth, and two unlike open homes: 576 sets.
        let node = uniform_machine(1, 1, 10.0, 20.0, 1.0).nodes()[0];
        let unlike = |n: u32| Node { bandwidth: GigabytesPerSecond::new(f64::from(20 + n)), ..node };
        let links = vec![GigabytesPerSecond::new(10.0); 24 * 24];
        let machine = Machine::new("unequal", (0..24).map(unlike).collect(), links).expect("a machine");
        let open = |name, intensity| app(name, intensity, Data::OpenHome { share: 1.0 });
        let problem = Problem::new(
            &machine,
            &[open("a", 100.0), open("b", 50.0)],
            Objective::TotalGflops,
            Restrictions::default(),
        );
        let sets = HomeSets::new(&problem.expect("possible"), EFFORT, &Unattended);
        assert!(sets.listed.is_none());
        // 24 cores x 10 GFLOPS; nothing else limits.
        assert!((sets.bound - 240.0).abs() < 1e-6, "{}", sets.bound);
    }
}

#[cfg(test)]
mod tests_of_rounds {
    use super::super::testing::{StopAt, question};
    use super::super::{Unattended, explore, explore_to_the_end};
    use super::*;

    const LITTLE: Settings = Settings { top: 3, seed: 0, effort: 1 };

    #[test]
    fn rounds_with_larger_budgets_reach_the_proof() {
        let problem = question(7, Objective::Fair);
        let little = explore(&problem, &LITTLE, &Unattended).expect("an answer");
        assert_eq!(little.status, Status::Unproven, "one round would be enough");
        let found = explore_to_the_end(&problem, &LITTLE, &Unattended).expect("an answer");
        let much = explore(&problem, &Settings::default(), &Unattended).expect("an answer");
        assert_eq!((found.status, found.value), (Status::Optimal, much.value));
    }

    #[test]
    fn results_of_a_round_survive_a_stop_of_the_next() {
        let problem = question(7, Objective::Fair);
        let first = explore(&problem, &LITTLE, &Unattended).expect("an answer");
        let counted = StopAt::new(u64::MAX);
        explore(&problem, &LITTLE, &counted).expect("an answer");
        let of_one_round = counted.asked();
        // Right after the first round, and a little later in the second one.
        for at in [of_one_round + 1, of_one_round + 3, of_one_round + 6] {
            let monitor = StopAt::new(at);
            let found = explore_to_the_end(&problem, &LITTLE, &monitor).expect("an answer");
            assert!(found.value >= first.value && found.bound <= first.bound, "{found:?} {first:?}");
            assert!(found.value <= found.bound && found.alternatives.len() >= first.alternatives.len());
            assert!((found.gap - (found.bound - found.value) / found.bound).abs() < 1e-12);
        }
    }
}
