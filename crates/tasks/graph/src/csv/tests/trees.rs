//! Columns of tree programs.

use crate::values::{BlockId, Submit, TaskId};
use numasim_model::ids::NodeId;

use super::super::{read, read_on};
use super::{shown, written};

const TREE_BLOCKS: &str = "id,bytes,home,name,created_by,hint\n0,8,,,,1\n1,8,,,2,\n";
const TREE_TASKS: &str = "id,type,gflop,accesses,socket,taskwait,name,created_by,seq,affinity,submit,returns,replay\n\
     0,main,0,,,,,,,,,1,\n1,a,1,in:0,,,,0,1,0,detach,,loop/0-1\n2,a,1,in:1,,,,0,0,,enqueue,,\"loop, \"\"b\"\"\"\n\
     3,b,1,,,1,,,,3,,,loop/0-1\n4,b,1,,,,,2,,,,,\n";

#[test]
fn what_tree_programs_say_is_read_and_written() {
    let graph = read("g", TREE_BLOCKS, TREE_TASKS).expect("in order");
    let [main, first, second, third, last] = [0, 1, 2, 3, 4].map(TaskId);
    assert_eq!(graph.children(main), [second, first]);
    assert_eq!([third, last].map(|task| graph.created_by(task)), [None, Some(second)]);
    assert_eq!(
        [first, third, last].map(|task| graph.affinity(task)),
        [Some(NodeId(0)), Some(NodeId(3)), None]
    );
    let submits = [main, first, second].map(|task| graph.submit(task));
    assert_eq!(submits, [Submit::Spawn, Submit::Detach, Submit::Enqueue]);
    assert_eq!([main, first].map(|task| graph.returns(task)), [true, false]);
    assert_eq!(graph.replays().iter().map(|key| &**key).collect::<Vec<_>>(), ["loop/0-1", "loop, \"b\""]);
    assert_eq!(graph.replay(first), graph.replay(third));
    assert_eq!([0, 1].map(|block| graph.hint(BlockId(block))), [Some(NodeId(1)), None]);
    assert_eq!([0, 1].map(|block| graph.block_creator(BlockId(block))), [None, Some(second)]);
    let [blocks, tasks, _] = written(&graph);
    assert_eq!((blocks.as_str(), tasks.as_str()), (TREE_BLOCKS, TREE_TASKS));
}

/// Each file has the columns only if one of its rows uses them.
#[test]
fn columns_of_tree_programs_are_written_where_something_is_said() {
    let headers = |blocks: &str, tasks: &str| {
        let files = written(&read("g", blocks, tasks).expect("in order"));
        [0, 1].map(|file| files[file].lines().next().expect("a header").split(',').count())
    };
    let (plain_blocks, plain_tasks) = ("id,bytes\n0,8\n", "id,gflop,accesses\n0,1,\n");
    assert_eq!(headers(plain_blocks, plain_tasks), [4, 7]);
    assert_eq!(headers("id,bytes,hint\n0,8,0\n", plain_tasks), [6, 7]);
    assert_eq!(headers("id,bytes,created_by\n0,8,0\n", plain_tasks), [6, 7]);
    assert_eq!(headers("id,bytes,created_by\n0,8,\n", "id,gflop,accesses,affinity,seq\n0,1,,,\n"), [4, 7]);
    for said in ["affinity\n0,1,,2", "submit\n0,1,,enqueue", "returns\n0,1,,1", "replay\n0,1,,k"] {
        assert_eq!(headers(plain_blocks, &format!("id,gflop,accesses,{said}\n")), [4, 13], "{said}");
    }
}

#[test]
fn mistakes_of_tree_programs_are_shown_in_their_cell() {
    let blocks = "id,bytes,created_by,hint\n0,8,x,\n1,8,,-1\n";
    let tasks = "id,gflop,accesses,created_by,seq,affinity,submit,returns,replay,taskwait\n\
                 0,1,,,,,,,,\n1,1,,0,,,,,,1\n2,1,,2,,,,,,\n3,1,,7,,,,,,\n4,1,,-1,1.5,1024,later,yes,\"a\u{7}\",\n";
    let problems = read("g", blocks, tasks).expect_err("mistakes");
    insta::assert_snapshot!(shown(&problems, blocks, tasks));
}

#[test]
fn creators_of_blocks_and_places_of_tasks_are_looked_at_when_all_tasks_are_there() {
    let header = "id,gflop,accesses,created_by,seq\n0,1,,,\n";
    let shown_of = |blocks: &str, rows: &str| {
        let tasks = format!("{header}{rows}");
        shown(&read("g", blocks, &tasks).expect_err("a mistake"), blocks, &tasks)
    };
    let none = "id,bytes\n";
    insta::assert_snapshot!(
        [
            shown_of("id,bytes,created_by\n0,8,0\n1,8,1\n", ""),
            shown_of(none, "1,1,,0,0\n2,1,,0,\n"),
            shown_of(none, "1,1,,0,0\n2,1,,0,1\n3,1,,0,0\n"),
            shown_of(none, "1,1,,0,0\n2,1,,0,2\n"),
        ]
        .join("\n")
    );
}

/// Node 1 has no cores, and there is no node 2.
#[test]
fn affinities_are_nodes_with_cores_and_hints_nodes_of_the_machine() {
    let blocks = "id,bytes,hint\n0,8,1\n1,8,2\n";
    let tasks = "id,gflop,accesses,affinity\n0,1,,0\n1,1,,1\n2,1,,2\n";
    assert!(read("g", blocks, tasks).is_ok());
    let problems = read_on("g", blocks, tasks, Some(&[4, 0])).expect_err("mistakes");
    insta::assert_snapshot!(shown(&problems, blocks, tasks));
}

/// The numbers of tasks are those of the rows, also after a rejected one.
#[test]
fn a_mistake_makes_no_others_of_the_tasks_that_it_creates() {
    let tasks = "id,gflop,accesses,created_by,seq\n0,x,,,\n1,1,,0,0\n2,1,,1,\n3,1,,,4\n";
    let problems = read("g", "id,bytes\n", tasks).expect_err("mistakes");
    assert_eq!(problems.len(), 1, "{problems:?}");
    let seq = read("g", "id,bytes\n", "id,gflop,accesses,seq\n0,1,,4\n").expect_err("a mistake");
    assert!(seq[0].message.contains("`seq` is for tasks that a task creates"), "{seq:?}");
}
