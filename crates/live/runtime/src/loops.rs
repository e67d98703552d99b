//! Parallel loops: a range of numbers in blocks, dealt to the nodes by their workers.

use std::ops::Range;

use numasim_model::ids::NodeId;

use crate::fork_join::join;
use crate::pool::Pool;

impl Pool {
    /// Calls `body` for blocks of at most `grain` numbers that together are `range`; returns when all are done.
    ///
    /// Each node gets a part in proportion to its workers, the first node the first numbers, the same part each time:
    /// who fills an array in one loop and reads it in the next finds most of it on its own node. A part is halved while
    /// it is longer than `grain` (0 counts as 1), and halves may be stolen.
    ///
    /// # Panics
    /// With the first panic of `body`, once no block runs any more.
    pub fn for_each(&self, range: Range<usize>, grain: usize, body: impl Fn(Range<usize>) + Sync) {
        let workers = self.layout().workers();
        let body = &body;
        self.scope(|scope| {
            for (node, part) in parts(range, &workers).into_iter().enumerate() {
                if !part.is_empty() {
                    scope.spawn_on(NodeId(node), move |_| halve(part, grain.max(1), body));
                }
            }
        });
    }
}

/// Cuts a range in proportion to `weights`, rounding each cut down.
fn parts(range: Range<usize>, weights: &[usize]) -> Vec<Range<usize>> {
    let (length, all) = (range.len() as u128, weights.iter().sum::<usize>().max(1) as u128);
    let mut sum = 0_u128;
    let mut start = range.start;
    let part = |&weight: &usize| {
        sum += weight as u128;
        // At most `length`, which was a usize.
        let end = range.start + usize::try_from(length * sum / all).unwrap_or(usize::MAX);
        let part = start..end;
        start = end;
        part
    };
    weights.iter().map(part).collect()
}

fn halve(range: Range<usize>, grain: usize, body: &(impl Fn(Range<usize>) + Sync)) {
    if range.len() <= grain {
        return body(range);
    }
    let middle = range.start + range.len() / 2;
    join(|| halve(range.start..middle, grain, body), || halve(middle..range.end, grain, body));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_proportion_and_leave_nothing_out() {
        // 10 x 1/4 = 2.5, x 1/4, x 4/4.
        assert_eq!(parts(5..15, &[1, 0, 3]), [5..7, 7..7, 7..15]);
        assert_eq!(parts(0..0, &[2, 1]), [0..0, 0..0]);
        assert_eq!(parts(0..usize::MAX, &[1, 1]), [0..usize::MAX / 2, usize::MAX / 2..usize::MAX]);
    }
}
