//! The question that `explore` answers, checked and prepared.

use std::sync::Arc;

use numasim_model::demand::{demands, with_smt};
use numasim_model::memory::fits;
use numasim_model::sharing::{Solver, Workspace};
use numasim_model::{Allocation, App, AppId, Data, Machine, Node, NodeId, Placement, Refusal, Smt};

use crate::memory::{Limits, check_memory};
use crate::objective::{Goal, GoalError, Objective, SCORE_TOLERANCE, margin};
use crate::open_data;
use crate::restrictions::{Infeasible, Restrictions};

/// A machine, applications, an objective and constraints without an obvious contradiction.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) machine: Machine,
    pub(crate) apps: Vec<App>,
    pub(crate) goal: Goal,
    pub(crate) restrictions: Restrictions,
    /// The applications as requested, with numbers of threads; those of `apps` are numbers of cores.
    pub(crate) asked: Vec<App>,
    /// Hardware threads of a core that each application uses, if this differs from its request; else empty.
    pub(crate) smt: Vec<Smt>,
    /// If applications leave that open: each set of choices; [`Problem::with_smt`] decides.
    pub(crate) choices: Vec<Vec<Smt>>,
    /// Allocations at which every search starts, as they were rated elsewhere; some may be invalid.
    pub(crate) known: Arc<[Candidate]>,
}

/// Maximum number of flows of an evaluation: about 10 milliseconds, and 100 MB for each thread of the search.
const MOST_FLOWS: u64 = 2_000_000;

/// The number of flows of an evaluation: from each node, for each application, to one memory, or to all if its data is spread.
fn flows(nodes: usize, apps: &[App]) -> u64 {
    let nodes = nodes as u64;
    let of = |app: &App| match &app.data {
        Data::Placed(placement) if placement.is_spread() => nodes.saturating_mul(nodes),
        Data::OpenFractions => nodes.saturating_mul(nodes),
        Data::Placed(Placement::PartHome { .. }) => nodes.saturating_mul(2),
        Data::OpenHome { share } if *share < 1.0 => nodes.saturating_mul(2),
        Data::Placed(_) | Data::OpenHome { .. } => nodes,
    };
    apps.iter().map(of).fold(0, u64::saturating_add)
}

/// Maximum number of links that data spread over all nodes may use. Each allocation of an answer lists them: some ten allocations with a
/// million links each on 1024 nodes (400 MB of JSON).
const MOST_LINKS: u64 = 500_000;

/// Elementary operations for each flow of an evaluation.
const OPERATIONS_PER_FLOW: u64 = 4;

/// The reason why there is nothing to search.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// The files define no application.
    #[error("there is no application to place")]
    NoApps,
    /// The sharing model cannot represent something in the machine.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The objective does not apply.
    #[error(transparent)]
    Goal(#[from] GoalError),
    /// One evaluation would take longer than the precision of a time limit.
    #[error(
        "{apps} applications on {nodes} nodes are too many to search: an evaluation has {flows} flows, at most {MOST_FLOWS} are possible"
    )]
    TooLarge {
        /// Applications.
        apps: usize,
        /// Nodes.
        nodes: usize,
        /// Pairs of a node and a memory that it may read, over all applications.
        flows: u64,
    },
    /// An answer would have more links than a time limit allows for.
    #[error(
        "data on all of {nodes} nodes uses {links} links: at most {MOST_LINKS} can be searched, which is about 700 nodes"
    )]
    TooManyLinks {
        /// Nodes.
        nodes: usize,
        /// Ordered pairs of different nodes.
        links: u64,
    },
    /// Too many applications leave open whether they use both hardware threads of a core.
    #[error("too many applications leave `smt` open: their choices cannot all be searched")]
    TooManyChoices,
    /// The constraints leave no allocation.
    #[error(transparent)]
    Infeasible(#[from] Infeasible),
}

impl Problem {
    /// Checks the question.
    ///
    /// # Errors
    /// [`ProblemError`] if there is nothing to place, the model rejects the machine, the objective lacks an input, or the constraints
    /// contradict each other in a way that is detected without a search.
    pub fn new(
        machine: &Machine,
        apps: &[App],
        objective: Objective,
        restrictions: Restrictions,
    ) -> Result<Self, ProblemError> {
        if apps.is_empty() {
            return Err(ProblemError::NoApps);
        }
        let nodes = machine.node_count();
        let flows = flows(nodes, apps);
        if flows > MOST_FLOWS {
            return Err(ProblemError::TooLarge { apps: apps.len(), nodes, flows });
        }
        let links = (nodes as u64).saturating_mul((nodes as u64).saturating_sub(1));
        let is_spread =
            |data: &Data| data.placement().map_or(*data == Data::OpenFractions, Placement::is_spread);
        if links > MOST_LINKS && apps.iter().any(|app| is_spread(&app.data)) {
            return Err(ProblemError::TooManyLinks { nodes, links });
        }
        if let Some(refusal) = machine.sharing_refusal() {
            return Err(refusal.into());
        }
        Self::with_goal(machine, apps, Goal::new(objective, machine, apps)?, restrictions)
    }

    /// One application alone, with only its own constraints: its best allocation has the most GFLOPS, or the largest rate.
    pub(crate) fn of_one(machine: &Machine, app: &App) -> Result<Self, ProblemError> {
        Self::with_goal(machine, std::slice::from_ref(app), Goal::of_one(), Restrictions::default())
    }

    /// The problem with a given goal.
    fn with_goal(
        machine: &Machine,
        apps: &[App],
        goal: Goal,
        restrictions: Restrictions,
    ) -> Result<Self, ProblemError> {
        check_memory(machine, apps)?;
        let mut problem = Self {
            machine: machine.clone(),
            apps: apps.iter().map(App::counted_in_cores).collect(),
            goal,
            restrictions,
            asked: apps.to_vec(),
            smt: Vec::new(),
            choices: Vec::new(),
            known: Arc::default(),
        };
        if apps.iter().any(|app| app.smt == Smt::Any) {
            problem.choices = problem.open_choices()?;
            let first = problem.choices.first().cloned().unwrap_or_default();
            problem.apps = problem.with_smt(&first).apps;
        } else {
            restrictions.check(machine, &problem.apps)?;
        }
        Ok(problem)
    }

    /// The same question with these allocations as starting points of every search: scenarios and baselines. The answer is at least as good
    /// as each of them that the question allows.
    #[must_use]
    pub fn starting_from(self, known: impl IntoIterator<Item = Candidate>) -> Self {
        Self { known: known.into_iter().collect(), ..self }
    }

    /// The starting points as they are rated here, with the hardware threads of a core that this question decides or leaves open.
    pub(crate) fn starts(&self) -> Vec<Candidate> {
        let decided = |known: &&Candidate| {
            if self.has_open_smt() { self.choices.contains(&known.smt) } else { self.smt == known.smt }
        };
        let rated = |known: &Candidate| {
            let of = self.with_smt(&known.smt);
            // A node or fractions may be written in another form than the one in which open data is decided here.
            let placements = of.apps.iter().zip(&known.placements);
            let closed = placements.map(|(app, placement)| app.data.closed_by(placement, &of.machine));
            let placements: Vec<Placement> = closed.collect::<Option<_>>()?;
            Some(Evaluator::new(&of, placements).candidate(known.allocation.clone()))
        };
        self.known.iter().filter(decided).filter_map(rated).collect()
    }

    /// Whether an allocation with its data is an answer to the question.
    pub(crate) fn permits(&self, candidate: &Candidate) -> bool {
        self.check_answer(&candidate.allocation, &candidate.placements).is_ok()
    }

    /// Whether the L3 domain of a thread matters: the read bandwidth of domains is limited, or a constraint applies to them.
    pub fn is_by_domain(&self) -> bool {
        self.machine.has_limited_domains() || self.restrictions.ask_of_domains(&self.apps)
    }

    /// The same question with unlimited L3 domains. Constraints on domains are replaced by their consequences for nodes.
    pub(crate) fn by_nodes(self) -> Self {
        if !self.is_by_domain() {
            return self;
        }
        let (restrictions, asked) = self.restrictions.by_nodes(&self.machine, &self.asked);
        let smt = if self.smt.is_empty() { self.choices.first() } else { Some(&self.smt) };
        let chosen = with_smt(&asked, smt.map_or(&[], Vec::as_slice));
        let apps = chosen.iter().map(App::counted_in_cores).collect();
        Self { machine: self.machine.without_limited_domains(), apps, asked, restrictions, ..self }
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The applications, with numbers of cores instead of numbers of threads.
    pub fn apps(&self) -> &[App] {
        &self.apps
    }

    /// The applications as requested.
    pub fn asked(&self) -> &[App] {
        &self.asked
    }

    /// The objective, prepared.
    pub fn goal(&self) -> &Goal {
        &self.goal
    }

    /// The constraints.
    pub fn restrictions(&self) -> &Restrictions {
        &self.restrictions
    }

    /// Whether an allocation satisfies the constraints, the threads of each application, the cores of each node and their memory.
    pub fn allows(&self, allocation: &Allocation, placements: &[Placement]) -> bool {
        self.restrictions.allow(&self.machine, &self.apps, allocation)
            && fits(&self.machine, &self.apps, placements, allocation).is_ok()
    }

    /// The first rule that an allocation breaks, in words.
    pub fn violation(&self, allocation: &Allocation, placements: &[Placement]) -> Option<String> {
        let broken = self.restrictions.violation(&self.machine, &self.apps, allocation);
        broken.or_else(|| {
            fits(&self.machine, &self.apps, placements, allocation).err().map(|full| full.to_string())
        })
    }

    /// Whether an answer with these placements can be proven without trying everything: under the sharing model, threads elsewhere must
    /// never help.
    pub fn proofs_apply(&self, placements: &[Placement]) -> bool {
        self.solver(placements).threads_elsewhere_never_help()
    }

    /// Whether some application loses performance with threads on several nodes, in addition to the effects in the model
    /// ([`App::node_overhead`]).
    pub(crate) fn loses_on_several_nodes(&self) -> bool {
        self.apps.iter().any(|app| app.node_overhead > 0.0)
    }

    /// A score that no allocation exceeds: every application on every core or with all its threads on the fastest ones, each at its peak or
    /// at the bandwidth it can draw alone.
    pub(crate) fn roof(&self) -> f64 {
        let of_app = |app: &App| -> f64 {
            let of_core = |node: &Node| {
                let limits = app.limits();
                let fed = limits.want(node, app.arithmetic_intensity) * app.arithmetic_intensity;
                fed.min(limits.peak(node)).value()
            };
            let nodes = || self.machine.nodes().iter().filter(|node| node.cores > 0);
            let everywhere: f64 = nodes().map(|node| f64::from(node.cores) * of_core(node)).sum();
            let fastest = nodes().map(of_core).fold(0.0, f64::max);
            app.max_threads.map_or(everywhere, |most| everywhere.min(f64::from(most) * fastest))
        };
        self.goal.score(&self.apps.iter().map(of_app).collect::<Vec<_>>())
    }

    /// log10 of the number of ways to place the threads, including idle cores and open data, without constraints.
    ///
    /// A node with C cores and A applications has C(C + A, A) ways.
    pub fn size_log10(&self) -> f64 {
        let apps = self.apps.len();
        let per_node = |cores: u32| -> f64 {
            (1..=apps).map(|k| libm::log10((f64::from(cores) + k as f64) / k as f64)).sum()
        };
        let homes: f64 =
            self.apps.iter().map(|app| libm::log10(open_data::number(&app.data, &self.machine))).sum();
        self.machine.nodes().iter().map(|node| per_node(node.cores)).sum::<f64>() + homes
    }

    /// The approximate cost of one evaluation in elementary operations: one flow of each application from each node, or one from each node
    /// to each memory if its data is spread.
    pub(crate) fn evaluation_cost(&self) -> u64 {
        /// Relative cost of soft queues, whose waits are found step by step (measured: 6 to 12).
        const OF_SOFT_QUEUES: u64 = 8;
        let times = if self.machine.sharing().has_soft_corners() { OF_SOFT_QUEUES } else { 1 };
        flows(self.machine.node_count(), &self.apps).saturating_mul(OPERATIONS_PER_FLOW * times)
    }

    /// A solver with the data at these placements.
    pub(crate) fn solver(&self, placements: &[Placement]) -> Solver {
        self.solver_on(&self.machine, placements)
    }

    fn solver_on(&self, machine: &Machine, placements: &[Placement]) -> Solver {
        Solver::new(machine, &demands(&self.apps, placements))
    }

    /// The most GFLOPS of a thread of an application on `node`, for any placement of its data.
    pub(crate) fn most_of_thread_wherever(&self, app: usize, node: NodeId) -> f64 {
        let demand = self.apps[app].demand(Placement::Local);
        (demand.most_wherever(&self.machine, node) * demand.arithmetic_intensity).value()
    }

    /// The placements of all applications if the data of the open ones, in order, is at `homes`; beyond these, at the start of a climb.
    pub(crate) fn placements(&self, homes: &[Placement]) -> Vec<Placement> {
        let mut open = homes.iter();
        let mut next =
            |data: &Data| open.next().cloned().unwrap_or_else(|| open_data::first(data, &self.machine));
        let placed = |app: &App| match app.data.placement() {
            Some(placement) => placement.clone(),
            None => next(&app.data),
        };
        self.apps.iter().map(placed).collect()
    }

    /// The applications whose data is open.
    pub(crate) fn open_apps(&self) -> Vec<usize> {
        (0..self.apps.len()).filter(|&a| self.apps[a].data.is_open()).collect()
    }
}

/// One answer: the threads of each application on each node, the placement of the data, and the score.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Cores of each application on each node.
    pub allocation: Allocation,
    /// The placement of each application's data, open data decided.
    pub placements: Vec<Placement>,
    /// Hardware threads of a core that each application uses, if the question leaves that open; else empty.
    pub smt: Vec<Smt>,
    /// The score that the search compares: larger is better.
    pub score: f64,
    /// Breaks ties between equal scores.
    pub(crate) tie_break: f64,
    /// GiB of data that do not fit; only a candidate with 0 is an answer.
    pub(crate) excess: f64,
}

impl Candidate {
    /// Whether this is better than `other`: less data that does not fit, else a larger score, or an equal one and a
    /// larger tie-break.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        other.is_beaten_by(self.excess, self.score, self.tie_break)
    }

    /// Whether an answer with these values is better.
    pub(crate) fn is_beaten_by(&self, excess: f64, score: f64, tie_break: f64) -> bool {
        if (excess - self.excess).abs() > SCORE_TOLERANCE * self.excess {
            return excess < self.excess;
        }
        let equal = margin(self.score);
        score > self.score + equal
            || (score >= self.score - equal && tie_break > self.tie_break + margin(self.tie_break))
    }
}

/// Solver and workspace for fixed placements: turns thread counts into candidates.
pub(crate) struct Evaluator<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) placements: Vec<Placement>,
    pub(crate) solver: Solver,
    workspace: Workspace,
    /// The memory limits, if an allocation could break them.
    pub(crate) limits: Option<Limits>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(problem: &'a Problem, placements: Vec<Placement>) -> Self {
        let solver = problem.solver(&placements);
        let workspace = solver.workspace();
        let limits = Limits::new(&problem.machine, &problem.apps, &placements);
        Self { problem, placements, solver, workspace, limits }
    }

    /// GB/s of `memory` that one GB/s of application `app` on `from` occupies: the fraction of its data there, in GB/s of reads.
    pub(crate) fn cost(&self, app: usize, from: NodeId, memory: NodeId) -> f64 {
        let fraction = self.placements[app].fraction(&self.problem.machine, from, memory);
        fraction * self.solver.occupied(AppId(app), memory)
    }

    /// The bandwidth of threads on `node` when others have taken `taken` GB/s from its memory.
    ///
    /// Valid only for threads on this node: their step of the model (the remainder of the controller) sees the smaller memory.
    pub(crate) fn solver_with_less(&self, node: NodeId, taken: f64) -> Solver {
        let machine = self.problem.machine.with_less_bandwidth(node, taken);
        self.problem.solver_on(&machine, &self.placements)
    }

    /// GiB of data that do not fit, summed over all nodes; 0 if everything fits.
    #[inline]
    pub(crate) fn excess(&self, threads: &[u32]) -> f64 {
        self.limits.as_ref().map_or(0.0, |limits| limits.excess(threads))
    }

    /// Whether all data fits.
    #[inline]
    pub(crate) fn fits(&self, threads: &[u32]) -> bool {
        self.limits.is_none() || self.excess(threads) <= 0.0
    }

    /// [`Problem::allows`] with the placements of this evaluator.
    pub(crate) fn allows(&self, allocation: &Allocation) -> bool {
        let Problem { machine, apps, restrictions, .. } = self.problem;
        restrictions.allow(machine, apps, allocation) && self.fits(allocation.as_slice())
    }

    /// GFLOPS of each application. `threads`: in the layout of [`Allocation::rows`].
    pub(crate) fn gflops(&mut self, threads: &[u32]) -> &[f64] {
        self.solver.solve_changes(threads, &mut self.workspace);
        self.workspace.gflops()
    }

    /// GFLOPS for an allocation; its numbers of threads on nodes are distributed over L3 domains if these matter.
    pub(crate) fn gflops_of(&mut self, allocation: &Allocation) -> &[f64] {
        self.gflops(allocation.rows(&self.problem.machine).as_slice())
    }

    /// Score and tie-break. `threads`: in the layout of [`Allocation::rows`].
    #[inline]
    pub(crate) fn rate(&mut self, threads: &[u32]) -> (f64, f64) {
        self.solver.solve_changes(threads, &mut self.workspace);
        let gflops = self.workspace.gflops();
        (self.problem.goal.score(gflops), self.problem.goal.tie_break(gflops))
    }

    /// Score and tie-break for an allocation, as [`Self::gflops_of`].
    #[inline]
    pub(crate) fn rate_of(&mut self, allocation: &Allocation) -> (f64, f64) {
        self.rate(allocation.rows(&self.problem.machine).as_slice())
    }

    pub(crate) fn candidate(&mut self, allocation: Allocation) -> Candidate {
        let (score, tie_break) = self.rate_of(&allocation);
        let excess = self.excess(allocation.as_slice());
        let (placements, smt) = (self.placements.clone(), self.problem.smt.clone());
        Candidate { allocation, placements, smt, score, tie_break, excess }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numasim_model::units::GigabytesPerSecond;

    use crate::testing::{app, local_app, uniform_machine};

    #[test]
    fn data_on_too_many_nodes_is_rejected() {
        // 708 x 707 = 500,556 links, 707 x 706 = 499,142
        let asked = |nodes: usize, data: Data| {
            let machine = uniform_machine(nodes, 1, 10.0, 32.0, 10.0);
            Problem::new(&machine, &[app("a", 1.0, data)], Objective::TotalGflops, Restrictions::default())
                .err()
        };
        let refused = asked(708, Data::Placed(Placement::Interleave));
        assert_eq!(refused, Some(ProblemError::TooManyLinks { nodes: 708, links: 500_556 }));
        assert_eq!(asked(707, Data::Placed(Placement::Interleave)), None);
        assert_eq!(asked(708, Data::Placed(Placement::Home(NodeId(0)))), None);
    }

    #[test]
    fn no_score_exceeds_the_upper_bound() {
        // Two nodes x 3 cores x min(10, 4 x 2) = 48 GFLOPS for each of two applications of intensity 2.
        let mut nodes = vec![uniform_machine(1, 3, 10.0, 32.0, 10.0).nodes()[0]; 2];
        for node in &mut nodes {
            node.core_bandwidth = Some(GigabytesPerSecond::new(4.0));
        }
        let machine = Machine::new("two", nodes, vec![GigabytesPerSecond::new(10.0); 4]).expect("a machine");
        let apps = vec![local_app("a", 2.0); 2];
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default());
        assert_eq!(problem.expect("a possible question").roof(), 96.0);
    }

    #[test]
    fn too_many_flows_are_rejected() {
        // 100 nodes x 100 memories x 201 applications = 2.01e6; local data has 100 x 201.
        let machine = uniform_machine(100, 1, 10.0, 32.0, 10.0);
        let asked = |data: Data| {
            let apps = vec![app("a", 1.0, data); 201];
            Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).err()
        };
        let flows = 2_010_000;
        let refused = asked(Data::Placed(Placement::Interleave));
        assert_eq!(refused, Some(ProblemError::TooLarge { apps: 201, nodes: 100, flows }));
        let enough_cores = asked(Data::Placed(Placement::Local));
        assert!(matches!(enough_cores, Some(ProblemError::Infeasible(_))), "one thread each needs 201 cores");
    }

    #[test]
    fn the_papers_machine_has_6e10_allocations() {
        // C(12, 4) = 495 per node, 495^4 = 6.0e10
        let machine = uniform_machine(4, 8, 10.0, 32.0, 10.0);
        let apps = vec![local_app("a", 1.0); 4];
        let problem = Problem::new(&machine, &apps, Objective::TotalGflops, Restrictions::default()).unwrap();
        assert!((problem.size_log10() - 495_f64.powi(4).log10()).abs() < 1e-12);
    }
}
