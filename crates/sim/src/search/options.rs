//! All ways to fill one node: the options among which the exact search chooses, one per node.

use std::borrow::Cow;
use std::sync::Arc;

use numasim_model::sharing::least::{DrawnByOthers, Kept, MostThreads};
use numasim_model::sharing::own_queue::{LinkReaders, MOST_STRETCHES, OwnQueue, Stretch, Waits};
use numasim_model::sharing::{Solver, Workspace};
use numasim_model::table::Table;
use numasim_model::{Allocation, AppId, NodeId, Placement};

use crate::contents::Contents;
use crate::memory::Limits;
use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::{Evaluator, Problem};
use crate::search::budget::Pace;
use crate::search::ceilings::{Ceiling, ceilings};
use crate::search::corners::Corners;
use crate::search::watch::{Watch, reads_own};

/// Options of one task.
const CHUNK: usize = 1024;
/// Maximum number of stretches of curves of one node: 48 bytes each.
const MOST_LISTED_STRETCHES: usize = 1_000_000;

/// The options of one node, and of every node that can be exchanged with it.
#[derive(Clone, Debug)]
pub(super) struct OptionTable {
    apps: usize,
    /// Threads: `counts[option * apps + app]`.
    counts: Arc<Vec<u32>>,
    /// GFLOPS of each application on this node with every other node empty: `potential[option * apps + app]`.
    ///
    /// This is an upper bound for every allocation that contains the option, because threads elsewhere never help (property of the sharing
    /// model). For applications that they can help, it is the upper bound under any sharing ([`ceilings`]).
    potential: Arc<Vec<f64>>,
    /// Guaranteed GFLOPS of each application on this node, in the layout of potentials; empty if unknown, or if not needed because
    /// potentials are exact.
    least: Vec<f64>,
    /// Maximum GB/s that threads elsewhere draw from the memory of the node, per option; empty if not requested.
    others: Vec<f64>,
    /// Possible waits at the memory of the node, per option; empty if they are not on one curve.
    waits: Arc<Vec<Waits>>,
    /// The curve over these waits, with the same number of stretches per option.
    curves: Arc<Vec<Stretch>>,
    /// GB/s that the option asks of each watched memory over a link: `asks[option * watched + memory]`.
    asks: Arc<Vec<f64>>,
    /// The counted part of it ([`super::dual::Watched`]), in the layout of `asks`.
    reads: Arc<Vec<f64>>,
    watched: usize,
    /// Instead of lists: the few options of a looser table.
    corners: Option<Corners>,
}

impl OptionTable {
    /// All options of `node`, or `None` if there are more than `limit`, or if stopped. `watched`: the memories whose readers are counted.
    pub(super) fn new(
        problem: &Problem,
        evaluator: &Evaluator<'_>,
        watched: &[Watch],
        node: NodeId,
        limit: usize,
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let apps = problem.apps.len();
        let Evaluator { solver, limits, .. } = evaluator;
        let counts = counts(problem, limits.as_ref(), node, limit)?;
        let alone = alone(evaluator, node);
        let potential = if alone.iter().all(|alone| *alone) {
            potential(apps, &counts, solver, node, problem.evaluation_cost(), monitor)?
        } else {
            let ceilings = ceilings(problem, evaluator, node);
            let below = |(&threads, ceiling): (&u32, &Ceiling)| {
                (f64::from(threads) * ceiling.per_thread).min(ceiling.together)
            };
            let below: Vec<f64> = counts
                .chunks_exact(apps)
                .flat_map(|option| option.iter().zip(&ceilings).map(below))
                .collect();
            if alone.contains(&true) {
                let solved = potential(apps, &counts, solver, node, problem.evaluation_cost(), monitor)?;
                lower(&below, &solved, &alone)
            } else {
                below
            }
        };
        let asks = Arc::new(asks(problem, evaluator, watched, node, &counts));
        let helped: Vec<usize> = (0..apps).filter(|&a| !alone[a]).collect();
        let (counts, potential) = (Arc::new(counts), Arc::new(potential));
        let table = Self {
            apps,
            counts,
            potential,
            least: Vec::new(),
            others: Vec::new(),
            waits: Arc::default(),
            curves: Arc::default(),
            reads: Arc::clone(&asks),
            asks,
            watched: watched.len(),
            corners: None,
        };
        if !solver.equal_threads_have_most_alone() {
            return Some(table);
        }
        let mut workspace = solver.workspace();
        Some(helped.into_iter().fold(table, |table, a| {
            table.with_at_most(a, |threads| alone_gflops(solver, &mut workspace, (AppId(a), node), threads))
        }))
    }

    /// The same options with their guaranteed minimum if no application has more than these threads.
    pub(super) fn with_least(&self, kept: &Kept, most: MostThreads<'_>) -> Self {
        let size = CHUNK * self.apps;
        let parts: Vec<Vec<f64>> = parallel::map(self.counts.chunks(size).enumerate(), |(chunk, counts)| {
            let mut part = vec![0.0; counts.len()];
            let rows = part.chunks_exact_mut(self.apps).zip(counts.chunks_exact(self.apps));
            for (least, counts) in rows {
                kept.least_gflops(counts, most, least);
            }
            let potential = &self.potential[chunk * size..][..counts.len()];
            part.iter_mut().zip(potential).for_each(|(least, most)| *least = least.min(*most));
            part
        });
        let least = parts.concat();
        Self { least, ..self.clone() }
    }

    /// The same options with the maximum bandwidth that threads elsewhere draw from the memory of the node if no application has more than
    /// these threads. `queue`: its own threads and the waits of this part of the space, if its whole consumption is on a curve.
    pub(super) fn with_others(
        &self,
        drawn: &DrawnByOthers,
        queue: Option<(&OwnQueue, (f64, f64))>,
        most: MostThreads<'_>,
    ) -> Self {
        let spread = |counts: &[u32]| queue.map_or(0.0, |(own, _)| own.spread_gbs(counts));
        let of = |counts: &[u32]| drawn.at_most(counts, most) + spread(counts);
        let chunks = self.counts.chunks(CHUNK * self.apps);
        let others: Vec<Vec<f64>> =
            parallel::map(chunks, |chunk: &[u32]| chunk.chunks(self.apps).map(of).collect());
        let others = others.concat();
        let Some((own, range)) = queue else { return Self { others, ..self.clone() } };
        let chunks = self.counts.chunks(CHUNK * self.apps).zip(others.chunks(CHUNK));
        let waits: Vec<Vec<Waits>> = parallel::map(chunks, |(counts, others)| {
            let of = |(counts, others): (&[u32], &f64)| own.waits(counts, *others).within(range);
            counts.chunks(self.apps).zip(others).map(of).collect()
        });
        let waits = waits.concat();
        self.after(own, &waits).along(own, waits, others)
    }

    /// The same options with the curves of the memory of their node between these waits. Curves between the same waits as before stay
    /// unchanged.
    fn along(&self, own: &OwnQueue, waits: Vec<Waits>, others: Vec<f64>) -> Self {
        let stretches = (MOST_LISTED_STRETCHES / self.len().max(1)).clamp(3, MOST_STRETCHES);
        let chunks = self.counts.chunks(CHUNK * self.apps).zip(waits.chunks(CHUNK));
        let curves: Vec<Vec<Stretch>> = parallel::map(chunks.enumerate(), |(chunk, (counts, waits))| {
            let mut curves = vec![Stretch::default(); waits.len() * stretches];
            let options = counts.chunks(self.apps).zip(waits).enumerate();
            for (curve, (row, (counts, waits))) in curves.chunks_mut(stretches).zip(options) {
                let option = chunk * CHUNK + row;
                let before = self.curve(option).filter(|curve| curve.len() == stretches);
                match before.filter(|_| self.waits(option) == Some(*waits)) {
                    Some(before) => curve.copy_from_slice(before),
                    None => own.lay_out(counts, *waits, curve),
                }
            }
            curves
        });
        Self { others, waits: Arc::new(waits), curves: Arc::new(curves.concat()), ..self.clone() }
    }

    /// The curve of a listed option, if it has one; empty if bytes cannot wait that long.
    #[inline]
    pub(super) fn curve(&self, option: usize) -> Option<&[Stretch]> {
        let waits = self.waits.get(option)?;
        Some(if waits.is_empty() { &[] } else { self.laid_out(option) })
    }

    /// The listed stretches of an option, even if its curve is empty: all options have the same number.
    fn laid_out(&self, option: usize) -> &[Stretch] {
        let stretches = self.curves.len() / self.waits.len().max(1);
        &self.curves[option * stretches..(option + 1) * stretches]
    }

    /// The same options with waits in this range at the memory of the node: its threads get no more than after the shortest wait.
    pub(super) fn with_waits(&self, own: &OwnQueue, range: (f64, f64)) -> Self {
        let waits: Vec<Waits> = self.waits.iter().map(|waits| waits.within(range)).collect();
        self.after(own, &waits).along(own, waits, self.others.clone())
    }

    /// The same options if threads of the node get no more than after these waits at its memory.
    fn after(&self, own: &OwnQueue, waits: &[Waits]) -> Self {
        let potential = self.lowered(|option, counts, lower| {
            if self.waits(option) != Some(waits[option]) {
                own.gflops_at_most(counts, waits[option].least).for_each(|(a, most)| lower(a, most));
            }
        });
        Self { potential, ..self.clone() }
    }

    /// The same options if bytes over a link wait at least `wait` at the memory behind it.
    pub(super) fn with_less_over(&self, link: &LinkReaders, wait: f64) -> Self {
        let potential = self.lowered(|_, counts, lower| {
            link.gflops(counts, wait).for_each(|(a, most)| lower(a, most));
        });
        Self { potential, ..self.clone() }
    }

    /// The same options with an upper bound for each number of threads of an application.
    pub(super) fn with_at_most(&self, app: usize, gflops: impl FnMut(u32) -> f64) -> Self {
        let most = self.counts.iter().skip(app).step_by(self.apps).copied().max().unwrap_or(0);
        let by_threads: Vec<f64> = (0..=most).map(gflops).map(|most| most * (1.0 + 1e-9)).collect();
        let potential = self.lowered(|_, counts, lower| lower(app, by_threads[counts[app] as usize]));
        Self { potential, ..self.clone() }
    }

    /// Potentials capped by the limits that `says` reports for options.
    fn lowered(&self, says: impl Fn(usize, &[u32], &mut dyn FnMut(usize, f64)) + Sync) -> Arc<Vec<f64>> {
        let size = CHUNK * self.apps;
        let parts: Vec<Vec<f64>> = parallel::map(self.potential.chunks(size).enumerate(), |(chunk, part)| {
            let mut part = part.to_vec();
            for (row, potential) in part.chunks_exact_mut(self.apps).enumerate() {
                let option = chunk * CHUNK + row;
                let mut lower = |a: usize, most: f64| potential[a] = potential[a].min(most);
                says(option, self.counts(option), &mut lower);
            }
            part
        });
        Arc::new(parts.concat())
    }

    /// The possible waits at the memory of the node with a listed option, if they are known.
    #[inline]
    pub(super) fn waits(&self, option: usize) -> Option<Waits> {
        self.waits.get(option).copied()
    }

    /// Maximum GB/s that threads elsewhere draw from the memory of the node with a listed option.
    #[inline]
    pub(super) fn others_gbs(&self, option: usize) -> f64 {
        self.others.get(option).copied().unwrap_or(f64::INFINITY)
    }

    /// Minimum GB/s of each shared resource over all options; `draw`: per application, resources and GB/s for each GFLOPS.
    pub(super) fn least_drawn(&self, draw: &[Vec<(usize, f64)>], resources: usize) -> Vec<f64> {
        let mut least = vec![if self.least.is_empty() { 0.0 } else { f64::INFINITY }; resources];
        let mut drawn = vec![0.0; resources];
        for option in self.least.chunks_exact(self.apps) {
            draw_of(option, draw, &mut drawn);
            least.iter_mut().zip(&drawn).for_each(|(least, drawn)| *least = least.min(*drawn));
        }
        least
    }

    /// The same options with at most `room` GB/s left for one of each shared resource, in the layout of [`Self::least_drawn`].
    pub(super) fn with_room(&self, draw: &[Vec<(usize, f64)>], room: &[f64]) -> Self {
        let size = CHUNK * self.apps;
        let parts: Vec<Vec<f64>> =
            parallel::map(self.least.chunks(size).zip(self.potential.chunks(size)), |(least, potential)| {
                let mut part = potential.to_vec();
                let mut drawn = vec![0.0; room.len()];
                for (most, least) in part.chunks_exact_mut(self.apps).zip(least.chunks_exact(self.apps)) {
                    draw_of(least, draw, &mut drawn);
                    for ((most, least), draw) in most.iter_mut().zip(least).zip(draw) {
                        let more = draw.iter().map(|&(m, draw)| (room[m] - drawn[m]).max(0.0) / draw);
                        *most = most.min(least + more.fold(f64::INFINITY, f64::min));
                    }
                }
                part
            });
        Self { potential: Arc::new(parts.concat()), ..self.clone() }
    }

    /// The same options on `node` after others have taken `taken` GB/s from its memory; `None` if stopped.
    pub(super) fn with_less(
        &self,
        evaluator: &Evaluator<'_>,
        (node, taken): (NodeId, f64),
        monitor: &dyn Monitor,
    ) -> Option<Self> {
        let solver = evaluator.solver_with_less(node, taken);
        let cost = evaluator.problem.evaluation_cost();
        let solved = potential(self.apps, &self.counts, &solver, node, cost, monitor)?;
        let potential = lower(&self.potential, &solved, &alone(evaluator, node));
        let least = self.least.iter().zip(&potential).map(|(least, most)| least.min(*most)).collect();
        Some(Self { potential: Arc::new(potential), least, ..self.clone() })
    }

    /// The same with at most `most` GB/s of an option's demand on a watched memory counted, one entry each.
    pub(super) fn counting(&self, most: &[f64]) -> Self {
        let asks = self.asks.iter().zip(most.iter().cycle());
        Self { reads: Arc::new(asks.map(|(asks, most)| asks.min(*most)).collect()), ..self.clone() }
    }

    /// Some of the listed options, in this order.
    pub(super) fn only(&self, options: &[usize]) -> Self {
        let counts = options.iter().flat_map(|&option| self.counts(option)).copied().collect();
        let potential = options.iter().flat_map(|&option| self.potential(option)).copied().collect();
        let reads = options.iter().flat_map(|&option| self.reads(option)).copied().collect();
        let asks = options.iter().flat_map(|&option| self.asks(option)).copied().collect();
        let least = options.iter().flat_map(|&option| self.least(option)).copied().collect();
        let others = options.iter().filter_map(|&option| self.others.get(option)).copied().collect();
        let waits = options.iter().filter_map(|&option| self.waits(option)).collect();
        let curves = options.iter().flat_map(|&option| self.laid_out(option)).copied().collect();
        let (counts, potential) = (Arc::new(counts), Arc::new(potential));
        let (reads, asks) = (Arc::new(reads), Arc::new(asks));
        Self {
            apps: self.apps,
            counts,
            potential,
            least,
            others,
            waits: Arc::new(waits),
            curves: Arc::new(curves),
            asks,
            reads,
            watched: self.watched,
            corners: None,
        }
    }

    /// The corners of a looser, always small table: every application has its minimum, and one application or none also has all other
    /// cores; all get their full demand.
    ///
    /// Every real option is below a mixture of corners, so a bound over them holds for all options (the roofline bound: cores and demand
    /// only; the caller must then price the bandwidth of memories).
    pub(super) fn corners(problem: &Problem, solver: &Solver, node: NodeId) -> Self {
        let none = Arc::new(Vec::new());
        Self {
            apps: problem.apps.len(),
            counts: Arc::new(Vec::new()),
            potential: Arc::clone(&none),
            least: Vec::new(),
            others: Vec::new(),
            waits: Arc::default(),
            curves: Arc::default(),
            asks: Arc::clone(&none),
            reads: none,
            watched: 0,
            corners: Some(Corners::new(problem, solver, node)),
        }
    }

    /// The same corners with these GFLOPS for one thread of an application at full demand.
    pub(super) fn with_corner_of(&self, app: usize, gflops: f64) -> Self {
        let mut table = self.clone();
        if let Some(corners) = &mut table.corners {
            corners.per_thread[app] = gflops;
        }
        table
    }

    /// The same corners with their guaranteed minimum: these GFLOPS for each thread of an application, whatever others do.
    pub(super) fn with_least_of_one(&self, least_of_one: &[f64]) -> Self {
        let Some(corners) = &self.corners else { return self.clone() };
        let each = || least_of_one.iter().zip(&corners.per_thread).map(|(least, most)| least.min(*most));
        let of_option = |option| -> Vec<f64> {
            corners
                .row(option)
                .1
                .iter()
                .zip(each())
                .map(|(&threads, each)| f64::from(threads) * each)
                .collect()
        };
        let least = (0..self.len()).flat_map(of_option).collect();
        Self { least, ..self.clone() }
    }

    /// Number of options.
    pub(super) fn len(&self) -> usize {
        match &self.corners {
            Some(corners) => corners.per_thread.len() + 1,
            None => self.counts.len() / self.apps,
        }
    }

    /// The corners, if the options are not listed.
    #[inline]
    pub(super) fn as_corners(&self) -> Option<&Corners> {
        self.corners.as_ref()
    }

    /// GFLOPS and threads of each application, listed or not.
    pub(super) fn row(&self, option: usize) -> (Cow<'_, [f64]>, Cow<'_, [u32]>) {
        match &self.corners {
            Some(corners) => {
                let (potential, counts) = corners.row(option);
                (Cow::Owned(potential), Cow::Owned(counts))
            }
            None => (Cow::Borrowed(self.potential(option)), Cow::Borrowed(self.counts(option))),
        }
    }

    /// Threads of each application in a listed option.
    pub(super) fn counts(&self, option: usize) -> &[u32] {
        &self.counts[option * self.apps..(option + 1) * self.apps]
    }

    /// GB/s that a listed option asks of each watched memory over a link.
    fn asks(&self, option: usize) -> &[f64] {
        &self.asks[option * self.watched..(option + 1) * self.watched]
    }

    /// The counted part of the GB/s that a listed option asks of each watched memory over a link; corners count none.
    pub(super) fn reads(&self, option: usize) -> &[f64] {
        &self.reads[option * self.watched..(option + 1) * self.watched]
    }

    /// Whether the guaranteed minimum of options is known.
    pub(super) fn has_least(&self) -> bool {
        !self.least.is_empty()
    }

    /// Lower bound on the GFLOPS of each application on this node; empty if there is none.
    pub(super) fn least(&self, option: usize) -> &[f64] {
        self.least.get(option * self.apps..(option + 1) * self.apps).unwrap_or_default()
    }

    /// Upper bound on the GFLOPS of each application on this node, in a listed option.
    pub(super) fn potential(&self, option: usize) -> &[f64] {
        &self.potential[option * self.apps..(option + 1) * self.apps]
    }
}

/// GB/s of each resource that these `gflops` of each application draw.
fn draw_of(gflops: &[f64], draw: &[Vec<(usize, f64)>], drawn: &mut [f64]) {
    drawn.fill(0.0);
    for (gflops, draw) in gflops.iter().zip(draw) {
        for &(m, draw) in draw {
            drawn[m] += gflops * draw;
        }
    }
}

// The lists of the options of a node: threads, GFLOPS with all others empty, and demand over links.

/// Per application, whether its GFLOPS on `node` with all others empty are its maximum there.
fn alone(evaluator: &Evaluator<'_>, node: NodeId) -> Vec<bool> {
    let solver = &evaluator.solver;
    let (all, local) =
        (solver.threads_elsewhere_never_help(), solver.threads_elsewhere_never_help_local_ones());
    let machine = &evaluator.problem.machine;
    let own = |placement: &Placement| all || (local && reads_own(machine, placement, node));
    evaluator.placements.iter().map(own).collect()
}

/// GFLOPS of a number of threads of one application on a node, without any other threads.
fn alone_gflops(
    solver: &Solver,
    workspace: &mut Workspace,
    (app, node): (AppId, NodeId),
    threads: u32,
) -> f64 {
    let mut allocation = Allocation::empty(solver.apps(), solver.nodes());
    allocation.set(app, node, threads);
    solver.solve(allocation.as_slice(), workspace);
    workspace.gflops()[app.0]
}

/// The new upper bounds: `solved` for those of `alone`, unchanged for the others.
fn lower(before: &[f64], solved: &[f64], alone: &[bool]) -> Vec<f64> {
    let own = before.iter().zip(solved).zip(alone.iter().cycle());
    own.map(|((before, solved), alone)| if *alone { before.min(*solved) } else { *before }).collect()
}

/// GFLOPS of each application for each option when every other node is empty; `None` if stopped.
fn potential(
    apps: usize,
    counts: &[u32],
    solver: &Solver,
    node: NodeId,
    cost: u64,
    monitor: &dyn Monitor,
) -> Option<Vec<f64>> {
    let nodes = solver.nodes();
    let parts: Vec<Option<Vec<f64>>> = parallel::map(counts.chunks(apps * 1024), |chunk| {
        let mut workspace = solver.workspace();
        let mut threads: Table<u32> = Table::filled(apps, nodes, 0);
        let mut part = Vec::with_capacity(chunk.len());
        let mut pace = Pace::new(monitor);
        for option in chunk.chunks_exact(apps) {
            if pace.stops_after(cost) {
                return None;
            }
            for (a, &count) in option.iter().enumerate() {
                threads[(AppId(a), node)] = count;
            }
            solver.solve_changes(threads.as_slice(), &mut workspace);
            part.extend_from_slice(workspace.gflops());
        }
        Some(part)
    });
    Some(parts.into_iter().collect::<Option<Vec<_>>>()?.concat())
}

/// The demand of each option on each watched memory over the link to it, GB/s: the demand of its threads, at most the link and the limit of
/// the watch.
fn asks(
    problem: &Problem,
    evaluator: &Evaluator<'_>,
    watched: &[Watch],
    node: NodeId,
    counts: &[u32],
) -> Vec<f64> {
    let apps = problem.apps.len();
    let solver = &evaluator.solver;
    let efficiency = problem.machine.sharing().parameters.link_efficiency;
    let mut asks = Vec::with_capacity(counts.len() / apps * watched.len());
    for option in counts.chunks_exact(apps) {
        asks.extend(watched.iter().map(|watch| {
            let memory = watch.memory;
            let Some(link) = problem.machine.link(node, memory) else { return 0.0 };
            let demand_gbs = |(a, &threads): (usize, &u32)| {
                let wants = solver.demand_per_thread()[a * solver.nodes() + node.0];
                f64::from(threads) * wants * evaluator.cost(a, node, memory)
            };
            let limit =
                watch.part.get(node.0).copied().unwrap_or(f64::INFINITY).min(link.value() * efficiency);
            option.iter().enumerate().map(demand_gbs).sum::<f64>().min(limit)
        }));
    }
    asks
}

/// Thread counts of every option of `node` that the constraints allow on a single node, in lexicographic order; one row of `apps.len()`
/// each. Options whose local data never fits the node are left out.
fn counts(problem: &Problem, limits: Option<&Limits>, node: NodeId, limit: usize) -> Option<Vec<u32>> {
    let Problem { machine, apps, restrictions, .. } = problem;
    if machine.node(node).cores == 0 {
        return Some(vec![0; apps.len()]);
    }
    let mut found = Vec::new();
    let mut contents = Contents::new(machine, apps, restrictions, &[node]);
    while let Some(content) = contents.next() {
        if limits.is_some_and(|limits| !limits.may_hold(node, content)) {
            continue;
        }
        if found.len() >= limit.saturating_mul(apps.len()) {
            return None;
        }
        found.extend_from_slice(content);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restrictions::Restrictions;
    use crate::testing::{local_app, uniform_machine};
    use numasim_model::{App, Placement};

    fn problem(apps: usize, cores: u32, restrictions: Restrictions) -> Problem {
        let machine = uniform_machine(1, cores, 10.0, 32.0, 10.0);
        let apps = vec![App { min_threads: 0, ..local_app("a", 1.0) }; apps];
        Problem::new(&machine, &apps, crate::Objective::TotalGflops, restrictions)
            .expect("a possible question")
    }

    fn count(apps: usize, cores: u32, restrictions: Restrictions) -> usize {
        let problem = problem(apps, cores, restrictions);
        counts(&problem, None, NodeId(0), 1_000_000).unwrap().len() / apps
    }

    #[test]
    fn eight_cores_and_four_apps_have_495_options() {
        // C(8 + 4, 4) = 495 with idle cores, C(8 + 3, 3) = 165 without
        assert_eq!(count(4, 8, Restrictions::default()), 495);
        assert_eq!(count(4, 8, Restrictions { no_idle_cores: true, ..Restrictions::default() }), 165);
    }

    #[test]
    fn whole_nodes_leave_one_app_or_none() {
        // empty, or 1 to 8 threads of one of four applications
        assert_eq!(count(4, 8, Restrictions { whole_nodes: true, ..Restrictions::default() }), 1 + 4 * 8);
    }

    #[test]
    fn minimum_per_node_takes_its_cores_first() {
        // 2 of 8 cores each for 3 applications leave 2 cores to split freely: C(2 + 3, 3) = 10
        assert_eq!(count(3, 8, Restrictions { min_threads_per_node: 2, ..Restrictions::default() }), 10);
    }

    #[test]
    fn too_many_options_are_rejected() {
        assert!(counts(&problem(8, 64, Restrictions::default()), None, NodeId(0), 1000).is_none());
    }

    #[test]
    fn corners_give_all_free_cores_to_one_application_or_none() {
        // 4 cores, one thread each for 2 applications: 2 cores are free. 10 GFLOPS per core, intensity 1 and no ceiling.
        let machine = uniform_machine(1, 4, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0), local_app("b", 1.0)];
        let restrictions = Restrictions { min_threads_per_node: 1, ..Restrictions::default() };
        let objective = crate::Objective::TotalGflops;
        let problem = Problem::new(&machine, &apps, objective, restrictions).expect("a possible question");
        let solver = problem.solver(&[Placement::Local, Placement::Local]);
        let table = OptionTable::corners(&problem, &solver, NodeId(0));
        let rows: Vec<_> = (0..table.len()).map(|option| table.row(option).1.into_owned()).collect();
        assert_eq!(rows, [[1, 1], [3, 1], [1, 3]]);
        assert_eq!(*table.row(2).0, [10.0, 30.0]);
        let corners = table.as_corners().expect("not listed");
        // 2 x 10 + 3 x 30 GFLOPS at prices 2 and 3, and half a unit for each of 4 threads
        assert!((corners.earned(2, &[2.0, 3.0], &[0.5, 0.5]) - 112.0).abs() < 1e-12);
    }
}
