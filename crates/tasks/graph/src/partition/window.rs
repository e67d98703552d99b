//! The graph of a window: tasks, and the bytes between each two of them.

/// A neighbour of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Neighbour {
    /// Which task.
    pub(super) task: u32,
    /// Bytes between both.
    pub(super) bytes: f64,
}

/// An undirected graph of tasks, numbered from 0 in creation order; or of groups of tasks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowGraph {
    /// Where the neighbours of each task begin; one more at the end.
    starts: Vec<usize>,
    /// Of each task by number.
    neighbours: Vec<Neighbour>,
    /// How many tasks each stands for.
    weights: Vec<u32>,
}

impl WindowGraph {
    /// The graph of `tasks` tasks with edges `(task, task, bytes)`. Edges of a pair are added up; those without bytes, of a task with
    /// itself, or of tasks that there are not, are none.
    pub fn new(tasks: usize, edges: &[(u32, u32, f64)]) -> Self {
        Self::weighted(vec![1; tasks], edges)
    }

    /// The same with groups of tasks in place of tasks.
    pub(super) fn weighted(weights: Vec<u32>, edges: &[(u32, u32, f64)]) -> Self {
        let count = weights.len();
        let is_one = |&&(from, to, bytes): &&(u32, u32, f64)| {
            from != to && (from.max(to) as usize) < count && bytes > 0.0 && bytes.is_finite()
        };
        let mut starts = vec![0_usize; count + 1];
        for &(from, to, _) in edges.iter().filter(is_one) {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for task in 0..count {
            starts[task + 1] += starts[task];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![Neighbour { task: 0, bytes: 0.0 }; starts[count]];
        for &(from, to, bytes) in edges.iter().filter(is_one) {
            for (one, other) in [(from, to), (to, from)] {
                let place = &mut next[one as usize];
                neighbours[*place] = Neighbour { task: other, bytes };
                *place += 1;
            }
        }
        let (starts, neighbours) = united(&starts, neighbours);
        Self { starts, neighbours, weights }
    }

    /// How many tasks there are.
    pub fn task_count(&self) -> usize {
        self.weights.len()
    }

    /// How many pairs of tasks have bytes between them.
    pub fn edge_count(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Where the neighbours of each task begin (one more at the end), which they are, and the bytes to each: compressed sparse rows, as
    /// other partitioners take them.
    pub fn adjacency(&self) -> (&[usize], Vec<u32>, Vec<f64>) {
        let all = self.neighbours.iter();
        (&self.starts, all.clone().map(|other| other.task).collect(), all.map(|other| other.bytes).collect())
    }

    /// All tasks in creation order.
    pub(super) fn tasks(&self) -> std::ops::Range<u32> {
        // Windows are parts of a graph of at most 10^7 tasks.
        0..u32::try_from(self.weights.len()).unwrap_or(u32::MAX)
    }

    /// The neighbours of a task by number.
    pub(super) fn neighbours(&self, task: u32) -> &[Neighbour] {
        let task = task as usize;
        &self.neighbours[self.starts[task]..self.starts[task + 1]]
    }

    /// Whether a task has any neighbour.
    pub(super) fn connected(&self, task: u32) -> bool {
        !self.neighbours(task).is_empty()
    }

    /// How many tasks a task stands for.
    pub(super) fn weight(&self, task: u32) -> u64 {
        u64::from(self.weights[task as usize])
    }

    /// How many tasks all stand for.
    pub(super) fn total_weight(&self) -> u64 {
        self.weights.iter().copied().map(u64::from).sum()
    }

    /// The graph of `members` alone, numbered in their order. `places` has for each task its place in `members`, where it is one.
    pub(super) fn part(&self, members: &[u32], places: &[Option<u32>]) -> Self {
        let mut starts = Vec::with_capacity(members.len() + 1);
        let mut neighbours = Vec::new();
        starts.push(0);
        for &member in members {
            neighbours.extend(self.neighbours(member).iter().filter_map(|neighbour| {
                places[neighbour.task as usize].map(|task| Neighbour { task, ..*neighbour })
            }));
            starts.push(neighbours.len());
        }
        let weights = members.iter().map(|&member| self.weights[member as usize]).collect();
        Self { starts, neighbours, weights }
    }
}

/// The same with one entry for each neighbour of a task, by number.
fn united(starts: &[usize], mut neighbours: Vec<Neighbour>) -> (Vec<usize>, Vec<Neighbour>) {
    let mut ends = Vec::with_capacity(starts.len());
    ends.push(0);
    let mut kept = 0;
    for range in starts.windows(2) {
        let start = kept;
        neighbours[range[0]..range[1]].sort_by_key(|neighbour| neighbour.task);
        for place in range[0]..range[1] {
            let neighbour = neighbours[place];
            if kept > start && neighbours[kept - 1].task == neighbour.task {
                neighbours[kept - 1].bytes += neighbour.bytes;
            } else {
                neighbours[kept] = neighbour;
                kept += 1;
            }
        }
        ends.push(kept);
    }
    neighbours.truncate(kept);
    (ends, neighbours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_a_pair_are_one_and_edges_without_bytes_are_none() {
        let edges =
            [(0, 1, 2.0), (1, 0, 3.0), (1, 2, 0.0), (2, 2, 5.0), (0, 9, 1.0), (2, 0, f64::NAN), (0, 2, 1.0)];
        let graph = WindowGraph::new(4, &edges);
        assert_eq!((graph.task_count(), graph.edge_count()), (4, 2));
        let of_first = [Neighbour { task: 1, bytes: 5.0 }, Neighbour { task: 2, bytes: 1.0 }];
        assert_eq!(graph.neighbours(0), of_first);
        assert!(!graph.connected(3));
    }

    #[test]
    fn a_part_has_the_edges_between_its_members() {
        let graph = WindowGraph::new(4, &[(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0)]);
        let part = graph.part(&[1, 2], &[None, Some(0), Some(1), None]);
        assert_eq!(part, WindowGraph::new(2, &[(0, 1, 2.0)]));
    }
}
