//! The queues that each group of threads uses, and the unknowns that remain in each equation of a Newton step.

use std::ops::Range;

/// The largest number of queues whose equations are solved by factoring the matrix.
pub(super) const MOST_DIRECTLY: usize = 160;
/// The number of 64-bit words that hold one bit for each of these queues.
const WORDS: usize = MOST_DIRECTLY.div_ceil(64);

/// The use of a queue by a group.
#[derive(Clone, Copy, Debug)]
pub(in crate::sharing) struct Use {
    pub(in crate::sharing) queue: u32,
    pub(in crate::sharing) group: u32,
    /// GB/s of the queue for each GB/s that a thread moves.
    pub(in crate::sharing) taken: f64,
    /// The same for counting threads: without the loss of remote traffic.
    pub(in crate::sharing) counted: f64,
    /// The latency that a thread of the group adds to the other threads, in transfer times of a cache line.
    pub(in crate::sharing) penalty: f64,
}

/// All uses, sorted by queue and by group.
#[derive(Clone, Debug, Default)]
pub(in crate::sharing) struct Layout {
    by_queue: Vec<Use>,
    by_group: Vec<Use>,
    of_queue: Vec<u32>,
    of_group: Vec<u32>,
    /// All groups with uses in the order of their first use, which does not depend on the numbers of groups.
    order: Vec<u32>,
    /// For each queue: the later unknowns that remain in its equation after the elimination of the earlier ones, as ranges. Empty if there are more than
    /// [`MOST_DIRECTLY`] queues.
    later: Vec<(u32, u32)>,
    of_later: Vec<u32>,
    /// For each queue: the queues that share an equation with it, one bit each.
    meet: Vec<[u64; WORDS]>,
}

/// For each of `count` numbers: the position of its first occurrence in the sorted list. The last entry is the end of the list.
fn first_of_each(firsts: &mut Vec<u32>, count: usize, numbers: impl Iterator<Item = u32>) {
    firsts.clear();
    firsts.resize(count + 1, 0);
    numbers.for_each(|number| firsts[number as usize + 1] += 1);
    (0..count).for_each(|number| firsts[number + 1] += firsts[number]);
}

fn join(all: &mut [u64; WORDS], more: &[u64; WORDS]) {
    all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
}

impl Layout {
    /// Sorts the uses, which come in ascending order of queues.
    pub(in crate::sharing) fn lay_out(
        &mut self,
        uses: impl Iterator<Item = Use>,
        queues: usize,
        groups: usize,
    ) {
        let Self { by_queue, by_group, of_queue, of_group, order, .. } = self;
        by_queue.clear();
        by_queue.extend(uses);
        first_of_each(of_queue, queues, by_queue.iter().map(|one| one.queue));
        first_of_each(of_group, groups, by_queue.iter().map(|one| one.group));
        by_group.clone_from(by_queue);
        order.clear();
        for one in by_queue.iter() {
            // During this loop: the position of the group's next use.
            let place = &mut of_group[one.group as usize];
            by_group[*place as usize] = *one;
            *place += 1;
        }
        // The position after the last use of a group is that of the first use of the next group.
        of_group.rotate_right(1);
        if let Some(first) = of_group.first_mut() {
            *first = 0;
        }
        let is_first = |one: &&Use| by_group[of_group[one.group as usize] as usize].queue == one.queue;
        order.extend(by_queue.iter().filter(is_first).map(|one| one.group));
        self.later.clear();
        self.of_later.clear();
        if queues <= MOST_DIRECTLY {
            self.eliminate(queues);
        }
    }

    /// Finds the unknowns that remain in each equation (symbolic elimination).
    fn eliminate(&mut self, queues: usize) {
        let Self { by_group, of_group, order, later, of_later, meet, .. } = self;
        meet.clear();
        meet.resize(queues, [0; WORDS]);
        for &group in order.iter() {
            let (first, end) = (of_group[group as usize], of_group[group as usize + 1]);
            let uses = &by_group[first as usize..end as usize];
            let mut all = [0; WORDS];
            for one in uses {
                all[one.queue as usize / 64] |= 1 << (one.queue % 64);
            }
            for one in uses {
                join(&mut meet[one.queue as usize], &all);
            }
        }
        of_later.push(0);
        for q in 0..queues {
            let (first, met) = (later.len(), meet[q]);
            for word in q / 64..WORDS {
                let mut left = met[word];
                if word == q / 64 {
                    left &= !(u64::MAX >> (63 - q % 64));
                }
                while left != 0 {
                    let one = u32::try_from(word * 64).unwrap_or(u32::MAX) + left.trailing_zeros();
                    left &= left - 1;
                    match later.get_mut(first..).and_then(<[_]>::last_mut) {
                        Some((_, end)) if *end == one => *end += 1,
                        _ => later.push((one, one + 1)),
                    }
                    join(&mut meet[one as usize], &met);
                }
            }
            of_later.push(u32::try_from(later.len()).unwrap_or(u32::MAX));
        }
    }

    pub(super) fn later(&self, queue: usize) -> impl DoubleEndedIterator<Item = Range<usize>> + Clone + '_ {
        let ranges = &self.later[self.of_later[queue] as usize..self.of_later[queue + 1] as usize];
        ranges.iter().map(|&(first, end)| first as usize..end as usize)
    }

    /// All groups that use a queue, each once.
    pub(in crate::sharing) fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().copied()
    }

    /// The uses of a queue.
    pub(in crate::sharing) fn queue(&self, queue: usize) -> &[Use] {
        &self.by_queue[self.of_queue[queue] as usize..self.of_queue[queue + 1] as usize]
    }

    pub(super) fn group(&self, group: u32) -> &[Use] {
        let group = group as usize;
        &self.by_group[self.of_group[group] as usize..self.of_group[group + 1] as usize]
    }
}
