//! Fewer options: those that no allocation above a cutoff contains are removed permanently, those that earn little temporarily.
//!
//! At any prices, take an allocation with option o on a node of class c. Its score is at most the bound minus the difference between the
//! best option of the class and o (fixing by reduced costs; Dantzig, Fulkerson and Johnson 1954). If that is not above the cutoff, no
//! wanted allocation contains o. On large nodes hardly any option is left when a part of the space is nearly closed, and every further
//! bound of the part prices only those few.
//!
//! Prices that are good for the options that earn most are good prices for all of them, and any prices give a bound. So they are determined
//! with few options, and all options are priced once at the end (partial pricing; Dantzig and Wolfe 1960).

use std::sync::Arc;

use crate::parallel;
use crate::search::dual::bound::{CHUNK, best_option};
use crate::search::dual::relaxation::{Class, Relaxation};
use crate::search::dual::{Earnings, Improved, Prices, Ranges};

/// Below this number of options, a shorter list saves no time.
const FEWEST: usize = 512;
/// Above this number of options, prices are determined with few of them.
const MANY: usize = 8192;
/// Number of options of each class among these few.
const FOREMOST: usize = 1024;

/// A relaxation with some of the options of another one: its bounds do not hold for the other one.
pub(in crate::search) struct Few<'a> {
    relaxation: Relaxation<'a>,
    /// Per class, the numbers of its options in the other one, ascending.
    kept: Vec<Vec<usize>>,
}

impl<'a> Few<'a> {
    /// `kept`: per class the numbers of options, ascending.
    pub(in crate::search) fn new(all: &Relaxation<'a>, kept: Vec<Vec<usize>>) -> Self {
        let classes = all
            .classes
            .iter()
            .zip(&kept)
            .map(|(class, kept)| Class { table: Arc::new(class.table.only(kept)), ..class.clone() });
        let relaxation = Relaxation {
            problem: all.problem,
            limits: all.limits,
            classes: classes.collect(),
            shared_bandwidth: all.shared_bandwidth.clone(),
            watched: all.watched.clone(),
            mean_wait: all.mean_wait.clone(),
            exact: all.exact,
            total_cores: all.total_cores,
            monitor: all.monitor,
        };
        Self { relaxation, kept }
    }

    /// The relaxation with these options.
    pub(in crate::search) const fn relaxation(&self) -> &Relaxation<'a> {
        &self.relaxation
    }

    /// Prices and cuts of all options in the numbering of these.
    pub(in crate::search) fn here(&self, of_all: &Improved) -> Improved {
        let number = |&(class, option): &(usize, usize)| {
            Some((class, self.kept.get(class)?.binary_search(&option).ok()?))
        };
        Improved { cuts: of_all.cuts.iter().filter_map(number).collect(), ..of_all.clone() }
    }

    /// Prices and cuts of these options in the numbering of all.
    pub(in crate::search) fn there(&self, of_few: &Improved) -> Improved {
        let number = |&(class, option): &(usize, usize)| Some((class, *self.kept.get(class)?.get(option)?));
        Improved { cuts: of_few.cuts.iter().filter_map(number).collect(), ..of_few.clone() }
    }

    /// These options and others of the same relaxation `all`.
    fn and(self, all: &Relaxation<'a>, others: &[Vec<usize>]) -> Self {
        let kept = self.kept.into_iter().zip(others).map(|(mut kept, others)| {
            kept.extend(others);
            kept.sort_unstable();
            kept.dedup();
            kept
        });
        Self::new(all, kept.collect())
    }
}

impl<'a> Relaxation<'a> {
    /// The relaxation without options that cannot lead above `cutoff` within `ranges`, and `improved` in its numbering of options.
    ///
    /// `None` if more than three quarters are left, or if there are few to begin with.
    pub(in crate::search) fn above(
        &self,
        improved: &Improved,
        ranges: &Ranges,
        cutoff: f64,
    ) -> Option<(Self, Improved)> {
        if self.options() < FEWEST || !self.is_listed() {
            return None;
        }
        self.leading_above(improved, ranges, cutoff)
    }

    fn leading_above(&self, improved: &Improved, ranges: &Ranges, cutoff: f64) -> Option<(Self, Improved)> {
        let earnings: Vec<Earnings> =
            (0..self.classes.len()).map(|c| self.earnings(c, &improved.prices, ranges)).collect();
        let top = |(class, earnings): (&Class, &Earnings)| {
            best_option(&class.table, earnings).map_or(f64::NEG_INFINITY, |(_, top)| top)
        };
        let tops: Vec<f64> = self.classes.iter().zip(&earnings).map(top).collect();
        let nodes = |c: usize| self.classes[c].nodes.len() as f64;
        let bound = self.constant(&improved.prices, ranges)
            + tops.iter().enumerate().map(|(c, top)| nodes(c) * top).sum::<f64>();
        let leads = |c: usize, option: usize| {
            let table = &self.classes[c].table;
            let leads = |earned: f64| bound - tops[c] + earned > cutoff;
            leads(earnings[c].nearly(table, option)) && leads(earnings[c].of(table, option))
        };
        let leading: Vec<Vec<bool>> =
            (0..self.classes.len()).map(|c| self.of_each_option(c, |option| leads(c, option))).collect();
        self.only_where(improved, |c, option| leading[c][option])
    }

    /// The relaxation without options that have more threads than `ranges` allow for an application, or fewer than it needs there.
    ///
    /// Prices only see sums of threads, and to them a hundredth of an option with a hundred threads is one thread.
    pub(in crate::search) fn within(&self, improved: &Improved, ranges: &Ranges) -> Option<(Self, Improved)> {
        let apps = self.problem.apps.len();
        if !self.is_listed() {
            return None;
        }
        let tight = ranges.tightened(apps);
        // Per class and application the fewest and most threads on one of its nodes.
        let limits = |c: usize, a: usize| {
            let own = apps * (1 + c) + a;
            // Of several equal nodes one may have none.
            (if self.classes[c].nodes.len() == 1 { tight.lowest[own] } else { 0 }, tight.highest[own])
        };
        let limits: Vec<Vec<(u32, u32)>> =
            (0..self.classes.len()).map(|c| (0..apps).map(|a| limits(c, a)).collect()).collect();
        self.only_where(improved, |c, option| {
            let counts = self.classes[c].table.counts(option).iter();
            counts.zip(&limits[c]).all(|(&threads, &(least, most))| (least..=most).contains(&threads))
        })
    }

    /// With the options that are `wanted`, and `improved` in their numbering; `None` if that is more than three quarters.
    pub(super) fn only_where(
        &self,
        improved: &Improved,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> Option<(Self, Improved)> {
        let of = |c: usize| (0..self.classes[c].table.len()).filter(|&option| wanted(c, option)).collect();
        let kept: Vec<Vec<usize>> = (0..self.classes.len()).map(of).collect();
        if 4 * kept.iter().map(Vec::len).sum::<usize>() > 3 * self.options() {
            return None;
        }
        let less = Few::new(self, kept);
        let improved = less.here(improved);
        Some((less.relaxation, improved))
    }

    /// The options that earn most at these prices, and those that shape the bound; `None` if there are few options.
    pub(in crate::search) fn foremost(&self, improved: &Improved, ranges: &Ranges) -> Option<Few<'a>> {
        if self.options() <= MANY || !self.is_listed() {
            return None;
        }
        let mut kept = self.earning_most(&improved.prices, ranges, FOREMOST);
        for &(class, option) in &improved.cuts {
            if let Some(kept) = kept.get_mut(class) {
                kept.push(option);
            }
        }
        for kept in &mut kept {
            kept.sort_unstable();
            kept.dedup();
        }
        Some(Few::new(self, kept))
    }

    /// `few` and the options that earn most at these prices.
    pub(in crate::search) fn with_foremost(&self, few: Few<'a>, prices: &Prices, ranges: &Ranges) -> Few<'a> {
        few.and(self, &self.earning_most(prices, ranges, FOREMOST))
    }

    /// Number of options of all classes together.
    pub(in crate::search) fn options(&self) -> usize {
        self.classes.iter().map(|class| class.table.len()).sum()
    }

    /// Whether its options are listed, and not corners.
    pub(in crate::search) fn is_listed(&self) -> bool {
        self.classes.iter().all(|class| class.table.as_corners().is_none())
    }

    /// The approximate earnings of each option of each class.
    fn nearly_earned(&self, prices: &Prices, ranges: &Ranges) -> Vec<Vec<f64>> {
        let of = |c: usize| {
            let earnings = self.earnings(c, prices, ranges);
            self.of_each_option(c, |option| earnings.nearly(&self.classes[c].table, option))
        };
        (0..self.classes.len()).map(of).collect()
    }

    fn of_each_option<T: Clone + Send>(&self, class: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
        let all = self.classes[class].table.len();
        let chunk = |first: usize| (first..(first + CHUNK).min(all)).map(&of).collect();
        let chunks: Vec<Vec<T>> = parallel::map((0..all).step_by(CHUNK), chunk);
        chunks.concat()
    }

    /// This number of options of each class with the largest approximate earnings; in a tie, the first.
    fn earning_most(&self, prices: &Prices, ranges: &Ranges, most: usize) -> Vec<Vec<usize>> {
        let of = |earned: Vec<f64>| {
            let mut options: Vec<usize> = (0..earned.len()).collect();
            if options.len() > most {
                let first = |&a: &usize, &b: &usize| earned[b].total_cmp(&earned[a]).then(a.cmp(&b));
                options.select_nth_unstable_by(most, first);
                options.truncate(most);
            }
            options
        };
        self.nearly_earned(prices, ranges).into_iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::objective::Objective;
    use crate::search::dual::Effort;
    use crate::search::testing::{question, relaxation};

    #[test]
    fn options_that_cannot_beat_the_cutoff_are_removed() {
        // Without prices of threads (0,2), (1,1) earn 20 on each of 2 nodes, (2,0) 16, (0,1) and (1,0) 10, (0,0) 0; the bound is 40. Above
        // 35 no allocation contains an option that earns 15 or less: three are left.
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (start, everything) = (relaxation.start(), relaxation.everything());
        let (less, _) = relaxation.leading_above(&start, &everything, 35.0).expect("fewer");
        let table = &less.classes[0].table;
        let mut counts: Vec<&[u32]> = (0..table.len()).map(|option| table.counts(option)).collect();
        counts.sort_unstable();
        assert_eq!(counts, [&[0, 2], &[1, 1], &[2, 0]]);
        // Above 39 only the two best.
        assert_eq!(
            relaxation.leading_above(&start, &everything, 39.0).map(|(less, _)| less.options()),
            Some(2)
        );
        assert!(relaxation.leading_above(&start, &everything, 0.0).is_none(), "everything can");
    }

    #[test]
    fn options_outside_a_range_of_threads_are_removed() {
        // At most one thread of `mem` on the machine, none of `cpu` on the nodes of the class: (0,0), (1,0).
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let mut ranges = relaxation.everything();
        ranges.highest[0] = 1;
        ranges.highest[3] = 0;
        let (less, _) = relaxation.within(&relaxation.start(), &ranges).expect("fewer");
        assert_eq!(less.options(), 2);
        // One node that needs two threads of `mem`, and none of `cpu`: (2,0) alone.
        let problem = question(1, Objective::TotalGflops);
        let relaxation = crate::search::testing::relaxation(&problem);
        let mut ranges = relaxation.everything();
        (ranges.lowest[0], ranges.lowest[1]) = (2, 0);
        let (less, _) = relaxation.within(&relaxation.start(), &ranges).expect("fewer");
        assert_eq!((less.options(), less.classes[0].table.counts(0)), (1, &[2, 0][..]));
    }

    #[test]
    fn option_numbers_refer_to_their_list() {
        let problem = question(2, Objective::Fair);
        let relaxation = relaxation(&problem);
        let effort = Effort { steps: 20, cuts: 20 };
        let improved = relaxation.improve(&relaxation.start(), &relaxation.everything(), 0.0, effort);
        let few = super::Few::new(&relaxation, vec![vec![1, 3, 4]]);
        let there = few.there(&super::Improved { cuts: vec![(0, 0), (0, 2)], ..improved });
        assert_eq!(there.cuts, [(0, 1), (0, 4)]);
        assert_eq!(few.here(&there).cuts, [(0, 0), (0, 2)]);
        assert_eq!(few.relaxation().options(), 3);
    }
}
