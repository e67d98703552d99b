//! The gain from widening a resource.

use super::climb::{climb, rated};
use super::figure::{Change, Figure, links_that_matter};
use super::share_of_effort;
use crate::monitor::Monitor;
use crate::parallel;
use crate::problem::{Candidate, Problem};
use numasim_model::{Allocation, AppId, NodeId};
use std::collections::HashSet;

/// The gain of widening a resource by one step.
#[derive(Clone, Debug, PartialEq)]
pub struct Widening {
    /// The resources; each of them alone has this gain, unless `together`.
    pub figure: Figure,
    /// All of them are widened at once (cores, if every node must get the same).
    pub together: bool,
    /// The current value, in the unit of the figure.
    pub value: f64,
    /// The step that is added.
    pub step: Step,
    /// The gain of the objective with unchanged threads, in its unit; for a makespan, the reduction. For a core: with a thread of `used_by`
    /// on it. `None` if the constraints forbid any use of it.
    pub gain: Option<f64>,
    /// The application whose thread makes the most of a new core, on equal nodes all such; empty if it idles.
    pub used_by: Vec<AppId>,
    /// The gain if threads and open homes may move, as far as a local search finds: at least this much.
    pub gain_moved: Option<f64>,
    /// The gain of 10 % more, with unchanged threads; `None` for cores.
    pub gain_10_percent: Option<f64>,
}

/// The step by which a resource is widened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One more GB/s.
    GigabytePerSecond,
    /// One more core.
    Core,
    /// One percent more.
    Percent,
}

impl Step {
    fn change(self) -> Change {
        match self {
            Self::Percent => Change::Times(1.01),
            Self::GigabytePerSecond | Self::Core => Change::Plus(1.0),
        }
    }
}

/// The gains of all resources, largest first, and the number of unfinished resources.
pub(super) fn widening(problem: &Problem, best: &Candidate, monitor: &dyn Monitor) -> (Vec<Widening>, usize) {
    let resources = resources(problem);
    let readable: HashSet<(NodeId, NodeId)> = links_that_matter(problem, best).into_iter().collect();
    let useless = |figure: &Figure| matches!(figure, Figure::Links(links) if links.iter().all(|link| !readable.contains(link)));
    let climbs = resources.iter().filter(|(figure, ..)| !useless(figure)).count();
    let effort = share_of_effort(problem, climbs);
    let found: Vec<Option<Widening>> = parallel::map(resources, |(figure, step, together)| {
        if monitor.stop() {
            return None;
        }
        if useless(&figure) {
            let (value, _) = figure.extent(&problem.machine, &problem.apps)?;
            let nothing = Some(0.0);
            return Some(Widening {
                figure,
                together,
                value,
                step,
                gain: nothing,
                used_by: Vec::new(),
                gain_moved: nothing,
                gain_10_percent: nothing,
            });
        }
        of_resource(problem, best, figure, step, together, effort, monitor)
    });
    let left = found.iter().filter(|found| found.is_none()).count();
    let mut grouped = grouped(problem, best, found.into_iter().flatten());
    grouped.sort_by(|a, b| sort_key(b).total_cmp(&sort_key(a)));
    (grouped, left)
}

fn sort_key(widening: &Widening) -> f64 {
    widening.gain.unwrap_or(f64::NEG_INFINITY)
}

/// Every resource that can be widened, one by one.
fn resources(problem: &Problem) -> Vec<(Figure, Step, bool)> {
    let machine = &problem.machine;
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    let mut found: Vec<(Figure, Step, bool)> = machine
        .memory_nodes()
        .map(|n| (Figure::Controllers(vec![n]), Step::GigabytePerSecond, false))
        .collect();
    for &from in &compute {
        let others = machine.memory_nodes().filter(|&to| to != from);
        found.extend(others.map(|to| (Figure::Links(vec![(from, to)]), Step::GigabytePerSecond, false)));
    }
    // One more core is invalid if a node has several L3 domains, which need equal numbers of cores.
    let of_one_domain = |n: &NodeId| machine.node(*n).domains() == 1;
    if problem.restrictions.same_on_every_node && compute.len() > 1 {
        if compute.iter().all(of_one_domain) {
            found.push((Figure::Cores(compute.clone()), Step::Core, true));
        }
    } else {
        let wider = compute.iter().filter(|&n| of_one_domain(n));
        found.extend(wider.map(|&n| (Figure::Cores(vec![n]), Step::Core, false)));
    }
    found.extend(compute.iter().map(|&n| (Figure::Peaks(vec![n]), Step::Percent, false)));
    let limited = compute.iter().filter(|&&n| machine.node(n).core_bandwidth.is_some());
    found.extend(limited.map(|&n| (Figure::CoreBandwidths(vec![n]), Step::GigabytePerSecond, false)));
    let domains = compute.iter().filter(|&&n| machine.node(n).l3_bandwidth.is_some());
    found.extend(domains.map(|&n| (Figure::DomainBandwidths(vec![n]), Step::GigabytePerSecond, false)));
    found
}

/// The problem on a changed machine. The performance of an application alone stays that of the unchanged machine: the unit of p must not
/// grow with the resource.
fn on_wider_machine(problem: &Problem, figure: &Figure, change: Change) -> Option<Problem> {
    let (machine, apps) = figure.changed(&problem.machine, &problem.apps, change)?;
    Some(Problem { machine, apps, ..problem.clone() })
}

fn of_resource(
    problem: &Problem,
    best: &Candidate,
    figure: Figure,
    step: Step,
    together: bool,
    effort: u64,
    monitor: &dyn Monitor,
) -> Option<Widening> {
    let (value, _) = figure.extent(&problem.machine, &problem.apps)?;
    let wider = on_wider_machine(problem, &figure, step.change())?;
    let gain = |candidate: &Candidate| gain(problem, best.score, candidate.score);
    let (staying, used_by) = match &figure {
        Figure::Cores(nodes) => with_thread_on_new_core(&wider, best, nodes, monitor),
        _ => (Some(rated(&wider, best)), None),
    };
    if monitor.stop() {
        return None;
    }
    let start = staying.as_ref().unwrap_or(best);
    let climbed = climb(&wider, start, effort, monitor).pop();
    if monitor.stop() {
        return None;
    }
    let allowed = |c: &Candidate| wider.allows(&c.allocation, &c.placements);
    let ten = (step != Step::Core)
        .then(|| on_wider_machine(problem, &figure, Change::Times(1.1)))
        .flatten()
        .map(|wider| gain(&rated(&wider, best)));
    Some(Widening {
        together,
        value,
        step,
        gain: staying.as_ref().map(gain),
        used_by: used_by.into_iter().collect(),
        gain_moved: climbed.filter(allowed).as_ref().map(gain),
        gain_10_percent: ten,
        figure,
    })
}

/// The best use of a new core on each of `nodes`: idle, or one more thread of an application.
fn with_thread_on_new_core(
    wider: &Problem,
    best: &Candidate,
    nodes: &[NodeId],
    monitor: &dyn Monitor,
) -> (Option<Candidate>, Option<AppId>) {
    let with = |app: Option<AppId>| -> Option<(Candidate, Option<AppId>)> {
        let mut allocation: Allocation = best.allocation.clone();
        for &node in nodes {
            if let Some(app) = app {
                allocation.set(app, node, allocation.get(app, node) + 1);
            }
        }
        wider
            .allows(&allocation, &best.placements)
            .then(|| (rated(wider, &Candidate { allocation, ..best.clone() }), app))
    };
    let ways = std::iter::once(None).chain((0..wider.apps.len()).map(|a| Some(AppId(a))));
    let mut chosen: Option<(Candidate, Option<AppId>)> = None;
    for (candidate, app) in ways.filter_map(with) {
        if monitor.stop() {
            break;
        }
        if chosen.as_ref().is_none_or(|(other, _)| candidate.beats(other)) {
            chosen = Some((candidate, app));
        }
    }
    chosen.map_or((None, None), |(candidate, app)| (Some(candidate), app))
}

/// The gain of the objective from `before` to `after`, in the unit of its value; more is better.
fn gain(problem: &Problem, before: f64, after: f64) -> f64 {
    let (before, after) = (problem.goal.value(before), problem.goal.value(after));
    let gain = match problem.goal.objective() {
        crate::Objective::Makespan => before - after,
        _ => after - before,
    };
    // A difference within rounding is no gain.
    if gain.abs() <= 1e-9 * before.abs() { 0.0 } else { gain }
}

/// Combines resources of one kind, value and gain into one entry. A local search may end differently on equal nodes: the smallest result
/// holds for each.
fn grouped(problem: &Problem, best: &Candidate, single: impl Iterator<Item = Widening>) -> Vec<Widening> {
    let scale = problem.goal.value(best.score).abs();
    let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * scale.max(a.abs()),
        (None, None) => true,
        _ => false,
    };
    let group = |app: &AppId| problem.apps[app.0].group.as_str();
    let mut found: Vec<Widening> = Vec::new();
    for one in single {
        let twin = found.iter_mut().find(|other| {
            other.figure.is_like(&one.figure)
                && other.value == one.value
                && same(other.gain, one.gain)
                && same(other.gain_10_percent, one.gain_10_percent)
                && other.used_by.is_empty() == one.used_by.is_empty()
        });
        match twin {
            Some(twin) => {
                twin.gain_moved = twin.gain_moved.zip(one.gain_moved).map(|(a, b)| a.min(b));
                twin.figure.join(one.figure);
                let more =
                    one.used_by.iter().find(|app| twin.used_by.iter().all(|own| group(own) != group(app)));
                twin.used_by.extend(more.copied());
            }
            None => found.push(one),
        }
    }
    found
}
