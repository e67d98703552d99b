//! Ready tasks by priority: higher ones first, equal ones in the order in which they became ready.

use std::collections::{BTreeMap, VecDeque};

use numasim_graph::values::TaskId;

/// A queue of ready tasks.
#[derive(Clone, Debug, Default)]
pub(super) struct ReadyQueue {
    /// Tasks of priority 0, which are all tasks of graphs without priorities.
    plain: VecDeque<TaskId>,
    /// Tasks of other priorities; none of these queues is empty.
    others: BTreeMap<Key, VecDeque<TaskId>>,
}

/// A priority as an integer with the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(i64);

impl Key {
    /// Bits of a finite number grow with it; below 0 in reverse order.
    fn of(priority: f64) -> Self {
        let bits = priority.to_bits().cast_signed();
        Self(if bits < 0 { i64::MIN.wrapping_sub(bits) } else { bits })
    }
}

impl ReadyQueue {
    /// A task has become ready.
    pub(super) fn push(&mut self, task: TaskId, priority: f64) {
        if priority == 0.0 {
            self.plain.push_back(task);
        } else {
            self.others.entry(Key::of(priority)).or_default().push_back(task);
        }
    }

    /// Takes the oldest task of the highest priority.
    pub(super) fn pop(&mut self) -> Option<TaskId> {
        let others = self.others.last_entry();
        match others {
            Some(mut highest) if self.plain.is_empty() || highest.key().0 > 0 => {
                let task = highest.get_mut().pop_front();
                if highest.get().is_empty() {
                    highest.remove();
                }
                task
            }
            _ => self.plain.pop_front(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_priorities_come_first_and_equal_ones_by_age() {
        let mut queue = ReadyQueue::default();
        for (task, priority) in [(0, 0.0), (1, -1.0), (2, 2.5), (3, 0.0), (4, 1e-9), (5, 2.5), (6, -3.0)] {
            queue.push(TaskId(task), priority);
        }
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|task| task.0).collect();
        assert_eq!(order, [2, 5, 4, 0, 3, 1, 6]);
    }
}
