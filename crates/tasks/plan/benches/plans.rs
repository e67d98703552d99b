//! Time and memory for reading large plans. The aim: 10^6 lines in about a second, and 200 B a line.
//!
//! Run with `cargo bench -p numasim-plan`. The lines are made one after the other as they are read, so that no text is in memory: only
//! the data kept from them counts. Memory is the peak of this process as Linux reports it, before and after each step.

use std::fs;
use std::time::Instant;

use numasim_graph::values::{
    Access, AccessMode, Block, BlockHome, NewTask, TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
};
use numasim_model::NodeId;
use numasim_plan::{Fallbacks, Fault, File, GraphPlan, Guide, guide};

/// Classes of tasks, with a line and an entry each.
const CLASSES: u64 = 500_000;
/// Twice as many tasks: the last class is a star.
const TASKS: u32 = 1_000_000;

fn main() {
    let (read, guide) = step("10^6 lines of plan-tree.csv, 5 x 10^5 of plan-dbs.csv", chain);
    let (_, graph) = step("a graph of 10^6 tasks in a chain", graph);
    let nodes = [NodeId(0), NodeId(1)];
    let (looked_up, plan) = step("what the plan says of them", || GraphPlan::of(&guide, &graph, &nodes));
    assert_eq!(plan.fallbacks(), Fallbacks::default());
    println!("{:.2} x 10^6 lines/s, {:.2} x 10^6 tasks/s", 1.5 / read, f64::from(TASKS) / 1e6 / looked_up);
}

/// Prints how long something took and how much memory it left in use.
fn step<T>(what: &str, make: impl FnOnce() -> T) -> (f64, T) {
    let before = peak_mb();
    let start = Instant::now();
    let made = make();
    let seconds = start.elapsed().as_secs_f64();
    let memory = peak_mb()
        .zip(before)
        .map_or("unknown".to_owned(), |(peak, before)| format!("{:.0} MB", peak - before));
    println!("{what}: {seconds:.2} s, {memory}");
    (seconds, made)
}

/// The peak memory of this process, in MB.
fn peak_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// A class for each of the first tasks of a chain; each also creates a block.
fn chain() -> Guide {
    let read = guide::<Fault>(2, |file, each| {
        let mut line = 0;
        let mut tell = |text: &str| {
            line += 1;
            each(line, text)
        };
        for class in 0..CLASSES {
            let (node, next) = (class % 2, (class + 1).min(CLASSES - 1));
            if file == File::PlanTree {
                tell(&format!("{class};link/1;{node};1"))?;
                tell(&format!("{class};0;link/1;{next}"))?;
            } else {
                tell(&format!("{class};0;{node}"))?;
            }
        }
        Ok(())
    });
    read.expect("a plan")
}

fn graph() -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("chain");
    let kind = graph.kind("link");
    let block = graph.block(Block { bytes: 8.0, home: BlockHome::Open }, None).expect("a block");
    let access = Access { block, mode: AccessMode::Inout, declared_bytes: 8.0, moved_bytes: 16.0 };
    for number in 0..TASKS {
        let task =
            NewTask { kind, gflop: 0.0, accesses: &[access], socket: None, taskwait: false, name: None };
        let tree = TreeTask { created_by: number.checked_sub(1).map(TaskId), ..TreeTask::default() };
        graph.tree_task(task, tree).expect("a task");
    }
    graph.finish()
}
