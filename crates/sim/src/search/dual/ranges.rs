//! Ranges of thread totals: the parts into which the space is split.

/// Ranges of thread totals: a part of the search space.
///
/// Counter `a` is application a on the whole machine; counter `apps * (1 + class) + a` is application a on the nodes of
/// one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::search) struct Ranges {
    pub(in crate::search) lowest: Vec<u32>,
    pub(in crate::search) highest: Vec<u32>,
    /// The most that is possible at all: a range up to here needs no price.
    pub(super) capacity: Vec<u32>,
}

impl Ranges {
    /// What the constant of the bound takes away for these prices: all that is paid at the lowest numbers, less all that is charged
    /// at the highest.
    pub(in crate::search) fn at_their_ends(&self, pays: &[f64], charges: &[f64]) -> f64 {
        let at = |prices: &[f64], ends: &[u32]| -> f64 {
            prices.iter().zip(ends).filter(|(p, _)| **p > 0.0).map(|(p, end)| p * f64::from(*end)).sum()
        };
        at(pays, &self.lowest) - at(charges, &self.highest)
    }

    /// Whether a price that pays for threads has a meaning (a lowest number), and one that charges (a highest).
    pub(in crate::search) fn prices_with_meaning(&self, counter: usize) -> (bool, bool) {
        (self.lowest[counter] > 0, self.highest[counter] < self.capacity[counter])
    }

    /// The same parts of the space, where every range says what follows for it from the others of its application: what is on the machine is on
    /// the classes together.
    ///
    /// Prices do not need that: it follows for sums of threads as it does here.
    pub(in crate::search) fn tightened(&self, apps: usize) -> Self {
        let mut tight = self.clone();
        let counters = |a: usize| (a + apps..self.lowest.len()).step_by(apps);
        for a in 0..apps {
            let sum = |ends: &[u32]| counters(a).map(|k| ends[k]).fold(0, u32::saturating_add);
            let (low, high) = (sum(&self.lowest), sum(&self.highest));
            tight.lowest[a] = self.lowest[a].max(low);
            tight.highest[a] = self.highest[a].min(high);
            for k in counters(a) {
                let beside_least = tight.highest[a].saturating_sub(low - self.lowest[k]);
                let beside_most = tight.lowest[a].saturating_sub(high - self.highest[k]);
                tight.highest[k] = self.highest[k].min(beside_least);
                tight.lowest[k] = self.lowest[k].max(beside_most);
            }
        }
        tight
    }

    /// The two parts of the range of `counter` below and above `cut`: up to `cut`, and from `cut` + 1.
    pub(in crate::search) fn split(&self, counter: usize, cut: u32) -> [Self; 2] {
        let (mut below, mut above) = (self.clone(), self.clone());
        below.highest[counter] = cut;
        above.lowest[counter] = cut + 1;
        [below, above]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_has_no_gap_and_no_overlap() {
        let whole = Ranges { lowest: vec![1, 0], highest: vec![4, 4], capacity: vec![4, 4] };
        let [below, above] = whole.split(0, 2);
        assert_eq!((below.lowest[0], below.highest[0]), (1, 2));
        assert_eq!((above.lowest[0], above.highest[0]), (3, 4));
        assert_eq!((below.lowest[1], above.highest[1]), (0, 4), "the other counter stays");
    }

    #[test]
    fn only_a_limit_that_says_something_has_a_price() {
        let ranges = Ranges { lowest: vec![1, 0], highest: vec![4, 3], capacity: vec![4, 4] };
        assert_eq!(ranges.prices_with_meaning(0), (true, false));
        assert_eq!(ranges.prices_with_meaning(1), (false, true));
        // 0.5 for the lowest of the first, 2 for the highest of the second: 0.5 x 1 - 2 x 3.
        assert_eq!(ranges.at_their_ends(&[0.5, 0.0], &[0.0, 2.0]), -5.5);
    }

    #[test]
    fn ranges_say_what_follows_from_each_other() {
        // One application on the machine and on two classes: 3 to 4 threads, of which 2 are on the second class at least and 1 at most on the first.
        let ranges = Ranges { lowest: vec![3, 0, 2], highest: vec![4, 1, 8], capacity: vec![16, 8, 8] };
        let tight = ranges.tightened(1);
        // 2 on the second class leave 2, so 1 stays; 1 on the first leave 2 to be on the second, and of 4 none is on the first: 4.
        assert_eq!((tight.lowest, tight.highest), (vec![3, 0, 2], vec![4, 1, 4]));
        // At most 2 on the second class: at least 1 on the first; no more than 3 in all.
        let ranges = Ranges { highest: vec![4, 1, 2], ..ranges };
        let tight = ranges.tightened(1);
        assert_eq!((tight.lowest, tight.highest), (vec![3, 1, 2], vec![3, 1, 2]));
    }
}
