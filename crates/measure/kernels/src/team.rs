//! The threads that work on a problem together, and the division of the work among them.

use std::ops::Range;

/// The threads of a kernel. Each works on a *part*; parts whose threads share a node are a *group*.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The group of each part.
    groups: Vec<usize>,
    /// The first part of each group; its length is the number of groups.
    first: Vec<usize>,
}

/// An invalid team.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TeamError {
    /// The team is empty.
    #[error("a kernel needs at least one thread")]
    Nobody,
    /// Numbers of groups have a gap.
    #[error("group {0} has no part: groups are numbered from 0")]
    Gap(usize),
}

impl Team {
    /// Part `i` belongs to group `groups[i]`.
    ///
    /// # Errors
    /// [`TeamError`]: no part, or a group without any.
    pub fn new(groups: Vec<usize>) -> Result<Self, TeamError> {
        let last = groups.iter().max().ok_or(TeamError::Nobody)?;
        // Searched one after the other, so that a large number is a gap and needs no memory.
        let mut first = Vec::new();
        while first.len() <= *last {
            let group = first.len();
            let part = groups.iter().position(|&of| of == group).ok_or(TeamError::Gap(group))?;
            first.push(part);
        }
        Ok(Self { groups, first })
    }

    /// This number of parts in one group.
    ///
    /// # Errors
    /// [`TeamError::Nobody`] for 0.
    pub fn of(parts: usize) -> Result<Self, TeamError> {
        Self::new(vec![0; parts])
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.groups.len()
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.first.len()
    }

    /// The group of each part, in their order.
    pub fn group_of_parts(&self) -> &[usize] {
        &self.groups
    }

    /// The group of a part.
    pub fn group(&self, part: usize) -> Option<usize> {
        self.groups.get(part).copied()
    }

    /// Whether a part is the first one of its group: it prepares the shared data of the group.
    pub fn is_first(&self, part: usize) -> bool {
        self.first.contains(&part)
    }
}

/// The division of a sequence of items into consecutive parts, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division(Vec<usize>);

impl Division {
    /// Parts of equal size, up to a difference of one.
    pub fn even(len: usize, parts: usize) -> Self {
        let (parts, wide) = (parts.max(1), len as u128);
        let bound = |part: usize| wide * part as u128 / parts as u128;
        // Not above `len`.
        Self((0..=parts).map(|part| usize::try_from(bound(part)).unwrap_or(len)).collect())
    }

    /// Parts that start at these bounds, the last of which is the overall end; `None` if they do not ascend from 0.
    pub fn at(bounds: Vec<usize>) -> Option<Self> {
        (bounds.len() > 1 && bounds.first() == Some(&0) && bounds.is_sorted()).then_some(Self(bounds))
    }

    /// Parts of about equal weight. `before` of item i is the weight of all before it; the last entry is the total weight (the row pointers
    /// of a sparse matrix are such sums).
    ///
    /// A part ends with the item whose end is nearest to its share, so no part weighs more than its share plus one item.
    pub fn by_weight(before: impl Fn(usize) -> u64, len: usize, parts: usize) -> Self {
        let (parts, all) = (parts.max(1), u128::from(before(len)));
        let mut bounds = vec![0; parts + 1];
        for (part, bound) in bounds.iter_mut().enumerate().skip(1) {
            // Twice the share, so that halves are whole numbers: the first bound whose sum is not below it, ...
            let wanted = all * part as u128 / parts as u128;
            let (mut low, mut high) = (0, len);
            while low < high {
                let middle = low + (high - low) / 2;
                if u128::from(before(middle)) < wanted { low = middle + 1 } else { high = middle }
            }
            // ... or the one before it, if that is nearer.
            let (below, above) = (low.saturating_sub(1), low);
            let near = |bound: usize| u128::from(before(bound)).abs_diff(wanted);
            *bound = if near(below) < near(above) { below } else { above };
        }
        if let Some(last) = bounds.last_mut() {
            *last = len;
        }
        Self(bounds)
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.0.len() - 1
    }

    /// Number of items, all parts together.
    pub fn len(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }

    /// Whether there is nothing to divide.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a part; empty for a part that does not exist.
    pub fn range(&self, part: usize) -> Range<usize> {
        match (self.0.get(part), self.0.get(part + 1)) {
            (Some(&from), Some(&to)) => from..to,
            _ => 0..0,
        }
    }

    /// The same parts if each item has `width` elements.
    #[must_use]
    pub fn times(&self, width: usize) -> Self {
        Self(self.0.iter().map(|bound| bound * width).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_team_knows_its_groups() {
        let team = Team::new(vec![0, 0, 1, 1, 1]).expect("a team");
        assert_eq!((team.parts(), team.groups(), team.group(4)), (5, 2, Some(1)));
        let first: Vec<usize> = (0..5).filter(|&part| team.is_first(part)).collect();
        assert_eq!(first, [0, 2]);
        assert_eq!(Team::of(0), Err(TeamError::Nobody));
        assert_eq!(Team::new(vec![0, usize::MAX]), Err(TeamError::Gap(1)));
    }

    #[test]
    fn even_parts_differ_by_one() {
        // 10 / 4: 2.5 each, bounds 0, 2.5, 5, 7.5, 10 rounded down.
        let parts = Division::even(10, 4);
        let ranges: Vec<_> = (0..5).map(|part| parts.range(part)).collect();
        assert_eq!(ranges, [0..2, 2..5, 5..7, 7..10, 0..0]);
        assert_eq!(Division::even(usize::MAX, 3).range(2).end, usize::MAX);
    }

    #[test]
    fn parts_of_equal_weight_end_at_the_nearest_item() {
        // Weights 1, 1, 1, 9, 1, 1: 14, shares of 7. Bounds at 3 (|3 - 7| = 4) or 4 (|12 - 7| = 5): 3.
        let before = [0, 1, 2, 3, 12, 13, 14];
        let parts = Division::by_weight(|at| before[at], 6, 2);
        assert_eq!((parts.range(0), parts.range(1)), (0..3, 3..6));
        // More parts than items: some have none, and none is lost.
        let parts = Division::by_weight(|at| at as u64, 2, 5);
        assert_eq!((0..5).map(|part| parts.range(part).len()).sum::<usize>(), 2);
    }
}
