//! Files by hand, their mistakes, and round trips of graphs of any kind.

mod trees;

use crate::values::{
    Access, AccessMode, Block, BlockHome, BlockId, Generator, NewTask, Submit, TaskGraph, TaskGraphBuilder,
    TaskId, TreeTask,
};
use numasim_model::ids::NodeId;
use numasim_study::Problem;
use proptest::prelude::*;

use super::{read, write_blocks, write_edges, write_tasks};
use crate::generate;
use crate::testing::{are_inside, located};

fn written(graph: &TaskGraph) -> [String; 3] {
    let mut files = [const { String::new() }; 3];
    let [blocks, tasks, edges] = &mut files;
    write_blocks(graph, blocks).expect("text");
    write_tasks(graph, tasks).expect("text");
    write_edges(graph, edges).expect("text");
    files
}

fn shown(problems: &[Problem], blocks: &str, tasks: &str) -> String {
    located(problems, &[("blocks", blocks), ("tasks", tasks)])
}

const BLOCKS: &str = "name,bytes,id,home\nX,3e6,0,1\n\"a, \"\"b\"\"\",2000000,1,interleave\n,0.5,2,\n";
const TASKS: &str = "accesses,id,gflop,taskwait,type,socket,name\n\
                     in:0;out:1:10,0,1,,work,,first\n\
                     inout:1:2e6:4e6;in:2,1,0.25,1,,3,\n,2,0,,work,,\"x,y\"\n";

#[test]
fn columns_may_come_in_any_order() {
    let graph = read("g", BLOCKS, TASKS).expect("in order");
    let access = |block, mode, declared_bytes, moved_bytes| Access {
        block: BlockId(block),
        mode,
        declared_bytes,
        moved_bytes,
    };
    let (read, write, update) = (AccessMode::In, AccessMode::Out, AccessMode::Inout);
    // By default the declared bytes are the size of the block, and the moved bytes are the declared ones.
    assert_eq!(
        graph.accesses(TaskId(0)).collect::<Vec<_>>(),
        [access(0, read, 3e6, 3e6), access(1, write, 10.0, 10.0)]
    );
    assert_eq!(
        graph.accesses(TaskId(1)).collect::<Vec<_>>(),
        [access(1, update, 2e6, 4e6), access(2, read, 0.5, 0.5)]
    );
    assert_eq!(graph.accesses(TaskId(2)).len(), 0);
    assert_eq!((graph.taskwait(TaskId(0)), graph.taskwait(TaskId(1))), (false, true));
    assert_eq!((graph.socket(TaskId(0)), graph.socket(TaskId(1))), (None, Some(NodeId(3))));
    assert_eq!((graph.task_name(TaskId(0)), graph.task_name(TaskId(1))), (Some("first"), None));
    assert_eq!(graph.block_name(BlockId(1)), Some("a, \"b\""));
    let homes: Vec<BlockHome> = graph.blocks().iter().map(|block| block.home).collect();
    assert_eq!(homes, [BlockHome::Node(NodeId(1)), BlockHome::Interleaved, BlockHome::Open]);
}

#[test]
fn a_graph_is_written_in_the_documented_form() {
    let [blocks, tasks, edges] = written(&read("g", BLOCKS, TASKS).expect("in order"));
    assert_eq!(blocks, "id,bytes,home,name\n0,3000000,1,X\n1,2000000,interleave,\"a, \"\"b\"\"\"\n2,0.5,,\n");
    assert_eq!(
        tasks,
        "id,type,gflop,accesses,socket,taskwait,name\n0,work,1,in:0;out:1:10,,,first\n\
         1,,0.25,inout:1:2000000:4000000;in:2,3,1,\n2,work,0,,,,\"x,y\"\n"
    );
    assert_eq!(edges, "from,to,kind,bytes\n0,1,raw,2000000\n");
}

#[test]
fn optional_columns_may_be_absent() {
    let graph = read("g", "id,bytes\r\n0,1\r\n", "id,gflop,accesses\r\n0,2,out:0\r\n").expect("in order");
    assert_eq!((graph.blocks().len(), graph.task_count()), (1, 1));
    let no_blocks = read("g", "id,bytes\n", "id,gflop,accesses\n0,2,").expect("in order");
    assert_eq!((no_blocks.blocks().len(), no_blocks.task_count()), (0, 1));
}

#[test]
fn a_graph_without_tasks_is_refused() {
    let problems = read("g", "id,bytes\n0,1\n", "id,gflop,accesses\n").expect_err("an empty graph");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].message, "there are no tasks: this graph is empty");
}

#[test]
fn every_mistake_is_shown_where_it_is() {
    let blocks = "id,bytes,home,name\n0,-1,2,\n1,4,everywhere,a\u{7}b\n3,1e999,,\n";
    let tasks = "id,gflop,accesses,taskwait\n0,x,in:0,2\n1,,in:0,\n2,1\n";
    let problems = read("g", blocks, tasks).expect_err("mistakes");
    insta::assert_snapshot!(shown(&problems, blocks, tasks));
}

#[test]
fn mistakes_in_accesses_are_shown_in_their_cell() {
    let blocks = "id,bytes\n0,8\n1,8\n";
    let tasks = "gflop,id,accesses\n1,0,in:0;read:1\n1,1,in:0;out:2:7\n1,2,in:0:8:9:7\n1,3,in:0:8:-9\n1,4,in:0;out:0\n\
                 1,5,in:0;\n1,6,\"in:0;in:9\"\n";
    let problems = read("g", blocks, tasks).expect_err("mistakes");
    insta::assert_snapshot!(shown(&problems, blocks, tasks));
}

#[test]
fn a_header_names_known_columns_once() {
    let (blocks, tasks) = ("id,bytes,size\n0,1,1\n", "id,accesses,gflops,id\n0,,1,0\n");
    let problems = read("g", blocks, tasks).expect_err("mistakes");
    insta::assert_snapshot!(shown(&problems, blocks, tasks));
    assert!(read("g", "", "id,gflop,accesses\n").is_err_and(|all| all[0].message.contains("no rows")));
}

#[test]
fn a_long_list_of_mistakes_is_cut() {
    let rows: Vec<String> = (0..1000).map(|row| format!("{row},x")).collect();
    let problems =
        read("g", &format!("id,bytes\n{}", rows.join("\n")), "id,gflop,accesses\n").expect_err("mistakes");
    assert_eq!(problems.len(), 21);
    assert_eq!(problems[20].message, "there are more problems; these are the first");
}

fn any_amount() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        (0..1000_u32).prop_map(f64::from),
        0.0..1e12,
        // The whole accepted range.
        (1.0..10.0_f64, -39..39_i32).prop_map(|(digits, exponent)| digits * 10.0_f64.powi(exponent)),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ -~äß名]{0,12}".prop_filter("seen", |name| !name.contains(numasim_model::text::is_hidden))
    ]
}

fn any_home() -> impl Strategy<Value = BlockHome> {
    prop_oneof![
        Just(BlockHome::Open),
        Just(BlockHome::Interleaved),
        (0..1024_usize).prop_map(|node| BlockHome::Node(NodeId(node)))
    ]
}

/// Blocks, and tasks that access some of them.
fn any_graph() -> impl Strategy<Value = TaskGraph> {
    let blocks = prop::collection::vec((any_amount(), any_home(), any_name()), 1..6);
    let said = (prop::option::of(0..1024_usize), any::<Option<prop::sample::Index>>());
    let said_of_blocks = prop_oneof![Just(Vec::new()), prop::collection::vec(said, 1..2)];
    let access = (any::<prop::sample::Index>(), 0..3_usize, any_amount(), any_amount(), 0..3_u32);
    let task = (
        prop::collection::vec(access, 0..4),
        any_amount(),
        any_name(),
        any_name(),
        0..6_usize,
        any::<bool>(),
        any_tree(),
        prop_oneof![Just(0.0), Just(0.0), Just(-2.5), 0.0..9.0_f64],
    );
    (blocks, prop::collection::vec(task, 1..8), said_of_blocks).prop_map(|(blocks, tasks, said_of_blocks)| {
        let mut graph = TaskGraphBuilder::new("g");
        for (bytes, home, name) in &blocks {
            graph.block(Block { bytes: *bytes, home: *home }, Some(name)).expect("a block");
        }
        for (number, (accesses, gflop, kind, name, socket, taskwait, tree, priority)) in
            tasks.into_iter().enumerate()
        {
            let mut found: Vec<Access> = Vec::new();
            for (block, mode, declared, moved, given) in accesses {
                let block = block.index(blocks.len());
                let declared_bytes = if given > 0 { declared } else { blocks[block].0 };
                let moved_bytes = if given > 1 { moved } else { declared_bytes };
                let block = BlockId(u32::try_from(block).expect("few"));
                if found.iter().all(|access| access.block != block) {
                    found.push(Access { block, mode: AccessMode::ALL[mode], declared_bytes, moved_bytes });
                }
            }
            let (kind, socket) = (graph.kind(&kind), socket.checked_sub(1).map(NodeId));
            let (creator, affinity, submit, returns, replay) = &tree;
            let created_by =
                creator.map(|creator| creator.index(number + 1)).filter(|&creator| creator < number);
            let created_by = created_by.map(|creator| TaskId(u32::try_from(creator).expect("few")));
            let tree = TreeTask {
                created_by,
                seq: None,
                affinity: affinity.map(NodeId),
                submit: *submit,
                returns: *returns,
                replay: replay.as_deref(),
            };
            let taskwait = taskwait && created_by.is_none();
            let task = NewTask { kind, gflop, accesses: &found, socket, taskwait, name: Some(&name) };
            let id = graph.tree_task(task, tree).expect("a task");
            graph.prioritise(id, priority);
        }
        let tasks = graph.graph().task_count();
        for (block, (hint, creator)) in (0..).map(BlockId).zip(said_of_blocks) {
            if let Some(node) = hint {
                graph.block_hint(block, NodeId(node)).expect("a hint");
            }
            if let Some(creator) = creator.filter(|_| tasks > 0) {
                let creator = TaskId(u32::try_from(creator.index(tasks)).expect("few"));
                graph.block_created_by(block, creator).expect("a creator");
            }
        }
        graph.finish()
    })
}

type AnyTree = (Option<prop::sample::Index>, Option<usize>, Submit, bool, Option<String>);

/// The tree attributes of a task; half of the tasks have none.
fn any_tree() -> impl Strategy<Value = AnyTree> {
    let key = prop::option::of("[ -~é]{1,9}");
    let node = prop::option::of(0..1024_usize);
    let said =
        (any::<Option<prop::sample::Index>>(), node, prop::sample::select(&Submit::ALL), any::<bool>(), key);
    prop_oneof![Just((None, None, Submit::Spawn, false, None)), said]
}

proptest! {
    #![proptest_config(crate::random::questions(256))]

    #[test]
    fn files_that_are_read_and_written_again_do_not_change_by_a_byte(graph in any_graph()) {
        let files = written(&graph);
        let again = read("g", &files[0], &files[1]).expect("what was written can be read");
        prop_assert_eq!(again.blocks(), graph.blocks());
        for task in graph.tasks() {
            prop_assert!(again.accesses(task).eq(graph.accesses(task)));
            let key = |of: &TaskGraph| of.replay(task).map(|key| of.replays()[key.0 as usize].clone());
            let said = |of: &TaskGraph| {
                (of.created_by(task), of.affinity(task), of.submit(task), of.returns(task), key(of))
            };
            prop_assert_eq!(said(&again), said(&graph));
        }
        prop_assert_eq!(written(&again), files);
    }

    /// Any text with the characters of such files is read or rejected with places inside it.
    #[test]
    fn any_text_is_read_or_refused(
        blocks in "(id,bytes(,home|,name){0,2}\n)?([0-2]?[0-9,\"\r\n;:.e-]{0,6}){0,6}\\PC{0,3}",
        tasks in "(id,gflop,accesses(,socket|,type|,created_by|,seq|,affinity){0,3}\n)?([0-2],1,((in|out|inout):[0-2](:[0-9e.-]{0,3})?;?){0,2}[,\"\r\n]{0,2}){0,4}\\PC{0,3}",
    ) {
        if let Err(problems) = read("g", &blocks, &tasks) {
            prop_assert!(are_inside(&problems, &[&blocks, &tasks]), "{:?}", problems);
        }
    }
}

#[test]
fn generated_graphs_are_read_back_as_they_were() {
    let sockets = [NodeId(0), NodeId(2)];
    for generator in [
        Generator::RedBlack { grid: 4, tile: 512, iterations: 2, control: 1, init: true },
        Generator::Jacobi { blocks: 4, rows: 12, columns: 10, iterations: 3, init: true },
        Generator::Cg { blocks: 4, rows: 12, nnz_per_row: 27, iterations: 2, init: true },
        Generator::Smi { n: 4, tile: 512, init: true },
        Generator::NpbCg { rows: 100, nnz: 900, chunks: Some(7), repeat: 2 },
        Generator::Streamcluster { points: 70, dims: 3, chunks: Some(7), repeat: 2 },
        Generator::Ferret { queries: 3, database: 7001, load_flop: 9 },
        Generator::Stencil2d { n: 12, rows: 3, columns: 2, iterations: 3 },
        Generator::Seismic { n: 12, blocks: Some(2), strips: Some(3), iterations: 3 },
    ] {
        let graph = generate(&generator, "g", &sockets).expect("a graph");
        let files = written(&graph);
        let again = read("g", &files[0], &files[1]).expect("what was written can be read");
        assert_eq!(written(&again), files);
        assert_eq!(again.misplaced(), None);
        for task in graph.tasks() {
            assert_eq!(again.children(task), graph.children(task));
            assert_eq!(again.accesses(task).collect::<Vec<_>>(), graph.accesses(task).collect::<Vec<_>>());
            assert_eq!((again.gflop(task), again.socket(task)), (graph.gflop(task), graph.socket(task)));
        }
    }
}
