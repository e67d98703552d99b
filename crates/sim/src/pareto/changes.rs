//! The small changes of an allocation that lead to its neighbours.

use numasim_model::{Allocation, AppId};
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::rate::Pair;
use crate::sites::Sites;

/// A change of a few thread counts: (application, site, new threads).
pub(super) type Change = [(AppId, usize, u32)];

/// Receives a change; false: no more.
type Show<'s> = dyn FnMut(&Change) -> bool + 's;

/// Every change: threads more or less, handed to another application, moved to another node, traded between two nodes, and
/// two nodes with exchanged contents.
pub(super) struct Changes<'a> {
    pair: Pair<'a>,
    sites: Sites<'a>,
    apps: Vec<AppId>,
}

impl<'a> Changes<'a> {
    pub(super) fn new(pair: Pair<'a>) -> Self {
        let apps = (0..pair.problem.apps.len()).map(AppId).collect();
        Self { pair, sites: pair.sites(), apps }
    }

    /// About how many there are.
    pub(super) fn about(&self) -> u64 {
        let (sites, apps) = (self.sites.len() as u64, self.apps.len() as u64);
        let pairs = sites.saturating_mul(sites.saturating_sub(1)) / 2;
        let square = apps.saturating_mul(apps);
        sites.saturating_mul(4 * square).saturating_add(pairs.saturating_mul(2 * square + 1))
    }

    /// Shows all of them.
    pub(super) fn all(&self, of: &Allocation, show: &mut Show<'_>) {
        for site in 0..self.sites.len() {
            for &a in &self.apps {
                if !self.more_or_less(of, site, a, show) {
                    return;
                }
                for &b in self.apps.iter().filter(|&&b| b != a) {
                    if !self.handed_over(of, site, a, b, show) {
                        return;
                    }
                }
            }
            for other in site + 1..self.sites.len() {
                for &a in &self.apps {
                    if !self.moved(of, [site, other], a, show) {
                        return;
                    }
                    for &b in self.apps.iter().filter(|&&b| b != a) {
                        if !self.traded(of, [site, other], a, b, show) {
                            return;
                        }
                    }
                }
                if !self.exchanged(of, [site, other], show) {
                    return;
                }
            }
        }
    }

    /// Shows about `number` of them: applications and nodes are drawn by `random`.
    pub(super) fn some(&self, of: &Allocation, number: u64, random: &mut ChaCha8Rng, show: &mut Show<'_>) {
        let mut left = number;
        let mut show = |change: &Change| {
            left = left.saturating_sub(1);
            show(change) && left > 0
        };
        // What is drawn may have no change at all.
        for _ in 0..number {
            let mut app = || self.apps[random.random_range(0..self.apps.len())];
            let (a, b) = (app(), app());
            let mut site = || random.random_range(0..self.sites.len());
            let (here, there) = (site(), site());
            let go_on = match random.random_range(0..5_u32) {
                0 => self.more_or_less(of, here, a, &mut show),
                1 if a != b => self.handed_over(of, here, a, b, &mut show),
                2 if here != there => self.moved(of, [here, there], a, &mut show),
                3 if here != there && a != b => self.traded(of, [here, there], a, b, &mut show),
                4 if here != there => self.exchanged(of, [here, there], &mut show),
                _ => true,
            };
            if !go_on {
                return;
            }
        }
    }

    /// Makes a change.
    pub(super) fn make(&self, change: &Change, allocation: &mut Allocation) {
        for &(app, site, threads) in change {
            self.sites.set(allocation, app.0, site, threads);
        }
    }

    /// Makes what `change` touched as it is in `before`.
    pub(super) fn take_back(&self, change: &Change, before: &Allocation, allocation: &mut Allocation) {
        for &(app, site, _) in change {
            self.sites.take_back(before, allocation, app.0, site);
        }
    }

    /// Whether the cores suffice; quicker than asking for all restrictions.
    pub(super) fn fits(&self, change: &Change, changed: &Allocation) -> bool {
        let machine = &self.pair.problem.machine;
        let mut nodes = change.iter().flat_map(|&(_, site, _)| self.sites.nodes(site));
        nodes.all(|&node| changed.on_node(node) <= u64::from(machine.node(node).cores))
    }

    fn threads(&self, of: &Allocation, app: AppId, site: usize) -> u32 {
        self.sites.threads(of, app.0, site)
    }

    fn more_or_less(&self, of: &Allocation, site: usize, a: AppId, show: &mut Show<'_>) -> bool {
        let own = self.threads(of, a, site);
        [1, 4]
            .into_iter()
            .all(|step| show(&[(a, site, own + step)]) && (own < step || show(&[(a, site, own - step)])))
    }

    fn handed_over(&self, of: &Allocation, site: usize, a: AppId, b: AppId, show: &mut Show<'_>) -> bool {
        let (own, from) = (self.threads(of, a, site), self.threads(of, b, site));
        let mut steps = vec![1, 2, 5, from];
        steps.retain(|&moved| moved > 0 && moved <= from);
        steps.dedup();
        steps.into_iter().all(|moved| show(&[(a, site, own + moved), (b, site, from - moved)]))
    }

    fn moved(&self, of: &Allocation, [site, other]: [usize; 2], a: AppId, show: &mut Show<'_>) -> bool {
        let (here, there) = (self.threads(of, a, site), self.threads(of, a, other));
        (here == 0 || show(&[(a, site, here - 1), (a, other, there + 1)]))
            && (there == 0 || show(&[(a, site, here + 1), (a, other, there - 1)]))
    }

    fn traded(
        &self,
        of: &Allocation,
        [site, other]: [usize; 2],
        a: AppId,
        b: AppId,
        show: &mut Show<'_>,
    ) -> bool {
        let (here, there) = (self.threads(of, a, site), self.threads(of, a, other));
        let (b_here, b_there) = (self.threads(of, b, site), self.threads(of, b, other));
        let most = here.min(b_there);
        [1, most].into_iter().take(if most > 1 { 2 } else { 1 }).filter(|&moved| moved <= most).all(|moved| {
            show(&[
                (a, site, here - moved),
                (a, other, there + moved),
                (b, site, b_here + moved),
                (b, other, b_there - moved),
            ])
        })
    }

    fn exchanged(&self, of: &Allocation, [site, other]: [usize; 2], show: &mut Show<'_>) -> bool {
        let exchanged: Vec<_> = self
            .apps
            .iter()
            .flat_map(|&a| [(a, site, self.threads(of, a, other)), (a, other, self.threads(of, a, site))])
            .collect();
        show(&exchanged)
    }
}
