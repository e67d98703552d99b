//! The figures of the input files that an analysis changes, and the machine or applications after the change.

use std::collections::HashMap;

use numasim_model::{Access, App, AppId, Machine, NodeId};
use numasim_study::figure::{AppFigure, Figure as Known, Figures, NodeFigure};

use crate::objective::Objective;
use crate::problem::{Candidate, Problem};

/// One figure, or several that are changed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// Bandwidth of the memory controllers of these nodes, GB/s; what they deliver to kernels that write goes with it.
    Controllers(Vec<NodeId>),
    /// Bandwidth of these links, GB/s: node of the core, node of the memory.
    Links(Vec<(NodeId, NodeId)>),
    /// Peak of each core of these nodes, GFLOPS.
    Peaks(Vec<NodeId>),
    /// The most one thread of these nodes can draw, GB/s.
    CoreBandwidths(Vec<NodeId>),
    /// Cores of these nodes.
    Cores(Vec<NodeId>),
    /// Arithmetic intensity of these applications, FLOP per byte.
    Intensities(Vec<AppId>),
    /// Work of these applications, GFLOP.
    Work(Vec<AppId>),
}

/// What happens to a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// Multiplied by this.
    Times(f64),
    /// This much more, in the unit of the figure.
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
    /// What it is, whatever it is of.
    const fn kind(&self) -> Known {
        match self {
            Self::Controllers(_) => Known::Node(NodeFigure::Bandwidth, None),
            Self::Links(_) => Known::Link(None),
            Self::Peaks(_) => Known::Node(NodeFigure::GflopsPerCore, None),
            Self::CoreBandwidths(_) => Known::Node(NodeFigure::CoreBandwidth, None),
            Self::Cores(_) => Known::Node(NodeFigure::Cores, None),
            Self::Intensities(_) => Known::App(AppFigure::ArithmeticIntensity, 0..0),
            Self::Work(_) => Known::App(AppFigure::Work, 0..0),
        }
    }

    /// Each of its figures alone.
    fn members(&self) -> Vec<Known> {
        let of_nodes = |figure, nodes: &[NodeId]| -> Vec<Known> {
            nodes.iter().map(|&node| Known::Node(figure, Some(node))).collect()
        };
        let of_apps = |figure, apps: &[AppId]| -> Vec<Known> {
            apps.iter().map(|&AppId(a)| Known::App(figure, a..a + 1)).collect()
        };
        match self {
            Self::Controllers(nodes) => of_nodes(NodeFigure::Bandwidth, nodes),
            Self::Links(links) => links.iter().map(|&link| Known::Link(Some(link))).collect(),
            Self::Peaks(nodes) => of_nodes(NodeFigure::GflopsPerCore, nodes),
            Self::CoreBandwidths(nodes) => of_nodes(NodeFigure::CoreBandwidth, nodes),
            Self::Cores(nodes) => of_nodes(NodeFigure::Cores, nodes),
            Self::Intensities(apps) => of_apps(AppFigure::ArithmeticIntensity, apps),
            Self::Work(apps) => of_apps(AppFigure::Work, apps),
        }
    }

    /// The key of the input files that holds it.
    pub const fn key(&self) -> &'static str {
        self.kind().key()
    }

    /// Its unit, also in words for what is counted.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Cores(_) => "cores",
            _ => self.kind().unit(),
        }
    }

    /// Whether `other` is a figure of the same kind.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// How many figures these are.
    pub fn count(&self) -> usize {
        match self {
            Self::Controllers(nodes)
            | Self::Peaks(nodes)
            | Self::CoreBandwidths(nodes)
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

    /// Takes in the members of a figure of the same kind; another kind changes nothing.
    pub fn join(&mut self, other: Self) {
        match (self, other) {
            (Self::Controllers(own), Self::Controllers(more))
            | (Self::Peaks(own), Self::Peaks(more))
            | (Self::CoreBandwidths(own), Self::CoreBandwidths(more))
            | (Self::Cores(own), Self::Cores(more)) => own.extend(more),
            (Self::Links(own), Self::Links(more)) => own.extend(more),
            (Self::Intensities(own), Self::Intensities(more)) | (Self::Work(own), Self::Work(more)) => {
                own.extend(more);
            }
            _ => {}
        }
    }

    /// Machine and applications after the change; `None` where such a machine is none (too many cores, overflow).
    pub(super) fn changed(
        &self,
        machine: &Machine,
        apps: &[App],
        change: Change,
    ) -> Option<(Machine, Vec<App>)> {
        let mut figures = Figures::of(machine, apps);
        for member in self.members() {
            figures.change(&member, |value| change.of(value));
            // A controller is faster under every kernel, or under none.
            if let (Known::Node(NodeFigure::Bandwidth, node), [old]) =
                (&member, &member.values(machine, apps)[..])
            {
                for kernel in Access::WRITING {
                    let of_kernel = Known::Node(NodeFigure::Kernel(kernel), *node);
                    figures.change(&of_kernel, |value| value * (change.of(*old) / old));
                }
            }
            // What is wrong with a figure of the machine shows where the machine is made.
            let in_range = |value: &f64| member.range().contains(*value);
            if matches!(member, Known::App(..)) && !member.values(machine, &figures.apps).iter().all(in_range)
            {
                return None;
            }
        }
        Some((figures.machine(machine).ok()?, figures.apps))
    }
}

/// The links over which an application could read, those that `best` uses most first.
pub(super) fn links_that_matter(problem: &Problem, best: &Candidate) -> Vec<(NodeId, NodeId)> {
    let machine = &problem.machine;
    let readers = |from: NodeId, to: NodeId| -> (bool, f64) {
        let mut possible = false;
        let mut wanted = 0.0;
        for (a, (app, placement)) in problem.apps.iter().zip(&best.placements).enumerate() {
            let fraction = placement.fraction(machine, from, to);
            let cost = fraction * machine.node(to).occupied_by(app.kernel);
            possible |= fraction > 0.0 || app.data.is_open();
            let digestible = machine.node(from).gflops_per_core / app.arithmetic_intensity;
            wanted += f64::from(best.allocation.get(AppId(a), from)) * cost * digestible.value();
        }
        (possible, wanted)
    };
    let stays = |app: &App| app.data.placement().is_some_and(|data| data.stays_at_home(machine));
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

/// Most groups of links that are varied one after the other; with more, only the most used ones and all together.
const MOST_LINK_GROUPS: usize = 24;

/// The inputs that may be wrong: figures of one value vary together (in most files they are one number, or come from one
/// measurement), and where a machine has several values of a kind, also all of them together (a systematic error).
pub(super) fn inputs(problem: &Problem, best: &Candidate) -> Vec<Figure> {
    let (machine, apps) = (&problem.machine, &problem.apps);
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    let limited: Vec<NodeId> =
        machine.compute_nodes().filter(|&n| machine.node(n).core_bandwidth.is_some()).collect();
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
    let links = links_that_matter(problem, best).into_iter().map(|link| Figure::Links(vec![link]));
    add_kind(problem, links, MOST_LINK_GROUPS, &mut found);
    found
}

/// Adds figures of one kind: all together if they differ, and each group of equal ones, at most `limit` groups.
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
