//! Covers small questions by L3 domain: every way to fill the domains of each node, and all combinations of these except those that cannot
//! beat the best.
//!
//! The upper bound for the applications on a node is their performance with all other nodes empty, if that is valid
//! ([`numasim_model::sharing::Solver::threads_elsewhere_never_help`]), else the limits of cores, domains and memories.

use std::collections::HashMap;

use numasim_model::sharing::Workspace;
use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, NodeId, Placement};

use super::space::{Space, Threads};
use crate::monitor::Monitor;
use crate::objective::margin;
use crate::problem::{Candidate, Evaluator, Problem};
use crate::restrictions::may_hold;
use crate::search::budget::Pace;
use crate::search::ceilings::ceilings;
use crate::symmetry::node_classes;

/// Maximum number of ways to fill a domain.
const MOST_CONTENTS: usize = 2_000;
/// Maximum number of ways to fill the domains of a node.
const MOST_OPTIONS: f64 = 200_000.0;
/// Combinations that are visited in the time of one evaluation.
const PER_EVALUATION: u64 = 64;

/// One way to fill the domains of a node.
#[derive(Clone, Debug)]
struct Filled {
    /// Threads in each domain: domain after domain, application by application.
    threads: Vec<u32>,
    /// Threads on the node, by application.
    totals: Vec<u32>,
    /// Upper bound on GFLOPS, by application.
    most: Vec<f64>,
}

/// The best of all allocations with open homes at these, and whether all were visited within `left` evaluations. `None`: there are too many
/// to list them.
pub(super) fn covered(
    space: &Space<'_>,
    flat: &Problem,
    homes: &[Vec<Placement>],
    known: Option<Candidate>,
    left: u64,
    monitor: &dyn Monitor,
) -> Option<(Option<Candidate>, bool)> {
    let lists: Vec<Vec<Filled>> =
        (0..space.nodes).map(|node| options(space, NodeId(node))).collect::<Option<_>>()?;
    let mut cover = Cover {
        space,
        best: known,
        left: left.saturating_mul(PER_EVALUATION),
        pace: Pace::new(monitor),
        complete: true,
    };
    for homes in homes {
        cover.with(flat, &lists, space.problem.placements(homes));
    }
    Some((cover.best, cover.complete))
}

struct Cover<'s, 'a> {
    space: &'s Space<'a>,
    best: Option<Candidate>,
    /// Combinations that may still be visited.
    left: u64,
    pace: Pace<'s>,
    complete: bool,
}

impl Cover<'_, '_> {
    /// All combinations with this placement of the data.
    fn with(&mut self, flat: &Problem, lists: &[Vec<Filled>], placements: Vec<Placement>) {
        let space = self.space;
        let problem = space.problem;
        let classes = node_classes(&problem.machine, &problem.apps, &placements, false);
        let of_flat = Evaluator::new(flat, placements.clone());
        let mut evaluator = Evaluator::new(problem, placements);
        let mut options: Vec<Vec<Filled>> = Vec::new();
        for (node, list) in lists.iter().enumerate() {
            let class = classes[node];
            if class < node {
                options.push(options[class].clone());
                continue;
            }
            let node = NodeId(node);
            let exact = evaluator.solver.threads_elsewhere_never_help();
            let most = if exact {
                alone(space, &evaluator, node, list)
            } else {
                through(space, &of_flat, node, list)
            };
            let with = |(filled, most): (&Filled, Vec<f64>)| Filled { most, ..filled.clone() };
            let found: Vec<Filled> = list.iter().zip(most).map(with).collect();
            options.push(if exact { foremost(space, found) } else { found });
        }
        let apps = space.apps;
        // The upper bounds and the most threads of all nodes from one on.
        let mut later = vec![(vec![0.0; apps], vec![0_u32; apps])];
        for list in options.iter().rev() {
            let (mut most, mut threads) = later.last().cloned().unwrap_or_default();
            for a in 0..apps {
                most[a] += list.iter().map(|filled| filled.most[a]).fold(0.0, f64::max);
                threads[a] += list.iter().map(|filled| filled.totals[a]).max().unwrap_or(0);
            }
            later.push((most, threads));
        }
        later.reverse();
        let mut walk = Walk {
            cover: self,
            evaluator: &mut evaluator,
            options: &options,
            classes: &classes,
            later: &later,
            chosen: Vec::new(),
            threads: space.empty(),
        };
        walk.from(&vec![0.0; apps], &vec![0; apps]);
    }
}

/// Visits all combinations, node by node.
struct Walk<'w, 's, 'a, 'e> {
    cover: &'w mut Cover<'s, 'a>,
    evaluator: &'w mut Evaluator<'e>,
    options: &'w [Vec<Filled>],
    classes: &'w [usize],
    later: &'w [(Vec<f64>, Vec<u32>)],
    chosen: Vec<usize>,
    threads: Threads,
}

impl Walk<'_, '_, '_, '_> {
    /// `got` and `totals`: of the nodes before.
    fn from(&mut self, got: &[f64], totals: &[u32]) {
        let (space, node) = (self.cover.space, self.chosen.len());
        let problem = space.problem;
        let Some(list) = self.options.get(node) else { return self.look() };
        // Equal nodes have their options in order.
        let twin = (0..node).rev().find(|&other| self.classes[other] == self.classes[node]);
        let first = twin.map_or(0, |twin| self.chosen[twin]);
        let (later, more) = &self.later[node + 1];
        let mut sums = vec![0.0; space.apps];
        for (number, filled) in list.iter().enumerate().skip(first) {
            if self.cover.left == 0 || self.cover.pace.stops_after(space.apps as u64) {
                self.cover.complete = false;
                return;
            }
            self.cover.left -= 1;
            for (a, sum) in sums.iter_mut().enumerate() {
                *sum = got[a] + filled.most[a] + later[a];
            }
            let within = problem.apps.iter().enumerate().all(|(a, app)| {
                let total = totals[a] + filled.totals[a];
                total + more[a] >= app.min_threads && app.max_threads.is_none_or(|max| total <= max)
            });
            let beaten = |best: &Candidate| problem.goal.score(&sums) <= best.score + margin(best.score);
            if !within || self.cover.best.as_ref().is_some_and(beaten) {
                continue;
            }
            for (position, &threads) in filled.threads.iter().enumerate() {
                let at = space.at(position % space.apps, (node, position / space.apps));
                self.threads[at] = threads;
            }
            let got: Vec<f64> = got.iter().zip(&filled.most).map(|(got, most)| got + most).collect();
            let totals: Vec<u32> = totals.iter().zip(&filled.totals).map(|(a, b)| a + b).collect();
            self.chosen.push(number);
            self.from(&got, &totals);
            self.chosen.pop();
        }
    }

    /// Rates a whole allocation.
    fn look(&mut self) {
        let space = self.cover.space;
        self.cover.left = self.cover.left.saturating_sub(PER_EVALUATION);
        self.cover.pace.stops_after(space.problem.evaluation_cost());
        if space.broken(&self.threads) > 0 {
            return;
        }
        let rated = space.rate(self.evaluator, &self.threads);
        let better =
            self.cover.best.as_ref().is_none_or(|best| rated.score > best.score + margin(best.score));
        if better && rated.excess <= 0.0 {
            self.cover.best = space.candidate(self.evaluator, &self.threads).or(self.cover.best.take());
        }
    }
}

/// All ways to fill the domains of a node, equal domains in order; `None` if there are too many.
fn options(space: &Space<'_>, node: NodeId) -> Option<Vec<Filled>> {
    let problem = space.problem;
    let apps = space.apps;
    let own = problem.machine.node(node);
    let nothing = Filled { threads: Vec::new(), totals: vec![0; apps], most: Vec::new() };
    if own.cores == 0 {
        return Some(vec![nothing]);
    }
    let mut contents: Vec<Vec<u32>> = vec![Vec::new()];
    for app in &problem.apps {
        let numbers: Vec<u32> = match app.placing.per_l3 {
            _ if !may_hold(app, node) => vec![0],
            Some(each) => vec![0, each.get()],
            None => (0..=own.domain_cores()).collect(),
        };
        let longer = |content: &Vec<u32>| {
            let used: u32 = content.iter().sum();
            let taken = problem.restrictions.whole_l3 && used > 0;
            let fits = move |&&number: &&u32| used + number <= own.domain_cores() && !(taken && number > 0);
            let longer = |&number: &u32| content.iter().copied().chain([number]).collect::<Vec<u32>>();
            numbers.iter().filter(fits).map(longer).collect::<Vec<_>>()
        };
        contents = contents.iter().flat_map(longer).collect();
        if contents.len() > MOST_CONTENTS {
            return None;
        }
    }
    if problem.restrictions.no_idle_cores {
        contents.retain(|content| content.iter().sum::<u32>() == own.domain_cores());
    }
    let (listed, domains) = (contents.len() as f64, own.domains());
    let ways = (0..domains).fold(1.0, |ways, k| ways * (listed + k as f64) / (k as f64 + 1.0));
    if ways > MOST_OPTIONS {
        return None;
    }
    // Pairs the index of the last contents with the result.
    let mut found: Vec<(usize, Filled)> = vec![(0, nothing)];
    for _ in 0..domains {
        let longer = |(least, filled): &(usize, Filled)| {
            let with = |(number, content): (usize, &Vec<u32>)| {
                let threads = [filled.threads.as_slice(), content].concat();
                let totals = filled.totals.iter().zip(content).map(|(a, b)| a + b).collect();
                (number, Filled { threads, totals, most: Vec::new() })
            };
            contents.iter().enumerate().skip(*least).map(with).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    let allowed = |filled: &Filled| {
        let totals = filled.totals.iter().copied();
        problem.restrictions.on_node(&problem.machine, &problem.apps, node, totals).is_ok()
    };
    Some(found.into_iter().map(|(_, filled)| filled).filter(allowed).collect())
}

/// GFLOPS of each application on a node with all other nodes empty.
fn alone(space: &Space<'_>, evaluator: &Evaluator<'_>, node: NodeId, list: &[Filled]) -> Vec<Vec<f64>> {
    let mut workspace: Workspace = evaluator.solver.workspace();
    let mut threads = space.empty();
    let limited = space.problem.machine.has_limited_domains();
    let of = |filled: &Filled| {
        for (position, &number) in filled.threads.iter().enumerate() {
            threads[space.at(position % space.apps, (node.0, position / space.apps))] = number;
        }
        if limited {
            evaluator.solver.solve_changes(&threads, &mut workspace);
        } else {
            evaluator.solver.solve_changes(&space.by_node(&threads), &mut workspace);
        }
        workspace.gflops().to_vec()
    };
    list.iter().map(of).collect()
}

/// GFLOPS of each application on a node under any sharing.
fn through(space: &Space<'_>, of_flat: &Evaluator<'_>, node: NodeId, list: &[Filled]) -> Vec<Vec<f64>> {
    let problem = space.problem;
    let ceilings = ceilings(of_flat.problem, of_flat, node);
    let limit = problem.machine.node(node).l3_bandwidth.map_or(f64::INFINITY, GigabytesPerSecond::value);
    let of_app = |filled: &Filled, a: usize| {
        let intensity = problem.apps[a].arithmetic_intensity.value();
        let of_domain = limit / of_flat.solver.occupied_in_all(AppId(a), node) * intensity;
        let threads = filled.threads.iter().skip(a).step_by(space.apps);
        let sum: f64 =
            threads.map(|&threads| (f64::from(threads) * ceilings[a].per_thread).min(of_domain)).sum();
        sum.min(ceilings[a].together)
    };
    list.iter().map(|filled| (0..space.apps).map(|a| of_app(filled, a)).collect()).collect()
}

/// The options that no other one dominates with the same threads on the node, in the same number of domains, and at least the same for
/// every application; the largest totals first. Nodes are independent, or domains do not matter.
fn foremost(space: &Space<'_>, options: Vec<Filled>) -> Vec<Filled> {
    let key = |filled: &Filled| -> Vec<u32> {
        let domains = (0..space.apps).map(|a| {
            let used = filled.threads.iter().skip(a).step_by(space.apps).filter(|&&threads| threads > 0);
            u32::try_from(used.count()).unwrap_or(u32::MAX)
        });
        filled.totals.iter().copied().chain(domains).collect()
    };
    let counts = space.problem.apps.iter().any(|app| app.placing.max_l3.is_some());
    let mut kept: Vec<Filled> = Vec::new();
    let mut by_key: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    let mut sorted = options;
    let sum = |filled: &Filled| filled.most.iter().sum::<f64>();
    sorted.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    for filled in sorted {
        let mut key = key(&filled);
        key.truncate(if counts { key.len() } else { space.apps });
        let same = by_key.entry(key).or_default();
        let below = |&other: &usize| kept[other].most.iter().zip(&filled.most).all(|(a, b)| a >= b);
        if !same.iter().any(below) {
            same.push(kept.len());
            kept.push(filled);
        }
    }
    kept
}
