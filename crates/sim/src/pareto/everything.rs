//! Compares every allocation of a small space, so that the front is complete.
//!
//! Equal nodes get their contents in order, and equal instances with the same home get their rows in order. The smallest matrix among those
//! that exchanges turn into each other has both its rows and its columns in lexicographic order (Flener et al., "Breaking row and column
//! symmetries in matrix models", CP 2002).

use std::collections::HashMap;
use std::sync::Arc;

use crate::parallel;
use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::archive::Archive;
use super::archive::{Pair, Rater};
use super::contents::{Contents, Shape, number, shape};
use crate::contents::Sites;
use crate::memory::fixed_data_fits;
use crate::monitor::Monitor;
use crate::open_data::OpenChoices;
use crate::symmetry::{app_classes, node_classes};

/// Maximum number of sets of open homes.
const MAX_HOMES: usize = 512;
/// Number of parts of the space.
const PARTS: usize = 256;
/// Number of parts that run at the same time.
const TOGETHER: usize = 32;

/// A space that is small enough, prepared.
pub(super) struct Everything<'a> {
    pair: Pair<'a>,
    spaces: Vec<Space>,
}

/// All allocations for one set of decided homes.
struct Space {
    placements: Vec<Placement>,
    sites: Vec<Site>,
    /// Pairs of applications whose rows must be in order.
    twins: Vec<(AppId, AppId)>,
}

/// Nodes that get the same content, and their possible contents.
struct Site {
    /// Its number in [`Sites`].
    number: usize,
    nodes: Vec<NodeId>,
    shape: Shape,
    contents: Arc<Contents>,
    /// The previous site is equal: its content must not be larger.
    follows_equal: bool,
}

impl<'a> Everything<'a> {
    /// Prepares the space. `None` if it has more than `most` allocations; those that only exchange equal nodes count once.
    ///
    /// The allocations are counted before any content of a node is listed, and sites with the same number of cores share one list.
    pub(super) fn new(pair: Pair<'a>, most: u64) -> Option<Self> {
        let problem = pair.problem;
        let same_apps = app_classes(&problem.machine, &problem.apps);
        let homes = OpenChoices::new(&problem.machine, &problem.apps).all(MAX_HOMES)?;
        let mut numbers: HashMap<Shape, Option<u64>> = HashMap::new();
        let mut size = 0_u64;
        let mut spaces = Vec::new();
        for homes in homes {
            let placements = problem.placements(&homes);
            if !fixed_data_fits(&problem.machine, &problem.apps, &placements) {
                continue;
            }
            let sites = sites(&pair, &placements);
            let mut number_of = |site: &Site| {
                *numbers.entry(site.shape.clone()).or_insert_with(|| number(problem, &site.nodes, most))
            };
            let numbers: Option<Vec<(u64, bool)>> =
                sites.iter().map(|site| Some((number_of(site)?, site.follows_equal))).collect();
            size = size.checked_add(count(numbers?)?).filter(|&size| size <= most)?;
            let twin_of =
                |b: usize| (0..b).rfind(|&a| same_apps[a] == same_apps[b] && placements[a] == placements[b]);
            let twins =
                (0..problem.apps.len()).filter_map(|b| Some((AppId(twin_of(b)?), AppId(b)))).collect();
            spaces.push(Space { placements, sites, twins });
        }
        let mut listed: HashMap<Shape, Arc<Contents>> = HashMap::new();
        for site in spaces.iter_mut().flat_map(|space| &mut space.sites) {
            let list = || Arc::new(Contents::list(problem, &site.nodes));
            site.contents = Arc::clone(listed.entry(site.shape.clone()).or_insert_with(list));
        }
        Some(Self { pair, spaces })
    }

    /// Offers every allocation to `archive`; false if `monitor` stopped it. Adds the number of evaluations to `compared`.
    pub(super) fn offer(&self, archive: &mut Archive, compared: &mut u64, monitor: &dyn Monitor) -> bool {
        self.spaces.iter().all(|space| self.offer_space(space, archive, compared, monitor))
    }

    fn offer_space(
        &self,
        space: &Space,
        archive: &mut Archive,
        compared: &mut u64,
        monitor: &dyn Monitor,
    ) -> bool {
        let Some(first) = space.sites.first() else { return true };
        let indices: Vec<usize> = (0..first.contents.len()).collect();
        let parts: Vec<&[usize]> = indices.chunks(indices.len().div_ceil(PARTS).max(1)).collect();
        let mut complete = true;
        // Results are merged from time to time, so that few of them wait at the same time.
        for parts in parts.chunks(TOGETHER) {
            let found: Vec<(Archive, u64, bool)> = parallel::map(parts, |firsts| {
                let mut walk = Walk::new(self.pair, space, archive.clone(), monitor);
                let complete = firsts.iter().all(|&content| walk.put(0, content));
                (walk.found, walk.compared, complete)
            });
            for (found, number, all) in found {
                archive.merge(found);
                *compared += number;
                complete &= all;
            }
            if !complete {
                break;
            }
        }
        complete
    }
}

struct Walk<'w> {
    pair: Pair<'w>,
    space: &'w Space,
    sites: Sites<'w>,
    rater: Rater<'w>,
    allocation: Allocation,
    found: Archive,
    compared: u64,
    monitor: &'w dyn Monitor,
    /// Number of evaluations between two calls of the monitor.
    clock: u64,
}

impl<'w> Walk<'w> {
    fn new(pair: Pair<'w>, space: &'w Space, found: Archive, monitor: &'w dyn Monitor) -> Self {
        let (apps, nodes) = (pair.problem.apps.len(), pair.problem.machine.node_count());
        Self {
            pair,
            space,
            sites: pair.sites(),
            rater: pair.rater(space.placements.clone()),
            allocation: Allocation::empty(apps, nodes),
            found,
            compared: 0,
            monitor,
            clock: pair.clock(),
        }
    }

    /// Fills `site` with `content` and all later sites with every content; false if it was stopped.
    fn put(&mut self, site: usize, content: usize) -> bool {
        let here = &self.space.sites[site];
        for (a, &threads) in here.contents.get(content).iter().enumerate() {
            self.sites.set(&mut self.allocation, a, here.number, threads);
        }
        let Some(next) = self.space.sites.get(site + 1) else { return self.visit() };
        let from = if next.follows_equal { content } else { 0 };
        (from..next.contents.len()).all(|content| self.put(site + 1, content))
    }

    fn visit(&mut self) -> bool {
        let (allocation, sites, groups) = (&self.allocation, &self.space.sites, &self.sites);
        let in_range = self.pair.problem.apps.iter().enumerate().all(|(a, app)| {
            let total = allocation.total(AppId(a));
            total >= u64::from(app.min_threads) && app.max_threads.is_none_or(|max| total <= u64::from(max))
        });
        let row = |app: AppId| sites.iter().map(move |site| groups.threads(allocation, app.0, site.number));
        if !in_range || !self.space.twins.iter().all(|&(a, b)| row(a).le(row(b))) {
            return true;
        }
        let scores = self.rater.scores(allocation);
        self.compared += 1;
        if self.pair.counts(scores) && !self.found.beats(scores) {
            // Contents satisfy all constraints on a node; this checks those across nodes.
            if self.rater.allows(allocation) {
                self.found.add(self.rater.entry(allocation, scores));
            }
        }
        !self.compared.is_multiple_of(self.clock) || !self.monitor.stop()
    }
}

/// The sites in an order in which equal ones are adjacent; their contents are not listed yet.
fn sites(pair: &Pair, placements: &[Placement]) -> Vec<Site> {
    let machine = &pair.problem.machine;
    let classes = node_classes(machine, &pair.problem.apps, placements, false);
    let groups = pair.sites();
    let class = |nodes: &[NodeId]| nodes.first().and_then(|node| classes.get(node.0)).copied();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|&site| class(groups.nodes(site)));
    let none = Arc::new(Contents::default());
    let mut sites: Vec<Site> = Vec::with_capacity(groups.len());
    for site in order {
        let nodes = groups.nodes(site).to_vec();
        let follows_equal = sites.last().is_some_and(|last| class(&last.nodes) == class(&nodes));
        let shape = shape(pair.problem, &nodes);
        sites.push(Site { number: site, nodes, shape, contents: Arc::clone(&none), follows_equal });
    }
    sites
}

/// Allocations of a space, from the number of contents of each site and whether it follows an equal one: k equal sites
/// with m contents each have C(m + k - 1, k).
fn count(sites: Vec<(u64, bool)>) -> Option<u64> {
    let mut total = 1_u64;
    let mut equal = 0_u64;
    for (contents, follows_equal) in sites {
        equal = if follows_equal { equal + 1 } else { 0 };
        // C(m + k, k + 1) = C(m + k - 1, k) (m + k) / (k + 1), and the product of groups keeps it divisible.
        total = total.checked_mul(contents.checked_add(equal)?)? / (equal + 1);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{local_app, uniform_machine};
    use crate::{Objective, Restrictions, pareto::TradeOff};

    #[test]
    fn equal_nodes_are_counted_once() {
        let site = |follows_equal| (495, follows_equal);
        // C(498, 4) = 498 x 497 x 496 x 495 / 24
        assert_eq!(count(vec![site(false), site(true), site(true), site(true)]), Some(2_531_986_380));
        assert_eq!(count(vec![site(false), site(false)]), Some(495 * 495));
    }

    #[test]
    fn equal_sites_share_one_list() {
        let machine = uniform_machine(3, 2, 10.0, 20.0, 1.0);
        let apps = [local_app("a", 1.0), local_app("b", 2.0)];
        let pair = [Objective::TotalGflops, Objective::Fair];
        let question = TradeOff::new(&machine, &apps, pair, Restrictions::default()).expect("two objectives");
        // 6 contents of a node: C(8, 3) = 56 allocations
        let everything = Everything::new(question.pair(), 56).expect("small enough");
        let sites = &everything.spaces[0].sites;
        assert_eq!(sites.iter().map(|site| site.contents.len()).collect::<Vec<_>>(), [6; 3]);
        assert!(sites.iter().all(|site| Arc::ptr_eq(&site.contents, &sites[0].contents)));
        assert!(Everything::new(question.pair(), 55).is_none());
    }
}
