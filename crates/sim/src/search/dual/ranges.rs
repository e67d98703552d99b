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
    /// The end of the range on which a price of this sign acts.
    pub(super) fn binding(&self, counter: usize, nu: f64) -> f64 {
        f64::from(if nu >= 0.0 { self.lowest[counter] } else { self.highest[counter] })
    }

    /// Whether the range says more than what is possible at all.
    pub(in crate::search) fn is_priced(&self, counter: usize) -> bool {
        let (pays, charges) = self.prices_with_meaning(counter);
        pays || charges
    }

    /// Whether a price that pays for threads has a meaning (a lowest number), and one that charges (a highest).
    pub(in crate::search) fn prices_with_meaning(&self, counter: usize) -> (bool, bool) {
        (self.lowest[counter] > 0, self.highest[counter] < self.capacity[counter])
    }

    /// A price of a sign that a limited end of the range justifies.
    pub(super) fn clamp(&self, counter: usize, nu: f64) -> f64 {
        let (pays, charges) = self.prices_with_meaning(counter);
        let least = if charges { f64::NEG_INFINITY } else { 0.0 };
        let most = if pays { f64::INFINITY } else { 0.0 };
        nu.clamp(least, most)
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
        // The first may pay for threads, not charge for them.
        assert_eq!((ranges.clamp(0, 0.5), ranges.clamp(0, -0.5)), (0.5, 0.0));
    }
}
