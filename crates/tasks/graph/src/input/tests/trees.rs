//! Tables about tasks that create tasks, about loops, and about programs that contend for the workers.

use numasim_study::{ProblemKind, TableKind};

use super::{MACHINE, files, problem, problems, read, read_study};
use crate::values::{
    ArrayId, BlockId, Contender, Generator, GraphSource, LoopShape, Program, ProgramArray, ProgramLoop,
    Submit, TaskGraph, TaskId,
};
use numasim_model::ids::NodeId;
use numasim_model::units::Seconds;

/// Two nodes of 4 cores and these tables.
fn with(tables: &str) -> String {
    format!("{MACHINE}{tables}\n")
}

fn graph(tables: &str) -> TaskGraph {
    match read(&with(tables)).further.source {
        GraphSource::Given(graph) => graph,
        other => panic!("no listed tasks: {other:?}"),
    }
}

fn message(tables: &str) -> String {
    let found = read_study(&files(&[&with(tables)])).err().unwrap_or_default();
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].message.clone()
}

const TREE: &str = "[[block]]\nname = \"X\"\nmb = 1\nhint = 1\ncreated_by = \"b\"\n[[block]]\nname = \"Y\"\nmb = 1\n\
     [[task]]\nname = \"main\"\nreturns = true\n\
     [[task]]\nname = \"a\"\ncreated_by = \"main\"\nseq = 1\naffinity = 0\nreplay = \"loop\"\n\
     [[task]]\nname = \"b\"\ncreated_by = \"main\"\nseq = 0\nsubmit = \"detach\"\nreplay = \"loop\"\n\
     [[task]]\ncreated_by = \"a\"\n";

#[test]
fn tasks_say_who_creates_them_and_how_they_are_handed_over() {
    let graph = graph(TREE);
    let [main, a, b, last] = [0, 1, 2, 3].map(TaskId);
    assert!(graph.is_tree());
    assert_eq!(
        [main, a, b, last].map(|task| graph.created_by(task)),
        [None, Some(main), Some(main), Some(a)]
    );
    assert_eq!((graph.children(main), graph.children(a)), (&[b, a][..], &[last][..]));
    assert_eq!([a, b, last].map(|task| graph.seq(task)), [Some(1), Some(0), Some(0)]);
    assert_eq!([a, last].map(|task| graph.gives_seq(task)), [true, false]);
    assert_eq!([a, b].map(|task| graph.affinity(task)), [Some(NodeId(0)), None]);
    assert_eq!([a, b].map(|task| graph.submit(task)), [Submit::Spawn, Submit::Detach]);
    assert_eq!([main, a].map(|task| graph.returns(task)), [true, false]);
    assert_eq!(
        (graph.replay(a), graph.replay(a) == graph.replay(b), graph.replay(main)),
        (graph.replay(b), true, None)
    );
    assert!(graph.replay(a).is_some());
    assert_eq!([0, 1].map(|block| graph.hint(BlockId(block))), [Some(NodeId(1)), None]);
    assert_eq!([0, 1].map(|block| graph.block_creator(BlockId(block))), [Some(b), None]);
}

#[test]
fn places_that_are_left_out_are_counted_of_tasks_that_a_task_creates() {
    let reading = read(&with(TREE));
    let seq =
        reading.defaults.iter().find(|default| default.table == TableKind::Task && default.key == "seq");
    assert_eq!(seq.map(|default| default.value.as_str()), Some("the order of the files, of 1 of 4 tasks"));
}

#[test]
fn creators_are_earlier_tasks() {
    for (keys, kind, marked) in [
        ("created_by = \"nobody\"", ProblemKind::UnknownName, "\"nobody\""),
        ("created_by = \"last\"", ProblemKind::BadValue, "\"last\""),
        ("name = \"own\"\ncreated_by = \"own\"", ProblemKind::BadValue, "\"own\""),
        ("created_by = \"main\"\ntaskwait = true", ProblemKind::Conflict, "true"),
        ("seq = 0", ProblemKind::Conflict, "0"),
        ("created_by = \"main\"\nsubmit = \"return\"", ProblemKind::BadValue, "\"return\""),
        ("affinity = 2", ProblemKind::BadValue, "2"),
        ("created_by = 3", ProblemKind::WrongType, "3"),
        ("returns = 1", ProblemKind::WrongType, "1"),
        ("replay = \"\"", ProblemKind::BadValue, "\"\""),
    ] {
        let tables = format!("[[task]]\nname = \"main\"\n[[task]]\n{keys}\n[[task]]\nname = \"last\"\n");
        assert_eq!(problem(&with(&tables)), (kind, marked.to_owned()), "{keys}");
    }
    assert_eq!(message("[[task]]\ncreated_by = \"x\""), "there is no task `x`");
    // `taskwait = false` has no effect.
    graph("[[task]]\nname = \"main\"\n[[task]]\ncreated_by = \"main\"\ntaskwait = false\n");
}

#[test]
fn what_a_broken_task_creates_is_not_reported_again() {
    let tables = "[[task]]\nname = \"main\"\ngflop = -1\n[[task]]\ncreated_by = \"main\"\nseq = 7\n";
    assert_eq!(problem(&with(tables)), (ProblemKind::BadValue, "-1".to_owned()));
}

#[test]
fn blocks_are_created_by_tasks_and_hinted_at_nodes() {
    let block = |keys: &str| format!("[[block]]\nname = \"X\"\nmb = 1\n{keys}\n[[task]]\nname = \"main\"\n");
    assert_eq!(
        problem(&with(&block("created_by = \"mian\""))),
        (ProblemKind::UnknownName, "\"mian\"".to_owned())
    );
    assert_eq!(problem(&with(&block("hint = 2"))), (ProblemKind::BadValue, "2".to_owned()));
    assert_eq!(problem(&with(&block("hint = \"interleave\""))).0, ProblemKind::WrongType);
}

/// The children of `main` with these places.
fn places(seqs: &[Option<u32>]) -> String {
    let mut text = "[[task]]\nname = \"main\"\n".to_owned();
    for (number, seq) in seqs.iter().enumerate() {
        text.extend([format!("[[task]]\nname = \"t{number}\"\ncreated_by = \"main\"\n")]);
        text.extend(seq.map(|seq| format!("seq = {seq}\n")));
    }
    text
}

#[test]
fn the_places_of_all_tasks_of_a_creator_are_counted_from_0_or_left_out() {
    graph(&places(&[Some(2), Some(0), Some(1)]));
    graph(&places(&[None, None]));
    let problem_of = |seqs: &[Option<u32>]| problem(&with(&places(seqs)));
    let conflict = |marked: &str| (ProblemKind::Conflict, marked.to_owned());
    assert_eq!(problem_of(&[Some(1), Some(0), Some(1)]), conflict("1"));
    assert_eq!(message(&places(&[Some(0), Some(0)])), "two tasks of `main` have the `seq` 0");
    assert_eq!(problem_of(&[Some(0), Some(3), Some(1)]), conflict("3"));
    assert_eq!(
        message(&places(&[Some(0), Some(3), Some(1)])),
        "no task of `main` has the `seq` 2, but `t1` has a larger one"
    );
    assert_eq!(problem_of(&[Some(0), None]), conflict("[[task]]"));
    assert_eq!(message(&places(&[Some(0), None])), "`t1` has no `seq`, but other tasks of `main` have one");
}

#[test]
fn a_program_is_arrays_and_loops_over_them() {
    let tables = "[program]\nrepeat = 3\n[[program.array]]\nname = \"a\"\nmb = 2\n[[program.array]]\nname = \"p\"\nbytes = 8\n\
         [[program.loop]]\nname = \"spmv\"\ngflop = 0.5\nin = [\"a\"]\nwhole = [\"p\"]\n\
         [[program.loop]]\nname = \"swap\"\ninout = [\"p\"]\nout = [\"a\"]\nshape = \"list\"\n";
    let study = read(&with(tables)).further;
    let array = |name: &str, bytes| ProgramArray { name: name.to_owned(), bytes };
    let (a, p) = (ArrayId(0), ArrayId(1));
    let spmv = ProgramLoop {
        name: "spmv".to_owned(),
        gflop: 0.5,
        inputs: vec![a],
        whole: vec![p],
        inout: vec![],
        out: vec![],
        shape: LoopShape::Range,
    };
    let swap = ProgramLoop {
        name: "swap".to_owned(),
        gflop: 0.0,
        inputs: vec![],
        whole: vec![],
        inout: vec![p],
        out: vec![a],
        shape: LoopShape::List,
    };
    // Two nodes of 4 cores: 8 x 8 chunks.
    let program = Program {
        chunks: Some(64),
        repeat: 3,
        arrays: vec![array("a", 2e6), array("p", 8.0)],
        loops: vec![spmv, swap],
    };
    assert_eq!(study.source, GraphSource::Program { name: "program".to_owned(), program });
    let given = read(&with(&tables.replace("repeat = 3", "chunks = 5")));
    let GraphSource::Program { program, .. } = given.further.source else { panic!("no program") };
    assert_eq!((program.chunks, program.repeat), (Some(5), 1));
    let defaults = given.defaults.iter().filter(|default| default.table.as_str().starts_with("program"));
    let defaults: Vec<String> =
        defaults.map(|default| format!("{} {} = {}", default.name, default.key, default.value)).collect();
    assert_eq!(defaults, [" repeat = 1", "spmv shape = range", "swap gflop = 0"]);
}

#[test]
fn mistakes_of_a_program_are_reported_all_at_once() {
    let tables = "[program]\nchunks = 0\n[[program.array]]\nname = \"a\"\n[[program.array]]\nname = \"a\"\nmb = 1\n\
         [[program.loop]]\nname = \"l\"\nin = [\"a\", \"b\"]\nout = [\"a\"]\nshape = \"tree\"\n\
         [[program.loop]]\nname = \"l\"\nreads = [\"a\"]\n";
    let expected = [
        (ProblemKind::BadValue, "0"),
        (ProblemKind::MissingKey, "[[program.array]]"),
        (ProblemKind::DuplicateName, "\"a\""),
        (ProblemKind::UnknownName, "\"b\""),
        (ProblemKind::DuplicateName, "\"a\""),
        (ProblemKind::BadValue, "\"tree\""),
        (ProblemKind::DuplicateName, "\"l\""),
        (ProblemKind::UnknownKey, "reads"),
    ];
    assert_eq!(problems(&[&with(tables)]), expected.map(|(kind, text)| (kind, text.to_owned())));
}

#[test]
fn tasks_and_loops_are_given_in_one_way() {
    let both = "[program]\n[graph]\ngenerator = \"qr\"\n";
    assert_eq!(problem(&with(both)), (ProblemKind::Conflict, "\"qr\"".to_owned()));
    assert_eq!(message("[program]\n[[task]]\n"), "the tasks are given in two ways");
}

fn contender(keys: &str) -> Option<Contender> {
    read(&with(&format!("[contender]\n{keys}"))).further.contender
}

#[test]
fn contenders_want_workers_all_the_time_or_in_phases() {
    assert_eq!(read(&with("[graph]\ngenerator = \"qr\"")).further.contender, None);
    let plain = Contender { gflop: 0.5, count: 1, phases: None };
    assert_eq!(contender("gflop = 0.5"), Some(plain));
    let phases = [(0.0, 1.0), (1.5, 2.5)].map(|(from, to)| (Seconds::new(from), Seconds::new(to))).to_vec();
    let some = Contender { gflop: 1.0, count: 3, phases: Some(phases) };
    assert_eq!(contender("gflop = 1\ncount = 3\nphases_s = [[0, 1], [1.5, 2.5]]"), Some(some));
}

#[test]
fn phases_ascend_and_do_not_touch() {
    for (phases, kind, marked) in [
        ("[]", ProblemKind::BadValue, "[]"),
        ("[[1, 1]]", ProblemKind::BadValue, "1"),
        ("[[2, 1.5]]", ProblemKind::BadValue, "1.5"),
        ("[[0, 1, 2]]", ProblemKind::WrongLength, "[0, 1, 2]"),
        ("[0, 1]", ProblemKind::WrongType, "0"),
        ("[[0, 2], [1, 3]]", ProblemKind::BadValue, "[1, 3]"),
        ("[[0, 2], [2, 3]]", ProblemKind::BadValue, "[2, 3]"),
        ("[[-1, 2]]", ProblemKind::BadValue, "-1"),
        ("[[0, inf]]", ProblemKind::BadValue, "inf"),
    ] {
        let found = problems(&[&with(&format!("[contender]\ngflop = 1\nphases_s = {phases}\n"))]);
        assert_eq!(found.first(), Some(&(kind, marked.to_owned())), "{phases}");
    }
    assert_eq!(problem(&with("[contender]\ngflop = 0\n")), (ProblemKind::BadValue, "0".to_owned()));
    assert_eq!(problem(&with("[contender]\ncount = 1\n")).0, ProblemKind::MissingKey);
}

#[test]
fn what_the_machine_says_of_a_generator_may_be_given() {
    let generator = |keys: &str| match read(&with(&format!("[graph]\ngenerator = {keys}"))).further.source {
        GraphSource::Generated { generator, .. } => generator,
        other => panic!("no generator: {other:?}"),
    };
    let seismic = |blocks, strips| Generator::Seismic { n: 16_000, blocks, strips, iterations: 100 };
    assert_eq!(generator("\"seismic\""), seismic(Some(2), Some(8)));
    assert_eq!(generator("\"seismic\"\nstrips = 10"), seismic(Some(2), Some(10)));
    // 3 x 8 strips do not divide 16000 rows.
    let text = "[graph]\ngenerator = \"seismic\"\nblocks = 3";
    assert_eq!(message(text), "`seismic` cannot divide 16000 `n` into 24 `strips`");
    let stencil = "[graph]\ngenerator = \"stencil2d\"\nn = 12\nrows = 4\ncolumns = 5";
    assert_eq!(message(stencil), "`stencil2d` cannot divide 12 `n` into 5 `columns`");
    assert_eq!(message("[graph]\ngenerator = \"npb-mg\"\nlog2 = 21"), "`log2` must be at most 20, not 21");
}

#[test]
fn a_pipeline_has_two_tokens_for_each_worker_unless_it_says_another_number() {
    let throttle = |tables: &str| read(&with(tables)).further.runtime.throttle;
    assert_eq!(throttle("[graph]\ngenerator = \"ferret\""), Some(16));
    assert_eq!(throttle("[graph]\ngenerator = \"ferret\"\n[runtime]\nthrottle = 3"), Some(3));
    assert_eq!(throttle("[graph]\ngenerator = \"npb-cg\""), None);
    let reading = read(&with("[graph]\ngenerator = \"ferret\""));
    let listed = reading.defaults.iter().find(|default| default.key == "throttle");
    assert_eq!(listed.map(|default| default.value.as_str()), Some("16"));
}
