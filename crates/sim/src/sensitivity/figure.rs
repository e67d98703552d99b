//! The values of the input files that an analysis changes, and the machine or applications after the change.

use super::climb::climb;
use super::{Rivals, share_of_effort, share_of_rivals};
use crate::baselines::{even, one_app_per_node};
use crate::monitor::Monitor;
use crate::objective::{Objective, margin};
use crate::parallel;
use crate::problem::{Candidate, Problem};
use numasim_model::{App, AppId, Machine, NodeId};
use numasim_study::figure::{Figure as Known, Figures};
use numasim_study::keys::{Key, app, machine, node};
use std::collections::HashMap;

/// One value, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Bandwidth of the memory controllers of these nodes, GB/s; their bandwidth for write kernels scales with it.
    Controllers(Vec<NodeId>),
    /// Bandwidth of these links, GB/s: node of the core, node of the memory.
    Links(Vec<(NodeId, NodeId)>),
    /// Peak of each core of these nodes, GFLOPS.
    Peaks(Vec<NodeId>),
    /// The maximum that one thread of these nodes can draw, GB/s.
    CoreBandwidths(Vec<NodeId>),
    /// The maximum that the cores of one L3 domain of these nodes draw together, GB/s.
    DomainBandwidths(Vec<NodeId>),
    /// Cores of these nodes.
    Cores(Vec<NodeId>),
    /// Arithmetic intensity of these applications, FLOP per byte.
    Intensities(Vec<AppId>),
    /// Work of these applications, GFLOP.
    Work(Vec<AppId>),
}

/// A change of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// Multiplied by this.
    Times(f64),
    /// Increased by this, in the unit of the value.
    Plus(f64),
}

impl Change {
    fn of(self, value: f64) -> f64 {
        match self {
            Self::Times(factor) => value * factor,
            Self::Plus(more) => value + more,
        }
    }
}

impl Figure {
    /// The kind of value, for any node, link or application.
    const fn kind(&self) -> Known {
        match self {
            Self::Controllers(_) => Known::Node(&machine::BANDWIDTH_GBS, None),
            Self::Links(_) => Known::Link(None),
            Self::Peaks(_) => Known::Node(&machine::GFLOPS_PER_CORE, None),
            Self::CoreBandwidths(_) => Known::Node(&machine::CORE_BANDWIDTH_GBS, None),
            Self::DomainBandwidths(_) => Known::Node(&machine::L3_READ_GBS, None),
            Self::Cores(_) => Known::Node(&node::CORES, None),
            Self::Intensities(_) => Known::App(&app::ARITHMETIC_INTENSITY, 0..0),
            Self::Work(_) => Known::App(&app::WORK_GFLOP, 0..0),
        }
    }

    /// Each of its values alone.
    fn members(&self) -> Vec<Known> {
        let of_nodes = |figure: &'static Key, nodes: &[NodeId]| -> Vec<Known> {
            nodes.iter().map(|&node| Known::Node(figure, Some(node))).collect()
        };
        let of_apps = |figure: &'static Key, apps: &[AppId]| -> Vec<Known> {
            apps.iter().map(|&AppId(a)| Known::App(figure, a..a + 1)).collect()
        };
        match self {
            Self::Controllers(nodes) => of_nodes(&machine::BANDWIDTH_GBS, nodes),
            Self::Links(links) => links.iter().map(|&link| Known::Link(Some(link))).collect(),
            Self::Peaks(nodes) => of_nodes(&machine::GFLOPS_PER_CORE, nodes),
            Self::CoreBandwidths(nodes) => of_nodes(&machine::CORE_BANDWIDTH_GBS, nodes),
            Self::DomainBandwidths(nodes) => of_nodes(&machine::L3_READ_GBS, nodes),
            Self::Cores(nodes) => of_nodes(&node::CORES, nodes),
            Self::Intensities(apps) => of_apps(&app::ARITHMETIC_INTENSITY, apps),
            Self::Work(apps) => of_apps(&app::WORK_GFLOP, apps),
        }
    }

    /// The key of the input files that contains it.
    pub const fn key(&self) -> &'static str {
        self.kind().key()
    }

    /// Its unit; a word for values that are counts.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Cores(_) => "cores",
            _ => self.kind().unit(),
        }
    }

    /// Whether `other` is a value of the same kind.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        match self {
            Self::Controllers(nodes)
            | Self::Peaks(nodes)
            | Self::CoreBandwidths(nodes)
            | Self::DomainBandwidths(nodes)
            | Self::Cores(nodes) => nodes.len(),
            Self::Links(links) => links.len(),
            Self::Intensities(apps) | Self::Work(apps) => apps.len(),
        }
    }

    /// Their smallest and largest value.
    pub(super) fn extent(&self, machine: &Machine, apps: &[App]) -> Option<(f64, f64)> {
        let values = || self.members().into_iter().flat_map(|member| member.values(machine, apps));
        let smallest = values().reduce(f64::min)?;
        Some((smallest, values().fold(smallest, f64::max)))
    }

    /// Adds the members of a value of the same kind; another kind changes nothing.
    pub fn join(&mut self, other: Self) {
        match (self, other) {
            (Self::Controllers(own), Self::Controllers(more))
            | (Self::Peaks(own), Self::Peaks(more))
            | (Self::CoreBandwidths(own), Self::CoreBandwidths(more))
            | (Self::DomainBandwidths(own), Self::DomainBandwidths(more))
            | (Self::Cores(own), Self::Cores(more)) => own.extend(more),
            (Self::Links(own), Self::Links(more)) => own.extend(more),
            (Self::Intensities(own), Self::Intensities(more)) | (Self::Work(own), Self::Work(more)) => {
                own.extend(more);
            }
            _ => {}
        }
    }

    /// Machine and applications after the change; `None` if the resulting machine is invalid (too many cores, overflow).
    pub(super) fn changed(&self, of: &Machine, apps: &[App], change: Change) -> Option<(Machine, Vec<App>)> {
        let mut figures = Figures::of(of, apps);
        for member in self.members() {
            figures.change(&member, |value| change.of(value));
            // A controller is faster under every kernel, or under none.
            if let (Known::Node(key, node), [old]) = (&member, &member.values(of, apps)[..])
                && *key == &machine::BANDWIDTH_GBS
            {
                for kernel in [&machine::COPY_GBS, &machine::TRIAD_GBS, &machine::UPDATE_GBS] {
                    let of_kernel = Known::Node(kernel, *node);
                    figures.change(&of_kernel, |value| value * (change.of(*old) / old));
                }
            }
            // Invalid values of a machine are detected when the machine is built.
            let in_range = |value: &f64| member.range().contains(*value);
            if matches!(member, Known::App(..)) && !member.values(of, &figures.apps).iter().all(in_range) {
                return None;
            }
        }
        Some((figures.machine(of).ok()?, figures.apps))
    }
}

/// The links over which an application could read, those most used by `best` first.
pub(super) fn links_that_matter(problem: &Problem, best: &Candidate) -> Vec<(NodeId, NodeId)> {
    let machine = &problem.machine;
    let readers = |from: NodeId, to: NodeId| -> (bool, f64) {
        let mut possible = false;
        let mut wanted = 0.0;
        for (a, (app, placement)) in problem.apps.iter().zip(&best.placements).enumerate() {
            let on_best = |node| best.allocation.get(AppId(a), node) > 0;
            let fraction =
                app.demand(placement.clone()).on_nodes(machine, on_best).fraction(machine, from, to);
            let cost = fraction * machine.node(to).occupied_by(app.traffic());
            possible |= fraction > 0.0 || app.data.is_open() || app.writes_copies(placement);
            let limits = app.limits();
            let digestible = limits.peak(machine.node(from)).value() / app.arithmetic_intensity.value();
            let most = limits.bandwidth.map_or(digestible, |own| own.value().min(digestible));
            wanted += f64::from(best.allocation.get(AppId(a), from)) * cost * most;
        }
        (possible, wanted)
    };
    let stays = |app: &App| app.data.placement().is_some_and(|data| app.stays_at_home(data, machine));
    if problem.apps.iter().all(stays) {
        return Vec::new();
    }
    let mut links: Vec<((NodeId, NodeId), f64)> = Vec::new();
    for from in machine.compute_nodes() {
        for to in machine.memory_nodes().filter(|&to| to != from) {
            let (possible, wanted) = readers(from, to);
            if possible {
                let use_of_link = machine.link(from, to).map_or(0.0, |link| wanted / link.value());
                links.push(((from, to), use_of_link));
            }
        }
    }
    links.sort_by(|a, b| b.1.total_cmp(&a.1));
    links.into_iter().map(|(link, _)| link).collect()
}

/// Maximum number of groups of links that are varied one after the other; with more, only the most used ones and all together.
const MOST_LINK_GROUPS: usize = 24;

/// The inputs that may be wrong. Equal values vary together: in most files they are one number, or come from one measurement. If a machine
/// has several values of a kind, all of them also vary together (a systematic error).
pub(super) fn inputs(problem: &Problem, best: &Candidate) -> Vec<Figure> {
    let (machine, apps) = (&problem.machine, &problem.apps);
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    let limited: Vec<NodeId> =
        machine.compute_nodes().filter(|&n| machine.node(n).core_bandwidth.is_some()).collect();
    let domains: Vec<NodeId> =
        machine.compute_nodes().filter(|&n| machine.node(n).l3_bandwidth.is_some()).collect();
    let mut found = Vec::new();
    for app in 0..apps.len() {
        let members: Vec<AppId> =
            (0..apps.len()).filter(|&b| apps[b].group == apps[app].group).map(AppId).collect();
        if members.first() == Some(&AppId(app)) {
            found.push(Figure::Intensities(members.clone()));
            if problem.goal.objective() == Objective::Makespan {
                found.push(Figure::Work(members));
            }
        }
    }
    let one = |n: &NodeId| vec![*n];
    add_kind(problem, machine.node_ids().map(|n| Figure::Controllers(vec![n])), usize::MAX, &mut found);
    add_kind(problem, compute.iter().map(|n| Figure::Peaks(one(n))), usize::MAX, &mut found);
    add_kind(problem, limited.iter().map(|n| Figure::CoreBandwidths(one(n))), usize::MAX, &mut found);
    add_kind(problem, domains.iter().map(|n| Figure::DomainBandwidths(one(n))), usize::MAX, &mut found);
    let links = links_that_matter(problem, best).into_iter().map(|link| Figure::Links(vec![link]));
    add_kind(problem, links, MOST_LINK_GROUPS, &mut found);
    found
}

/// Adds values of one kind: all together if they differ, and each group of equal ones, at most `limit` groups.
fn add_kind(problem: &Problem, singles: impl Iterator<Item = Figure>, limit: usize, found: &mut Vec<Figure>) {
    let mut groups: Vec<Figure> = Vec::new();
    let mut of_value: HashMap<u64, usize> = HashMap::new();
    let mut all: Option<Figure> = None;
    for single in singles {
        let Some((value, _)) = single.extent(&problem.machine, &problem.apps) else { continue };
        match &mut all {
            Some(all) => all.join(single.clone()),
            None => all = Some(single.clone()),
        }
        let group = *of_value.entry(value.to_bits()).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.join(single),
            None => groups.push(single),
        }
    }
    if groups.len() > 1 {
        found.extend(all);
    }
    found.extend(groups.into_iter().take(limit));
}

// How far an input may be off before another allocation wins.

/// The smallest factor by which inputs are changed.
pub const SMALLEST_FACTOR: f64 = 0.5;
/// The largest factor by which inputs are changed.
pub const LARGEST_FACTOR: f64 = 2.0;
/// Steps of the grid on each side of 1, in equal ratios: 2.2 %. An allocation that wins only between two steps is not found.
const GRID: u32 = 32;
/// Errors at which the loss is reported.
pub const ERRORS: [f64; 4] = [-0.2, -0.1, 0.1, 0.2];
/// Changes at which rivals are searched.
pub const SEARCHED: [f64; 8] = [0.5, 0.7, 0.8, 0.9, 1.1, 1.2, 1.4, 2.0];
/// Relative width of the interval at which bisection ends.
const RESOLUTION: f64 = 1e-6;
/// Number of times that a range is searched again just inside its ends.
const ROUNDS: usize = 4;

/// The range of one input in which the best allocation stays the best.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The input: one value, or several that change by the same factor.
    pub figure: Figure,
    /// Its value; smallest and largest if several values change together.
    pub value: (f64, f64),
    /// The point below the value at which another allocation wins, `None` if none does down to [`SMALLEST_FACTOR`].
    pub below: Option<Switch>,
    /// The point above the value at which another allocation wins, `None` if none does up to [`LARGEST_FACTOR`].
    pub above: Option<Switch>,
    /// For each of [`ERRORS`]: the fraction of the objective that is lost if the allocation is kept although the true input is smaller or
    /// larger by that error. A makespan of 1.1 instead of 1.0 is a loss of 0.1.
    pub lost: [f64; ERRORS.len()],
}

/// The end of a range.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// The last factor at which the allocation is still the best of the known ones.
    pub factor: f64,
    /// The allocation that wins beyond it, as rated there.
    pub winner: Candidate,
}

/// The ranges found, and the number of unfinished inputs.
pub(super) struct Found {
    pub(super) ranges: Vec<Range>,
    pub(super) left: usize,
    pub(super) rivals: usize,
}

/// A search at changed inputs may find an allocation that is also better with the original inputs.
pub(super) struct Better {
    /// The better allocation, with its score.
    pub(super) better: Candidate,
    /// The other known allocations.
    pub(super) others: Vec<Candidate>,
}

/// The problem with one input changed. The performance of an application alone changes with it: this is the question for `explore` with the
/// correct input.
fn at(problem: &Problem, figure: &Figure, factor: f64) -> Option<Problem> {
    let (machine, apps) = figure.changed(&problem.machine, &problem.asked, Change::Times(factor))?;
    Problem::new(&machine, &apps, problem.goal.objective(), problem.restrictions).ok()
}

/// Analyses every input. `patient`: continues even if it finds an allocation better than `best`.
///
/// # Errors
/// [`Better`], unless `patient`.
pub(super) fn ranges(
    problem: &Problem,
    best: &Candidate,
    others: &[Candidate],
    patient: bool,
    monitor: &dyn Monitor,
) -> Result<Found, Box<Better>> {
    let figures = inputs(problem, best);
    let mut known = Rivals::new(problem, best);
    for other in others {
        known.add(other.clone());
    }
    let questions: Vec<(&Figure, f64)> =
        figures.iter().flat_map(|figure| SEARCHED.map(|factor| (figure, factor))).collect();
    let effort = share_of_effort(problem, 2 * questions.len());
    let most = share_of_rivals(problem, figures.len() * 2 * GRID as usize);
    let elsewhere = far_starts(problem, best);
    // From the best, from unrelated allocations, and from the best at the changed input: the search for another input may have found it.
    let starts = std::iter::once(Start::Best).chain(elsewhere.iter().map(Start::From)).chain([Start::Leader]);
    for start in starts {
        let paths: Vec<Vec<Candidate>> = parallel::map(&questions, |(figure, factor)| {
            if monitor.stop() {
                return Vec::new();
            }
            let Some(changed) = at(problem, figure, *factor) else { return Vec::new() };
            match start {
                Start::Best => climb(&changed, best, effort, monitor),
                // Only its final result: the steps before it are worse than known allocations.
                Start::From(other) => climb(&changed, other, effort, monitor).pop().into_iter().collect(),
                Start::Leader => match known.lead(&changed, monitor).1 {
                    Some(leader) => climb(&changed, &leader, effort, monitor),
                    None => Vec::new(),
                },
            }
        });
        for candidate in paths.into_iter().flatten() {
            if monitor.stop() {
                break;
            }
            known.add(candidate);
        }
        known.keep_closest(most, monitor);
    }
    if let Some(better) = known.lead(problem, monitor).1.filter(|_| !patient) {
        return Err(Box::new(Better { better, others: known.into_candidates() }));
    }
    let found: Vec<Option<(Range, usize)>> = parallel::map(&figures, |figure| {
        Ranging { problem, figure, known: known.clone(), effort, monitor }.range()
    });
    let left = found.iter().filter(|range| range.is_none()).count();
    let more: usize = found.iter().flatten().map(|(_, more)| more).sum();
    Ok(Found {
        ranges: found.into_iter().flatten().map(|(range, _)| range).collect(),
        left,
        rivals: known.len() + more,
    })
}

/// The start of a local search.
#[derive(Clone, Copy)]
enum Start<'a> {
    Best,
    From(&'a Candidate),
    Leader,
}

/// The baselines, if they are allowed, with the homes of the best.
fn far_starts(problem: &Problem, best: &Candidate) -> Vec<Candidate> {
    let even = even(&problem.machine, &problem.apps);
    let whole = one_app_per_node(&problem.machine, &problem.apps);
    std::iter::once(even)
        .chain(whole)
        .filter(|allocation| problem.allows(allocation, &best.placements))
        .map(|allocation| Candidate { allocation, ..best.clone() })
        .collect()
}

/// The monitor asked to stop.
struct Stopped;

/// The analysis of one input.
struct Ranging<'a> {
    problem: &'a Problem,
    figure: &'a Figure,
    known: Rivals,
    effort: u64,
    monitor: &'a dyn Monitor,
}

impl Ranging<'_> {
    /// The range, and the number of rivals met on the way; `None` if the monitor stopped it.
    fn range(mut self) -> Option<(Range, usize)> {
        if self.monitor.stop() {
            return None;
        }
        let before = self.known.len();
        let value = self.figure.extent(&self.problem.machine, &self.problem.apps)?;
        let lost = ERRORS.map(|error| self.loss(1.0 + error));
        let below = self.switch(SMALLEST_FACTOR).ok()?;
        let above = self.switch(LARGEST_FACTOR).ok()?;
        let range = Range { figure: self.figure.clone(), value, below, above, lost };
        (!self.monitor.stop()).then(|| (range, self.known.len() - before))
    }

    fn leader(&self, factor: f64) -> Option<Candidate> {
        if self.monitor.stop() {
            return None;
        }
        self.known.lead(&at(self.problem, self.figure, factor)?, self.monitor).1
    }

    fn loss(&self, factor: f64) -> f64 {
        if self.monitor.stop() {
            return 0.0;
        }
        let Some(changed) = at(self.problem, self.figure, factor) else { return 0.0 };
        let (kept, leader) = self.known.lead(&changed, self.monitor);
        let Some(leader) = leader else { return 0.0 };
        let (kept, best) = (changed.goal.value(kept.score), changed.goal.value(leader.score));
        let lost = match changed.goal.objective() {
            crate::Objective::Makespan => kept / best - 1.0,
            _ => 1.0 - kept / best,
        };
        if lost.is_finite() { lost.max(0.0) } else { 0.0 }
    }

    /// The first change on the way to `end` at which a rival is ahead. The search is repeated just inside the result, so that at least no
    /// small move improves the allocation there.
    fn switch(&mut self, end: f64) -> Result<Option<Switch>, Stopped> {
        let mut found = self.first_switch(end)?;
        for _ in 0..ROUNDS {
            let Some(switch) = &found else { break };
            if self.monitor.stop() {
                return Err(Stopped);
            }
            let inside = 1.0 + (switch.factor - 1.0) * 0.9;
            let Some(changed) = at(self.problem, self.figure, inside) else { break };
            let (kept, _) = self.known.lead(&changed, self.monitor);
            let path = climb(&changed, &kept, self.effort, self.monitor);
            let better = path.last().is_some_and(|last| last.score > kept.score + margin(kept.score));
            if !better {
                break;
            }
            for candidate in path {
                self.known.add(candidate);
            }
            found = self.first_switch(end)?;
        }
        Ok(found)
    }

    /// The first such change among the rivals known now.
    fn first_switch(&self, end: f64) -> Result<Option<Switch>, Stopped> {
        if let Some(winner) = self.leader(1.0) {
            return Ok(Some(Switch { factor: 1.0, winner }));
        }
        let mut inside = 1.0;
        for step in 1..=GRID {
            if self.monitor.stop() {
                return Err(Stopped);
            }
            let outside = libm::pow(end, f64::from(step) / f64::from(GRID));
            if let Some(winner) = self.leader(outside) {
                return Ok(Some(self.bisected(inside, outside, winner)));
            }
            inside = outside;
        }
        Ok(None)
    }

    /// Narrows down where the lead changes between two factors.
    fn bisected(&self, mut inside: f64, mut outside: f64, mut winner: Candidate) -> Switch {
        while (outside - inside).abs() > RESOLUTION * inside && !self.monitor.stop() {
            let middle = f64::midpoint(inside, outside);
            match self.leader(middle) {
                Some(leader) => (outside, winner) = (middle, leader),
                None => inside = middle,
            }
        }
        Switch { factor: inside, winner }
    }
}
