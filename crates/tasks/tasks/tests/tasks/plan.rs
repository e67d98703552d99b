//! `plan`: tasks and blocks go to the nodes of the plan; for those that are not in it, the programmer's hints apply.

use crate::common::*;
use numasim_graph::values::{
    Block, BlockHome, NewTask, PagePlacement, SchedulerKind, TaskGraph, TaskGraphBuilder, TaskId, TreeTask,
};
use numasim_model::NodeId;
use numasim_plan::{Fallbacks, Fault, File, GraphPlan, Guide, Lines, guide};
use numasim_tasks::{Question, Run, TaskRecord, TasksError, simulate};

/// `main` makes a block for each of two strands and creates both; a `strand` of this number of iterations creates its next one.
fn strands(iterations: u32) -> TaskGraph {
    let mut graph = TaskGraphBuilder::new("strands");
    let (main, strand) = (graph.kind("main"), graph.kind("strand"));
    let blocks = [(); 2]
        .map(|()| graph.block(Block { bytes: 1.0 * GB, home: BlockHome::Open }, None).expect("a block"));
    let mut add = |kind, accesses: &[_], created_by| {
        let task = NewTask { kind, gflop: 1.0, accesses, socket: None, taskwait: false, name: None };
        graph.tree_task(task, TreeTask { created_by, ..TreeTask::default() }).expect("a task")
    };
    let mut creators = [add(main, &[], None); 2];
    for _ in 0..iterations {
        for (creator, block) in creators.iter_mut().zip(blocks) {
            *creator = add(strand, &[all(block, Inout, 1.0 * GB)], Some(*creator));
        }
    }
    for block in blocks {
        graph.block_created_by(block, TaskId(0)).expect("a block");
    }
    graph.finish()
}

/// Strand 0 on node 1, strand 1 on node 0, each with its block.
fn crossed(tree: &str) -> Guide {
    let text = |file: File| match file {
        File::PlanTree => tree.to_owned(),
        _ => "0;0;1\n0;1;0\n".to_owned(),
    };
    let feed = |file: File, each: Lines<'_>| {
        (1..).zip(text(file).lines()).try_for_each(|(line, text)| each(line, text))
    };
    guide::<Fault>(2, feed).expect("a plan")
}

const TREE: &str = "0;main/0;-1;2\n0;0;strand/1;1\n0;1;strand/1;2\n1;strand/1;1;1\n1;0;strand/1;1\n\
                    2;strand/1;0;1\n2;0;strand/1;2\n";

fn run(graph: &TaskGraph, plan: Option<&GraphPlan>) -> Result<(Run, Vec<TaskRecord>), TasksError> {
    let setting = under(SchedulerKind::Plan);
    let machine = m2();
    let question = Question {
        placement: PagePlacement::Numa,
        plan,
        ..Question::new(&machine, graph, &setting.scheduler, &setting.runtime)
    };
    let mut seen = Seen::default();
    let run = simulate(&question, &mut seen)?;
    seen.0.sort_by_key(|record| record.task);
    Ok((run, seen.0))
}

#[test]
fn a_plan_drives_any_number_of_iterations_with_all_data_near() {
    let graph = strands(50);
    let plan = GraphPlan::of(&crossed(TREE), &graph, &[NodeId(0), NodeId(1)]);
    assert_eq!(plan.fallbacks(), Fallbacks::default());
    let (run, records) = run(&graph, Some(&plan)).expect("an answer");
    // Main computes 0.1 s; then each strand has 1 GFLOP on 1 GB of its node 50 times: 0.1 s each.
    near(run.makespan.value(), 5.1);
    assert_eq!(run.traffic.dram_remote, 0.0);
    let nodes = ran_on(&records);
    assert!(nodes[1..].chunks(2).all(|pair| pair == [1, 0]), "{nodes:?}");
}

#[test]
fn what_the_plan_does_not_know_stays_where_its_creator_ran_and_is_counted() {
    // The plan has no second strand: it is handed over by worker 0, without affinity; its block nevertheless has an entry.
    let graph = strands(3);
    let tree = "0;main/0;-1;1\n0;0;strand/1;1\n1;strand/1;1;1\n1;0;strand/1;1\n";
    let plan = GraphPlan::of(&crossed(tree), &graph, &[NodeId(0), NodeId(1)]);
    assert_eq!(plan.fallbacks(), Fallbacks { tasks: 3, blocks: 0 });
    let (_, records) = run(&graph, Some(&plan)).expect("an answer");
    assert_eq!(ran_on(&records), [0, 1, 0, 1, 0, 1, 0]);
}

#[test]
fn without_a_plan_it_refuses() {
    assert_eq!(run(&strands(1), None).map(|_| ()), Err(TasksError::NoPlan));
}
