//! Random plans for random tree programs. Their nodes of each task and block are looked up a second time: line by line, from the text.

use std::fmt::Write as _;

use numasim_graph::values::{BlockId, TaskGraph, TaskId};
use numasim_model::NodeId;
use numasim_plan::{Fallbacks, Fault, File, GraphPlan, Lines, guide};
use proptest::prelude::*;

use crate::drawn::{Choices, any_tree, choices, with_ways};
use crate::random::questions;

/// `plan-tree.csv` and `plan-dbs.csv`.
#[derive(Debug)]
pub(crate) struct PlanText {
    tree: String,
    dbs: String,
}

/// A class during the construction of a plan: its template and its entries.
struct Class {
    template: String,
    entries: Vec<(u32, String, usize)>,
}

fn template(graph: &TaskGraph, task: TaskId) -> String {
    format!("{}/{}", graph.type_name(task), graph.accesses(task).len())
}

/// A plan that contains most of a graph. Classes occur repeatedly at random, so that some are stars and some are shared.
pub(crate) fn drawn_plan(choices: &mut Choices, graph: &TaskGraph, nodes: usize) -> PlanText {
    let first = graph.tasks().next().map_or("work/0".to_owned(), |task| template(graph, task));
    let mut classes = vec![Class { template: first.clone(), entries: Vec::new() }];
    let mut of_tasks: Vec<Option<usize>> = Vec::new();
    let has_gaps = choices.one_in(2);
    for task in graph.tasks() {
        let own = template(graph, task);
        let Some(creator) = graph.created_by(task) else {
            of_tasks.push((own == first).then_some(0));
            continue;
        };
        let seq = graph.seq(task).expect("a place");
        let class = of_tasks[creator.0 as usize].and_then(|creator| {
            let known = |entry: &&(u32, String, usize)| entry.0 == seq && entry.1 == own;
            if let Some(&(_, _, class)) = classes[creator].entries.iter().find(known) {
                return Some(class);
            }
            if has_gaps && choices.one_in(6) {
                return None;
            }
            let alike: Vec<usize> =
                (0..classes.len()).filter(|&class| classes[class].template == own).collect();
            let class = if alike.is_empty() || choices.one_in(2) {
                classes.push(Class { template: own.clone(), entries: Vec::new() });
                classes.len() - 1
            } else {
                choices.of(&alike)
            };
            classes[creator].entries.push((seq, own, class));
            Some(class)
        });
        of_tasks.push(class);
    }
    let mut text = PlanText { tree: String::new(), dbs: String::new() };
    for (number, Class { template, entries }) in classes.iter().enumerate() {
        let node = if choices.one_in(4) { "-1".to_owned() } else { choices.below(nodes).to_string() };
        _ = writeln!(text.tree, "{number};{template};{node};{}", entries.len());
        for (seq, template, child) in entries {
            _ = writeln!(text.tree, "{number};{seq};{template};{child}");
        }
        for seq in 0..3 {
            if choices.one_in(2) {
                _ = writeln!(text.dbs, "{number};{seq};{}", choices.below(nodes));
            }
        }
    }
    text
}

/// The plan in the reader's form.
pub(crate) fn read(text: &PlanText, graph: &TaskGraph, nodes: &[NodeId]) -> GraphPlan {
    let feed = |file: File, each: Lines<'_>| {
        let text = if file == File::PlanTree { &text.tree } else { &text.dbs };
        (1..).zip(text.lines()).try_for_each(|(line, text)| each(line, text))
    };
    let guide = guide::<Fault>(nodes.len(), feed).expect("a plan");
    GraphPlan::of(&guide, graph, nodes)
}

/// The class of a task: step by step from that of the master's task above it.
fn class(text: &PlanText, graph: &TaskGraph, task: TaskId) -> Option<String> {
    let own = template(graph, task);
    let lines: Vec<Vec<&str>> = text.tree.lines().map(|line| line.split(';').collect()).collect();
    let Some(creator) = graph.created_by(task) else {
        return (lines.first()?[1] == own).then(|| "0".to_owned());
    };
    let creator = class(text, graph, creator)?;
    let place = graph.seq(task)?.to_string();
    // The line of a class, with its template and node, is followed by the given number of entries.
    let mut left = 0;
    for line in lines {
        if left == 0 {
            left = line[3].parse().ok()?;
        } else {
            left -= 1;
            if line[0] == creator && line[1] == place && line[2] == own {
                return Some(line[3].to_owned());
            }
        }
    }
    None
}

/// The node of a class: -1 has no preference.
fn node_of_class(text: &PlanText, class: &str, nodes: &[NodeId]) -> Option<NodeId> {
    let mut left = 0;
    for line in text.tree.lines() {
        let cells: Vec<&str> = line.split(';').collect();
        if left > 0 {
            left -= 1;
            continue;
        }
        left = cells[3].parse().expect("a number of entries");
        if cells[0] == class {
            return cells[2].parse::<usize>().ok().map(|place| nodes[place]);
        }
    }
    None
}

/// The entries of the text for every task and block.
fn looked_up(
    text: &PlanText,
    graph: &TaskGraph,
    nodes: &[NodeId],
) -> (Vec<Option<NodeId>>, Vec<Option<NodeId>>, Fallbacks) {
    let mut fallbacks = Fallbacks::default();
    let tasks = graph.tasks().map(|task| {
        let class = class(text, graph, task);
        fallbacks.tasks += u64::from(class.is_none());
        class.and_then(|class| node_of_class(text, &class, nodes)).or(graph.affinity(task))
    });
    let tasks = tasks.collect();
    let creators = graph.block_creators();
    let blocks = (0..).zip(&creators).map(|(number, &creator)| {
        let place = creators[..number].iter().filter(|&&other| other == creator).count().to_string();
        let class = class(text, graph, creator).unwrap_or_default();
        let found = text.dbs.lines().find_map(|line| {
            let cells: Vec<&str> = line.split(';').collect();
            let is_it = cells[0] == class && cells[1] == place;
            is_it.then(|| nodes[cells[2].parse::<usize>().expect("a node")])
        });
        fallbacks.blocks += u64::from(found.is_none());
        found.or(graph.hint(BlockId(u32::try_from(number).expect("few"))))
    });
    let blocks = blocks.collect();
    (tasks, blocks, fallbacks)
}

proptest! {
    #![proptest_config(questions(500))]

    #[test]
    fn a_plan_says_of_each_task_and_block_what_its_lines_say(mut choices in choices()) {
        let asked = any_tree(&mut choices, 50);
        let graph = with_ways(&mut choices, &asked.graph);
        let nodes: Vec<NodeId> = asked.machine.compute_nodes().collect();
        let text = drawn_plan(&mut choices, &graph, nodes.len());
        let plan = read(&text, &graph, &nodes);
        let (tasks, blocks, fallbacks) = looked_up(&text, &graph, &nodes);
        let of_tasks: Vec<_> = graph.tasks().map(|task| plan.task(task)).collect();
        let of_blocks: Vec<_> = (0..).zip(graph.blocks()).map(|(number, _)| plan.block(BlockId(number))).collect();
        prop_assert_eq!(&of_tasks, &tasks, "{:?}", text);
        prop_assert_eq!(&of_blocks, &blocks, "{:?}", text);
        prop_assert_eq!(plan.fallbacks(), fallbacks, "{:?}", text);
    }
}
