//! The rules of dependencies, pair by pair, compared with the edges that [`Tracker`] finds task by task.

use std::collections::BTreeMap;

use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, NewTask, TaskGraph, TaskGraphBuilder, TaskId,
};
use proptest::prelude::*;

use crate::{Dependencies, EdgeKind, Tracker};

/// The accesses of each task: block, mode, declared bytes (whole numbers, so that sums do not depend on their order).
type Program = Vec<Vec<(u32, AccessMode, u32)>>;

const BLOCKS: u32 = 5;

fn any_program() -> impl Strategy<Value = Program> {
    let mode = prop::sample::select(AccessMode::ALL.to_vec());
    let task = prop::collection::btree_map(0..BLOCKS, (mode, 0..100_u32), 0..4).prop_shuffle_accesses();
    prop::collection::vec(task, 0..24)
}

/// Accesses of a task come in any order.
trait Shuffled {
    fn prop_shuffle_accesses(self) -> impl Strategy<Value = Vec<(u32, AccessMode, u32)>>;
}

impl<S: Strategy<Value = BTreeMap<u32, (AccessMode, u32)>>> Shuffled for S {
    fn prop_shuffle_accesses(self) -> impl Strategy<Value = Vec<(u32, AccessMode, u32)>> {
        self.prop_map(|accesses| {
            accesses.into_iter().map(|(block, (mode, bytes))| (block, mode, bytes)).collect::<Vec<_>>()
        })
        .prop_shuffle()
    }
}

fn graph(program: &Program) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("random");
    let kind = graph.kind("work");
    for _ in 0..BLOCKS {
        graph.block(Block { bytes: 1.0, home: BlockHome::Open }, None).expect("a block");
    }
    for task in program {
        let access = |&(block, mode, bytes): &(u32, AccessMode, u32)| Access {
            block: BlockId(block),
            mode,
            declared_bytes: f64::from(bytes),
            moved_bytes: 1.0,
        };
        let accesses: Vec<Access> = task.iter().map(access).collect();
        let task =
            NewTask { kind, gflop: 1.0, accesses: &accesses, socket: None, taskwait: false, name: None };
        graph.task(task).expect("a task");
    }
    graph.finish()
}

type Edges = BTreeMap<(u32, u32), (EdgeKind, f64)>;

fn tracked(graph: &TaskGraph) -> Edges {
    let mut tracker = Tracker::new(graph.blocks().len());
    let mut edges = Edges::new();
    for task in graph.tasks() {
        for edge in tracker.add(graph, task) {
            assert_eq!(edge.to, task);
            let other = edges.insert((edge.from.0, edge.to.0), (edge.kind, edge.bytes));
            assert!(other.is_none(), "one edge for a pair of tasks");
        }
    }
    edges
}

/// A direct implementation of the rules: for all pairs and all blocks, no task writes the block in between.
fn slow(program: &Program) -> Edges {
    let mode_of = |task: usize, block: u32| {
        program[task].iter().find(|access| access.0 == block).map(|access| (access.1, access.2))
    };
    let writes = |task: usize, block: u32| mode_of(task, block).is_some_and(|(mode, _)| mode.writes());
    let mut edges = Edges::new();
    for later in 0..program.len() {
        for earlier in 0..later {
            let (mut raw, mut war, mut waw, mut sum) = (false, false, false, 0.0);
            for block in 0..BLOCKS {
                let (Some((first, _)), Some((second, bytes))) =
                    (mode_of(earlier, block), mode_of(later, block))
                else {
                    continue;
                };
                if (earlier + 1..later).any(|between| writes(between, block)) {
                    continue;
                }
                if first.writes() && second.reads() {
                    raw = true;
                    sum += f64::from(bytes);
                }
                waw |= first.writes() && second.writes();
                war |= first == AccessMode::In && second.writes();
            }
            let kind = match (raw, war, waw) {
                (true, true, _) => EdgeKind::RawWar,
                (true, false, _) => EdgeKind::Raw,
                (false, true, true) => EdgeKind::WarWaw,
                (false, true, false) => EdgeKind::War,
                (false, false, true) => EdgeKind::Waw,
                (false, false, false) => continue,
            };
            let pair = (u32::try_from(earlier).expect("few"), u32::try_from(later).expect("few"));
            edges.insert(pair, (kind, sum));
        }
    }
    edges
}

/// For each task, the tasks that can be reached along edges.
fn reached(tasks: usize, edges: &Edges) -> Vec<Vec<bool>> {
    let mut reached = vec![vec![false; tasks]; tasks];
    // By the later task, so that all paths to the earlier one are known.
    let mut pairs: Vec<(usize, usize)> =
        edges.keys().map(|pair| (pair.0 as usize, pair.1 as usize)).collect();
    pairs.sort_by_key(|&(from, to)| (to, from));
    for (from, to) in pairs {
        for start in 0..=from {
            reached[start][to] |= start == from || reached[start][from];
        }
    }
    reached
}

proptest! {
    #![proptest_config(crate::random::questions(512))]

    #[test]
    fn edges_are_those_of_the_rules_pair_by_pair(program in any_program()) {
        prop_assert_eq!(tracked(&graph(&program)), slow(&program));
    }

    #[test]
    fn the_order_of_accesses_in_a_task_and_the_numbers_of_blocks_do_not_matter(
        program in any_program(),
        shift in 0..BLOCKS,
    ) {
        let renamed = |task: &Vec<(u32, AccessMode, u32)>| {
            task.iter().rev().map(|&(block, mode, bytes)| ((block + shift) % BLOCKS, mode, bytes)).collect()
        };
        let other: Program = program.iter().map(renamed).collect();
        prop_assert_eq!(tracked(&graph(&program)), tracked(&graph(&other)));
    }

    /// Two tasks of which one writes a block that the other accesses never run together; tasks that only read may.
    #[test]
    fn tasks_that_must_not_run_together_wait_for_each_other(program in any_program()) {
        let edges = tracked(&graph(&program));
        let reached = reached(program.len(), &edges);
        for later in 0..program.len() {
            for earlier in 0..later {
                let meet = program[earlier].iter().any(|one| {
                    program[later].iter().any(|other| {
                        one.0 == other.0 && (one.1.writes() || other.1.writes())
                    })
                });
                prop_assert!(!meet || reached[earlier][later], "{} and {}", earlier, later);
                let pair = (u32::try_from(earlier).expect("few"), u32::try_from(later).expect("few"));
                prop_assert!(meet || !edges.contains_key(&pair), "{:?}", pair);
            }
        }
    }

    #[test]
    fn all_edges_together_are_those_found_task_by_task(program in any_program()) {
        let graph = graph(&program);
        let edges = tracked(&graph);
        let all = Dependencies::of(&graph).expect("few edges");
        prop_assert_eq!(all.edge_count(), edges.len());
        let count = |number| u32::try_from(number).expect("few");
        for task in graph.tasks() {
            let children: Vec<TaskId> = edges.keys().filter(|pair| pair.0 == task.0).map(|pair| TaskId(pair.1)).collect();
            prop_assert_eq!(all.children(task), children);
            prop_assert_eq!(all.parent_count(task), count(edges.keys().filter(|pair| pair.1 == task.0).count()));
        }
        // The longest path that ends with each task, by its parents.
        let mut until = vec![1_u32; program.len()];
        for later in 0..program.len() {
            for (from, _) in edges.keys().filter(|pair| pair.1 == count(later)) {
                until[later] = until[later].max(until[*from as usize] + 1);
            }
        }
        prop_assert_eq!(all.span(), until.into_iter().max().unwrap_or(0));
    }
}
