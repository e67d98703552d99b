//! Every allocation of a small space: the front that is found so is complete.
//!
//! Equal nodes get their contents in order, and equal instances with the same home their rows: the smallest matrix
//! among those that exchanges turn into each other has both its rows and its columns in lexicographic order
//! (Flener et al., "Breaking row and column symmetries in matrix models", CP 2002).

use crate::parallel::prelude::*;
use numasim_model::{Allocation, AppId, NodeId, Placement};

use super::archive::Archive;
use super::rate::{Pair, Rater};
use crate::search::Monitor;
use crate::symmetry::{app_classes, home_vectors, node_classes};

/// Most sets of open homes.
const MAX_HOMES: usize = 512;
/// Parts of the space that are worked on at the same time.
const PARTS: usize = 256;

/// A space that is small enough, laid out.
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

/// Nodes that get the same content, and what they may get.
struct Site {
    nodes: Vec<NodeId>,
    /// Contents in lexicographic order, each one count per application.
    contents: Vec<Vec<u32>>,
    /// The site before is an equal one: its content must not be larger.
    follows_equal: bool,
}

impl<'a> Everything<'a> {
    /// Lays out the space, or `None` if it has more than `most` allocations; those that only exchange equal nodes count
    /// once.
    pub(super) fn new(pair: Pair<'a>, most: u64) -> Option<Self> {
        let problem = pair.problem;
        let fixed: Vec<Placement> =
            problem.apps.iter().filter_map(|app| app.data.placement().cloned()).collect();
        let same_apps = app_classes(&problem.apps);
        let homes = home_vectors(
            &problem.open_apps(),
            &same_apps,
            &node_classes(&problem.machine, &fixed, fixed.len() < problem.apps.len()),
            MAX_HOMES,
        )?;
        let mut size = 0_u64;
        let mut spaces = Vec::new();
        for homes in homes {
            let placements = problem.placements(&homes);
            let sites = sites(&pair, &placements, most)?;
            size = size.checked_add(count(&sites)?).filter(|&size| size <= most)?;
            let twin_of =
                |b: usize| (0..b).rfind(|&a| same_apps[a] == same_apps[b] && placements[a] == placements[b]);
            let twins =
                (0..problem.apps.len()).filter_map(|b| Some((AppId(twin_of(b)?), AppId(b)))).collect();
            spaces.push(Space { placements, sites, twins });
        }
        Some(Self { pair, spaces })
    }

    /// Offers every allocation to `archive`; false if `monitor` stopped it. Adds to `compared` what was evaluated.
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
        let parts: Vec<(Archive, u64, bool)> = indices
            .par_chunks(indices.len().div_ceil(PARTS).max(1))
            .map(|firsts| {
                let problem = self.pair.problem;
                let mut walk = Walk {
                    pair: self.pair,
                    space,
                    rater: self.pair.rater(space.placements.clone()),
                    allocation: Allocation::empty(problem.apps.len(), problem.machine.node_count()),
                    found: archive.clone(),
                    compared: 0,
                    monitor,
                };
                let complete = firsts.iter().all(|&content| walk.put(0, content));
                (walk.found, walk.compared, complete)
            })
            .collect();
        let mut complete = true;
        for (found, number, all) in parts {
            archive.merge(found);
            *compared += number;
            complete &= all;
        }
        complete
    }
}

struct Walk<'w> {
    pair: Pair<'w>,
    space: &'w Space,
    rater: Rater<'w>,
    allocation: Allocation,
    found: Archive,
    compared: u64,
    monitor: &'w dyn Monitor,
}

impl Walk<'_> {
    /// Fills `site` with `content` and all later sites with everything; false if it was stopped.
    fn put(&mut self, site: usize, content: usize) -> bool {
        let here = &self.space.sites[site];
        for &node in &here.nodes {
            for (a, &threads) in here.contents[content].iter().enumerate() {
                self.allocation.set(AppId(a), node, threads);
            }
        }
        let Some(next) = self.space.sites.get(site + 1) else { return self.visit() };
        let from = if next.follows_equal { content } else { 0 };
        (from..next.contents.len()).all(|content| self.put(site + 1, content))
    }

    fn visit(&mut self) -> bool {
        const CLOCK: u64 = 1024;
        let allocation = &self.allocation;
        let in_range = self.pair.problem.apps.iter().enumerate().all(|(a, app)| {
            let total = allocation.total(AppId(a));
            total >= u64::from(app.min_threads) && app.max_threads.is_none_or(|max| total <= u64::from(max))
        });
        let row = |app: AppId| {
            let sites = self.space.sites.iter().filter_map(|site| site.nodes.first());
            sites.map(move |&node| allocation.get(app, node))
        };
        if !in_range || !self.space.twins.iter().all(|&(a, b)| row(a).le(row(b))) {
            return true;
        }
        let scores = self.rater.scores(allocation);
        self.compared += 1;
        if self.pair.counts(scores) && !self.found.beats(scores) {
            // Contents keep to all restrictions on a node; this is the last word on those over nodes.
            if self.pair.allows(allocation) {
                self.found.add(self.rater.entry(allocation, scores));
            }
        }
        !self.compared.is_multiple_of(CLOCK) || !self.monitor.stop()
    }
}

/// The sites in an order in which equal ones follow each other, or `None` with too many contents.
fn sites(pair: &Pair, placements: &[Placement], most: u64) -> Option<Vec<Site>> {
    let machine = &pair.problem.machine;
    let classes = node_classes(machine, placements, false);
    let mut groups = pair.sites();
    let class = |nodes: &[NodeId]| nodes.first().and_then(|node| classes.get(node.0)).copied();
    groups.sort_by_key(|nodes| class(nodes));
    let mut sites: Vec<Site> = Vec::with_capacity(groups.len());
    for nodes in groups {
        let cores = nodes.iter().map(|&node| machine.node(node).cores).min()?;
        let follows_equal = sites.last().is_some_and(|last| class(&last.nodes) == class(&nodes));
        let contents = contents(pair, cores, most)?;
        sites.push(Site { nodes, contents, follows_equal });
    }
    Some(sites)
}

/// What a node with this many cores may hold, in lexicographic order; `None` if that is more than `most`.
fn contents(pair: &Pair, cores: u32, most: u64) -> Option<Vec<Vec<u32>>> {
    let (apps, restrictions) = (&pair.problem.apps, &pair.problem.restrictions);
    let mut partial: Vec<(Vec<u32>, u32)> = vec![(Vec::new(), cores)];
    for app in apps {
        let mut longer = Vec::new();
        for (content, free) in partial {
            let largest = app.max_threads.map_or(free, |max| free.min(max));
            let taken = restrictions.whole_nodes && content.iter().any(|&threads| threads > 0);
            let largest = if taken { 0 } else { largest };
            for threads in restrictions.min_threads_per_node..=largest {
                let mut next = content.clone();
                next.push(threads);
                longer.push((next, free - threads));
            }
            if longer.len() as u64 > most {
                return None;
            }
        }
        partial = longer;
    }
    let kept = partial.into_iter().filter(|(_, free)| !restrictions.no_idle_cores || *free == 0);
    Some(kept.map(|(content, _)| content).collect())
}

/// Allocations of a space: k equal sites with m contents each have C(m + k - 1, k).
fn count(sites: &[Site]) -> Option<u64> {
    let mut total = 1_u64;
    let mut equal = 0_u64;
    for site in sites {
        equal = if site.follows_equal { equal + 1 } else { 0 };
        let contents = site.contents.len() as u64;
        // C(m + k, k + 1) = C(m + k - 1, k) (m + k) / (k + 1), and the product of groups keeps it divisible.
        total = total.checked_mul(contents.checked_add(equal)?)? / (equal + 1);
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_nodes_are_counted_once() {
        let site = |follows_equal| Site { nodes: vec![], contents: vec![vec![]; 495], follows_equal };
        // C(498, 4) = 498 x 497 x 496 x 495 / 24
        assert_eq!(count(&[site(false), site(true), site(true), site(true)]), Some(2_531_986_380));
        assert_eq!(count(&[site(false), site(false)]), Some(495 * 495));
    }
}
