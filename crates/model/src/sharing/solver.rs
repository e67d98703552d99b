//! The fast solver: compiled once for machine and applications, then evaluated for millions of allocations.
//!
//! [`Solver::new`] lays out the flows of every pool contiguously; [`Solver::solve`] walks them twice and
//! allocates nothing. The result is in the [`Workspace`], which the caller keeps and reuses. The paper's
//! model, the most common one, has a separate path (`baseline`); the others start in `corrected`.

use std::borrow::Cow;

use super::compiled::Compiled;
use super::compiled::Shares;
use super::copies::{Copying, OfSets};
use super::way::{Memory, Way};
use crate::demand::Demand;
use crate::ids::{AppId, NodeId};
use crate::machine::Machine;
use crate::sharing_model::{Model, ModelKind};
use crate::table::Table;

/// A machine and applications, compiled for evaluation.
#[derive(Clone, Debug)]
pub struct Solver {
    pub(super) compiled: Compiled,
    way: Way,
    /// Whether every thread reads one memory, and no limit is shared.
    separable: bool,
    /// Per group: the one memory that it reads. Empty if memories depend on each other.
    memory_of: Vec<u32>,
    /// Application x memory: read-equivalent GB/s of one GB/s; no rows if all traffic is reads.
    occupied: Table<f64>,
    /// If the nodes with threads decide which copies of replicated data are written: the solvers for them.
    /// All other fields are then without these writes.
    copying: Option<Box<Copying>>,
}

/// Results of one evaluation, and the only memory that evaluation writes to.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) shares: Shares,
    /// Per group: its threads.
    pub(super) threads: Vec<f64>,
    /// Per application: GFLOPS of all its threads.
    gflops: Vec<f64>,
    memory: Memory,
    /// Whether `shares` match `threads`.
    is_solved: bool,
    /// Per memory: whether it is to be solved again.
    changed: Vec<bool>,
    /// If copies of replicated data are written: the answers for sets of nodes with threads, with all other
    /// fields inside them.
    known: OfSets<(Solver, Workspace)>,
}

impl Workspace {
    /// GFLOPS of each application.
    pub fn gflops(&self) -> &[f64] {
        &self.answering().gflops
    }

    /// GB/s of one thread of each application on each node, as it moves data.
    pub fn bandwidth_per_thread(&self) -> &Table<f64> {
        &self.answering().shares.bandwidth
    }

    /// The workspace that contains the last answer.
    fn answering(&self) -> &Self {
        self.known.last().map_or(self, |(_, inner)| inner)
    }
}

impl Solver {
    /// Compiles `machine` and the demand of each application. If L3 domains matter, every table has
    /// [`Machine::rows_per_app`] rows for each application, as [`crate::Allocation::rows`] does.
    pub fn new(machine: &Machine, demands: &[Demand]) -> Self {
        let copying = Copying::new(machine, demands);
        let demands = &*by_rows(machine, demands);
        let compiled = Compiled::new(machine, demands);
        let (way, separable) = (Way::new(&compiled, machine), compiled.is_separable());
        let memory_of =
            if way.memories_are_apart(separable) { compiled.memory_of_groups() } else { Vec::new() };
        let has_figures = demands.iter().any(|demand| machine.has_figure_of(demand.traffic));
        let rows = if has_figures { demands.len() } else { 0 };
        let occupied = Table::from_fn(rows, machine.node_count(), |app: AppId, memory| {
            machine.node(memory).occupied_by(demands[app.0].traffic)
        });
        Self { compiled, way, separable, memory_of, occupied, copying }
    }

    /// A workspace of the right size.
    pub fn workspace(&self) -> Workspace {
        Workspace {
            shares: Shares::new(&self.compiled),
            threads: vec![0.0; self.compiled.demand_gbs.as_slice().len()],
            gflops: vec![0.0; self.apps()],
            memory: self.way.memory(&self.compiled, self.separable),
            is_solved: false,
            changed: vec![false; if self.memory_of.is_empty() { 0 } else { self.nodes() }],
            known: OfSets::default(),
        }
    }

    /// The sharing model.
    pub fn model(&self) -> &Model {
        &self.compiled.model
    }

    /// Whether a thread added on one node never helps a thread on another one, for these applications. This
    /// holds if [`Model::threads_elsewhere_never_help`] guarantees it, if no thread reads over a link, or,
    /// for the default and max-min, if every thread reads only one memory. It never holds if nodes share a
    /// link or the reads of a node are limited, and threads read over links: a thread that is limited there
    /// leaves more to others at another controller.
    ///
    /// With one memory per thread the resources of max-min are nested (a link inside a controller). A thread
    /// added to another link lowers the level of the controller, which is the same for all inside one link,
    /// so no thread in there gains from another one's loss. For the default the same holds for ports inside a
    /// controller.
    ///
    /// It never holds if copies of replicated data are written: their threads use several memories.
    pub fn threads_elsewhere_never_help(&self) -> bool {
        let compiled = &self.compiled;
        let no_links = compiled.memories.iter().all(|memory| memory.links.is_empty());
        if self.writes_open_copies() {
            return false;
        }
        no_links
            || (!compiled.has_common_limits()
                && (compiled.model.threads_elsewhere_never_help()
                    || (compiled.model.one_controller_never_helps() && compiled.reads_one_memory())))
    }

    /// Whether a thread that reads local memory gets no more with others than with all other nodes empty.
    /// Unlike for [`Self::threads_elsewhere_never_help`], nodes may share links. If each thread reads one
    /// memory, a limit on a link leaves room at other controllers only for threads that also come over links,
    /// and a controller with others on it has no more for the threads of its own node. These get their demand
    /// in the first round, or their controller is full and stays full.
    pub fn threads_elsewhere_never_help_local_ones(&self) -> bool {
        let compiled = &self.compiled;
        let apart = compiled.model.one_controller_never_helps()
            && compiled.reads.is_empty()
            && compiled.reads_one_memory();
        self.threads_elsewhere_never_help()
            || (apart && compiled.model.kind != ModelKind::Ecm && !self.writes_open_copies())
    }

    /// Whether the nodes with threads decide which copies of replicated data are written. Values about
    /// threads and memories without an answer then exclude these writes: consumption is never less than that.
    pub fn writes_open_copies(&self) -> bool {
        self.copying.is_some()
    }

    /// Whether unused bandwidth is redistributed in rounds; no granted bandwidth then stays unused. Threads that write copies use several memories as
    /// soon as two nodes have a copy.
    pub fn deals_again(&self) -> bool {
        self.way.deals(self.separable && !self.writes_open_copies())
    }

    /// Whether a shared link or a read limit of a node applies to these applications.
    pub fn has_common_limits(&self) -> bool {
        self.compiled.has_common_limits()
    }

    /// Read-equivalent GB/s of one GB/s of `app` on `memory` ([`crate::KernelBandwidths,
    /// Node::occupied_by`]).
    pub fn occupied(&self, app: AppId, memory: NodeId) -> f64 {
        if self.occupied.rows() == 0 { 1.0 } else { self.occupied[(app, memory)] }
    }

    /// The same on all memories together, for a thread on `node`.
    pub fn occupied_in_all(&self, app: AppId, node: NodeId) -> f64 {
        self.compiled.occupied[(app, node)]
    }

    /// Number of applications.
    pub fn apps(&self) -> usize {
        self.compiled.intensity.len() / self.compiled.rows_per_app
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.compiled.memories.len()
    }

    /// Bandwidth of one thread of each application on each node with the machine to itself, GB/s.
    pub fn demand_per_thread(&self) -> &Table<f64> {
        &self.compiled.demand_gbs
    }

    /// Shares the bandwidth for `threads` (the cells of an application x node table, in the order of
    /// [`Table::as_slice`]) and writes the result to `workspace`.
    ///
    /// The caller ensures at most one thread per core. Allocates nothing.
    pub fn solve(&self, threads: &[u32], workspace: &mut Workspace) {
        debug_assert_eq!(threads.len(), workspace.threads.len());
        if let Some((solver, inner)) = self.for_nodes(|group| threads[group] > 0, workspace) {
            return solver.solve(threads, inner);
        }
        for (count, &threads) in workspace.threads.iter_mut().zip(threads) {
            *count = f64::from(threads);
        }
        self.solve_counts(workspace);
    }

    /// [`Solver::solve`] if `workspace`, which this solver has created, contains the answer for other
    /// threads. If memories do not depend on each other, only those read by the differing threads are solved
    /// again. The bits are the same.
    pub fn solve_changes(&self, threads: &[u32], workspace: &mut Workspace) {
        if !workspace.is_solved || self.memory_of.is_empty() || self.writes_open_copies() {
            return self.solve(threads, workspace);
        }
        debug_assert_eq!(threads.len(), workspace.threads.len());
        let compiled = &self.compiled;
        let Workspace { shares, threads: counts, memory, changed, .. } = workspace;
        for ((count, &threads), &memory) in counts.iter_mut().zip(threads).zip(&self.memory_of) {
            let threads = f64::from(threads);
            if *count != threads {
                *count = threads;
                // A group that reads nothing has no memory.
                if let Some(changed) = changed.get_mut(memory as usize) {
                    *changed = true;
                }
            }
        }
        for (m, changed) in changed.iter_mut().enumerate().filter(|(_, changed)| **changed) {
            *changed = false;
            let flows = compiled.memories[m].flows.clone().unwrap_or_default();
            for flow in &compiled.flows[flows] {
                shares.bandwidth[flow.group as usize] = compiled.demand_gbs[flow.group as usize];
            }
            self.way.share_one(compiled, m, counts, shares, memory);
        }
        self.add_up(workspace);
    }

    /// [`Solver::solve`] for fractions of threads: processor sharing, in which a thread runs for a fraction
    /// of the time. Whole counts give the same bits.
    pub fn solve_fractional(&self, threads: &[f64], workspace: &mut Workspace) {
        debug_assert_eq!(threads.len(), workspace.threads.len());
        if let Some((solver, inner)) = self.for_nodes(|group| threads[group] > 0.0, workspace) {
            return solver.solve_fractional(threads, inner);
        }
        workspace.threads.copy_from_slice(threads);
        self.solve_counts(workspace);
    }

    /// Applies static scheduling to the last answer: the threads of each application are as fast as its
    /// slowest thread on any node, and their bandwidth is reduced accordingly.
    ///
    /// The values are means over the time of the slowest thread: all threads do the same work in it, and
    /// faster ones are idle at the end. The additional bandwidth of threads that still run then is left out:
    /// a first-order rule, never too fast. Allocates nothing.
    ///
    /// Flows and pools are those of the previous answer, in which no thread waits.
    pub fn wait_for_slowest(&self, workspace: &mut Workspace) {
        if let Some((solver, inner)) = workspace.known.last_mut() {
            return solver.wait_for_slowest(inner);
        }
        for app in 0..self.apps() {
            let (rows, groups) = self.compiled.rows_of_app(AppId(app * self.compiled.rows_per_app));
            let Workspace { shares, threads, .. } = workspace;
            let rate = |group: usize, bandwidth: f64| {
                (bandwidth * self.compiled.intensity[rows.start]).min(self.compiled.peak[group])
            };
            let with_threads = groups.filter(|&group| threads[group] > 0.0);
            let slowest = with_threads
                .clone()
                .map(|group| rate(group, shares.bandwidth[group]))
                .fold(f64::INFINITY, f64::min);
            for group in with_threads {
                let own = rate(group, shares.bandwidth[group]);
                if own > slowest {
                    shares.bandwidth[group] *= slowest / own;
                }
            }
        }
        // The next answer cannot reuse this one.
        workspace.is_solved = false;
        self.add_up(workspace);
    }

    /// The solver for the nodes with threads in the groups for which `is_used` returns true, and its
    /// workspace; `None` if nothing depends on these nodes.
    fn for_nodes<'w>(
        &self,
        is_used: impl Fn(usize) -> bool,
        workspace: &'w mut Workspace,
    ) -> Option<(&'w Self, &'w mut Workspace)> {
        /// Approximate number of flows of all stored solvers: about 20 MB.
        const MOST_FLOWS: usize = 100_000;
        const MOST_SETS: usize = 1024;
        let copying = self.copying.as_deref()?;
        let make = || {
            let solver = Self::new(&copying.machine, &copying.demands(&is_used));
            let inner = solver.workspace();
            (solver, inner)
        };
        let most = |(solver, _): &(Self, Workspace)| {
            (MOST_FLOWS / solver.compiled.flows.len().max(1)).clamp(2, MOST_SETS)
        };
        let (solver, inner) = workspace.known.of(copying, &is_used, make, most)?;
        Some((solver, inner))
    }

    /// The solver and the workspace that contain the last answer.
    pub(super) fn answering<'w>(&'w self, workspace: &'w Workspace) -> (&'w Self, &'w Workspace) {
        workspace.known.last().map_or((self, workspace), |(solver, inner)| (solver, inner))
    }

    fn solve_counts(&self, workspace: &mut Workspace) {
        let compiled = &self.compiled;
        let Workspace { shares, threads, memory, is_solved, .. } = workspace;
        *is_solved = true;
        shares.bandwidth.as_mut_slice().copy_from_slice(compiled.demand_gbs.as_slice());
        self.way.share(compiled, self.separable, threads, shares, memory);
        self.add_up(workspace);
    }

    /// GFLOPS of each application.
    #[inline]
    fn add_up(&self, workspace: &mut Workspace) {
        let compiled = &self.compiled;
        let Workspace { shares, threads, gflops, .. } = workspace;
        for (a, gflops) in gflops.iter_mut().enumerate() {
            let mut sum = 0.0;
            let first = AppId(a * compiled.rows_per_app);
            for group in compiled.rows_of_app(first).1 {
                sum += threads[group]
                    * (shares.bandwidth[group] * compiled.intensity[first.0]).min(compiled.peak[group]);
            }
            *gflops = sum * self.kept_on_several_nodes(first, threads);
        }
    }

    /// The fraction of its GFLOPS that `app` keeps with these threads on several nodes; 1 on one node.
    fn kept_on_several_nodes(&self, app: AppId, threads: &[f64]) -> f64 {
        let overhead = self.compiled.overhead.get(app.0).copied().unwrap_or(0.0);
        if overhead == 0.0 {
            return 1.0;
        }
        let nodes = self.nodes();
        let threads = &threads[self.compiled.rows_of_app(app).1];
        let is_used = |node: &usize| threads.iter().skip(*node).step_by(nodes).any(|&n| n > 0.0);
        let nodes = (0..nodes).filter(is_used).count();
        kept_on(nodes, overhead)
    }

    /// The fraction of its GFLOPS that `app` keeps in the solved allocation: less than 1 if it has threads on
    /// several nodes and a [`Demand::node_overhead`].
    pub fn kept_share(&self, app: AppId, workspace: &Workspace) -> f64 {
        let workspace = workspace.answering();
        self.kept_on_several_nodes(app, &workspace.threads)
    }

    /// GFLOPS of one thread of `app` on `node` after [`Solver::solve`].
    pub fn gflops_per_thread(&self, app: AppId, node: NodeId, workspace: &Workspace) -> f64 {
        self.roofline(app, node, workspace.bandwidth_per_thread()) * self.kept_share(app, workspace)
    }

    /// GFLOPS of one thread of `app` on `node` with its whole demand met: the roofline of its core under
    /// every ceiling on one thread, of the machine (`core_bandwidth_gbs`), of the application (`thread_gbs`)
    /// and of the model (`core_local_gbs`, ...); on one node.
    pub fn full_speed_per_thread(&self, app: AppId, node: NodeId) -> f64 {
        self.roofline(app, node, &self.compiled.demand_gbs)
    }

    fn roofline(&self, app: AppId, node: NodeId, bandwidth: &Table<f64>) -> f64 {
        let peak = self.compiled.peak[(app, node)];
        (bandwidth[(app, node)] * self.compiled.intensity[app.0]).min(peak)
    }
}

/// The demand of each row of a table for `machine`, given the demands of applications
/// ([`Machine::rows_per_app`]).
pub(crate) fn by_rows<'a>(machine: &Machine, demands: &'a [Demand]) -> Cow<'a, [Demand]> {
    match machine.rows_per_app() {
        1 => Cow::Borrowed(demands),
        rows => demands.iter().flat_map(|demand| std::iter::repeat_n(demand.clone(), rows)).collect(),
    }
}

/// The fraction of its GFLOPS that an application with this [`Demand::node_overhead`] keeps with threads on
/// `nodes` nodes.
pub fn kept_on(nodes: usize, overhead: f64) -> f64 {
    1.0 / (1.0 + overhead * libm::log2(nodes.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Access, Placement};
    use crate::machine::Node;
    use crate::units::{FlopPerByte, Gflops, GigabytesPerSecond};

    fn machine(cores: u32, peak: f64, bandwidth: f64, link: f64) -> Machine {
        let node = Node {
            cores,
            gflops_per_core: Gflops::new(peak),
            bandwidth: GigabytesPerSecond::new(bandwidth),
            ..Node::default()
        };
        Machine::uniform("test", 4, node, GigabytesPerSecond::new(link)).unwrap()
    }

    fn demand(intensity: f64, placement: Placement) -> Demand {
        Demand::new(FlopPerByte::new(intensity), Access::Read, placement)
    }

    fn total(machine: &Machine, demands: &[Demand], rows: &[[u32; 4]]) -> f64 {
        let solver = Solver::new(machine, demands);
        let mut workspace = solver.workspace();
        solver.solve(&rows.concat(), &mut workspace);
        workspace.gflops().iter().sum()
    }

    #[test]
    fn table_i_gives_254_gflops() {
        let mem = || demand(0.5, Placement::Local);
        let apps = [mem(), mem(), mem(), demand(10.0, Placement::Local)];
        // per node 3 x 9 GB/s x 0.5 + 5 x 10 = 63.5, four nodes
        assert_eq!(total(&machine(8, 10.0, 32.0, 10.0), &apps, &[[1; 4], [1; 4], [1; 4], [5; 4]]), 254.0);
    }

    #[test]
    fn numa_bad_across_nodes_gives_138_75_gflops() {
        let mem = || demand(0.5, Placement::Local);
        let apps = [mem(), mem(), mem(), demand(1.0, Placement::Home(NodeId(0)))];
        // Nodes 1-3: 60 GB/s to six memory-bound threads, 30 GFLOPS, and 10 GB/s over the link, 10 GFLOPS: 120.
        // Node 0: 30 GB/s left, baseline 3.75, all 8 threads hungry: 6 x 3.75 x 0.5 + 2 x 3.75 x 1 = 18.75.
        assert_eq!(total(&machine(8, 10.0, 60.0, 10.0), &apps, &[[2; 4]; 4]), 138.75);
    }
}
