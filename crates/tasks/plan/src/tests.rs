//! Small profiles and their plans by hand: P-1 to P-6, and rejected files.

use crate::plan::{write_toml, write_tree};
use crate::profile::Setting;
use crate::testing::{Program, Texts, written};
use crate::{ClassId, File, Guided, Pattern, Plan};

fn plan_of(program: &Program) -> Plan {
    program.profile(2, |_, _| 1.0).plan(Pattern::Block).expect("a profile")
}

fn tree(plan: &Plan) -> String {
    let mut text = String::new();
    write_tree(plan, &mut text).expect("text");
    text
}

fn toml_of(plan: &Plan) -> toml::Table {
    let mut text = String::new();
    write_toml(plan, &mut text).expect("text");
    text.parse().expect("TOML")
}

fn paths(plan: &Plan) -> Vec<String> {
    let toml = toml_of(plan);
    let classes = toml["class"].as_array().expect("classes");
    classes.iter().map(|class| class["path"].as_str().expect("a path").to_owned()).collect()
}

#[test]
fn creators_and_workers_are_four_classes_and_with_an_empty_last_creator_three() {
    // P-1: the last creator makes no next one, so that its worker has seq 0.
    let plan = plan_of(&Program::creators(4, 1));
    assert_eq!((plan.classes().task_count(), plan.classes().all().len()), (9, 4));
    assert_eq!(
        tree(&plan),
        "0;main/0;-1;1\n0;0;creator/0;1\n\
         1;creator/0;-1;3\n1;0;creator/0;1\n1;0;worker/0;3\n1;1;worker/0;2\n\
         2;worker/0;-1;0\n3;worker/0;-1;0\n"
    );
    // One more creator at the end, without workers.
    let mut program = Program::creators(4, 1);
    let last = program.tasks.iter().rposition(|(kind, ..)| *kind == "creator").expect("a creator");
    program.tasks.truncate(last + 1);
    let last = u32::try_from(last).expect("few");
    program.task("creator", Some((last, 0)), &[]);
    program.task("worker", Some((last, 1)), &[]);
    let plan = plan_of(&program);
    assert_eq!((plan.classes().task_count(), plan.classes().all().len()), (10, 3));
    assert_eq!(
        paths(&plan),
        [
            "main/0",
            "(main/0, 0, creator/0):(creator/0, 0, creator/0)*",
            "(main/0, 0, creator/0):(creator/0, 0, creator/0)*:(creator/0, 1, worker/0)"
        ]
    );
}

#[test]
fn two_workers_of_each_creator_are_five_classes() {
    // P-2
    let plan = plan_of(&Program::creators(4, 2));
    assert_eq!((plan.classes().task_count(), plan.classes().all().len()), (13, 5));
}

#[test]
fn a_root_that_creates_its_like_is_a_star_without_a_first_step() {
    let mut program = Program::default();
    let root = program.task("step", None, &[]);
    let next = program.task("step", Some((root, 1)), &[]);
    program.task("step", Some((next, 0)), &[]);
    program.task("leaf", Some((next, 2)), &[]);
    let plan = plan_of(&program);
    assert_eq!(
        paths(&plan),
        [
            "(step/0, 0, step/0)*:(step/0, 1, step/0)*",
            "(step/0, 0, step/0)*:(step/0, 1, step/0)*:(step/0, 2, leaf/0)"
        ]
    );
}

#[test]
fn the_same_task_under_another_template_is_another_class() {
    // b under a and b under c at the same place; the second b has another number of accesses.
    let mut program = Program { blocks: vec![(0, 0)], ..Program::default() };
    let root = program.task("r", None, &[]);
    let (a, c) = (program.task("a", Some((root, 0)), &[]), program.task("c", Some((root, 1)), &[]));
    for (parent, blocks) in [(a, &[][..]), (c, &[]), (c, &[0])] {
        program.task("b", Some((parent, 0)), blocks);
    }
    assert_eq!(plan_of(&program).classes().all().len(), 6);
}

/// A root that makes two blocks, and a worker that reads both; `near` is its time with each of them near.
fn two_blocks(near: [f64; 2]) -> (Program, Texts) {
    let mut program = Program { blocks: vec![(0, 0), (0, 1)], ..Program::default() };
    let root = program.task("root", None, &[]);
    program.task("worker", Some((root, 0)), &[0, 1]);
    let texts = program.profile(2, |_, setting| match setting.parts().1 {
        Some(slot) => near[slot],
        None => 2.5,
    });
    (program, texts)
}

#[test]
fn a_task_goes_where_what_it_wants_most_lies() {
    // P-5: affinities 1 and 0; blocks on nodes 0 and 1 by both patterns.
    for pattern in [Pattern::Block, Pattern::Cyclic] {
        let plan = two_blocks([1.0, 2.0]).1.plan(pattern).expect("a profile");
        let nodes: Vec<_> = plan.planned().map(|(_, _, planned)| planned.node).collect();
        assert_eq!(nodes, [None, Some(0)]);
        let plan = two_blocks([2.0, 1.0]).1.plan(pattern).expect("a profile");
        let nodes: Vec<_> = plan.planned().map(|(_, _, planned)| planned.node).collect();
        assert_eq!(nodes, [None, Some(1)]);
        assert_eq!(plan.no_opinion(), 1);
    }
}

/// Seconds of `full` are a sum, and accesses are counted: a duplicate line would double them.
#[test]
fn lines_that_are_there_twice_are_refused() {
    for (file, line, said) in [
        (File::Acc, "worker/2;;1;0;;;0", "this access of task 1 is there twice"),
        (File::Raw, "worker/2;;1;full;-;", "this experiment of task 1 is there twice"),
        (File::Raw, "worker/2;;1;normal;-;", "this experiment of task 1 is there twice"),
        (File::Raw, "worker/2;;1;numa_fixed;1;", "this experiment of task 1 is there twice"),
    ] {
        let mut texts = two_blocks([1.0, 2.0]).1;
        let text = texts.file(file);
        let there = text.lines().find(|there| there.starts_with(line)).expect(line).to_owned();
        text.push_str(&there);
        text.push('\n');
        assert_eq!(texts.plan(Pattern::Block).expect_err(line).message, said);
    }
}

#[test]
fn hints_say_where_blocks_lie_and_many_accesses_count_more_than_one() {
    let mut program = Program { blocks: vec![(0, 0), (0, 1), (0, 2)], ..Program::default() };
    let root = program.task("root", None, &[]);
    program.task("worker", Some((root, 0)), &[0, 1, 2]);
    let seconds = |_, setting: Setting| [1.0, 1.4, 1.4][setting.parts().1.unwrap_or(0)];
    let texts = program.profile(2, seconds).with(File::AffDbs, "0;0;0\n1;1;1\n2;1;1\n");
    let alone = texts.plan(Pattern::Hints).expect("a profile");
    // Affinities 1, 0, 0: the first block decides.
    assert_eq!(alone.planned().nth(1).and_then(|(_, _, planned)| planned.node), Some(0));
    let alike = program.profile(2, |_, _| 1.0).with(File::AffDbs, "0;0;0\n1;1;1\n2;1;1\n");
    let alike = alike.plan(Pattern::Hints).expect("a profile");
    // All alike: 1 for node 0, 2 for node 1.
    assert_eq!(alike.planned().nth(1).and_then(|(_, _, planned)| planned.node), Some(1));
    assert_eq!(alike.blocks().iter().map(|class| class.node).collect::<Vec<_>>(), [0, 1, 1]);
}

#[test]
fn work_of_tied_classes_is_spread() {
    // Four workers with equal scores for both nodes: 0, 1 by number, then the node with less work.
    let mut program = Program { blocks: vec![(0, 0), (0, 1)], ..Program::default() };
    let root = program.task("root", None, &[]);
    for seq in 0..4 {
        program.task("worker", Some((root, seq)), &[0, 1]);
    }
    // Work 3, 1, 1, 1: node 0; node 1 with 0, then 1, then 2 (below 3).
    let texts = program.profile(2, |task, _| if task == 1 { 3.0 } else { 1.0 });
    let plan = texts.plan(Pattern::Block).expect("a profile");
    let nodes: Vec<_> = plan.planned().skip(1).filter_map(|(_, _, planned)| planned.node).collect();
    assert_eq!(nodes, [0, 1, 1, 1]);
}

#[test]
fn a_plan_of_four_iterations_drives_a_thousand_and_counts_what_it_does_not_know() {
    // P-3 and P-6.
    let guide = written(&plan_of(&Program::creators(4, 2))).guide(2).expect("a plan");
    let mut program = Program::creators(1000, 2);
    let classes = |program: &Program| {
        let mut classes: Vec<Option<ClassId>> = Vec::new();
        for (task, (_, created, _)) in (0..).zip(&program.tasks) {
            let template = program.template(task);
            classes.push(match *created {
                None => guide.root(&template),
                Some((parent, seq)) => {
                    classes[parent as usize].and_then(|creator| guide.child(creator, seq, &template))
                }
            });
        }
        classes
    };
    assert!(classes(&program).iter().all(Option::is_some));
    // A worker that creates a child, which creates another one: neither has a class.
    let worker = program.tasks.iter().position(|(kind, ..)| *kind == "worker").expect("a worker");
    let child = program.task("worker", Some((u32::try_from(worker).expect("few"), 0)), &[]);
    program.task("worker", Some((child, 0)), &[]);
    let found = classes(&program);
    assert_eq!(found.iter().filter(|class| class.is_none()).count(), 2);
    assert_eq!(guide.task(found[child as usize]), Guided::Fallback);
    assert_eq!(guide.task(found[worker]), Guided::NoOpinion);
    assert_eq!(guide.block(found[0], 7), None);
}

#[test]
fn the_plan_for_people_says_everything() {
    let mut text = String::new();
    let plan = two_blocks([1.0, 1.5]).1.plan(Pattern::Block).expect("a profile");
    write_toml(&plan, &mut text).expect("text");
    insta::assert_snapshot!(text);
}

#[test]
fn long_paths_are_cut_and_names_are_escaped() {
    let mut program = Program::default();
    let mut parent = program.task("a\"\\", None, &[]);
    for step in 0..250 {
        parent = program.task(if step % 2 == 0 { "b" } else { "c" }, Some((parent, 0)), &[]);
    }
    let paths = paths(&plan_of(&program));
    assert_eq!(paths[1], "(a\"\\/0, 0, b/0)");
    assert_eq!(paths[100].matches('(').count(), 100);
    assert!(paths[250].starts_with("(150 more steps):(c/0, 0, b/0):"), "{}", &paths[250][..60]);
    assert_eq!(paths[250].matches('(').count(), 101);
}

/// Each file with an invalid text, and the message.
#[test]
fn what_is_wrong_is_said_with_its_file_and_line() {
    let good = two_blocks([1.0, 2.0]).1.with(File::AffDbs, "0;1;0\n1;0;1\n");
    let cases = [
        (File::Meta, ""),
        (File::Meta, "2\n2\n"),
        (File::Meta, "0\n"),
        (File::Meta, "2;\n"),
        (File::Edt, ""),
        (File::Edt, "0;root/0\n1;worker\n"),
        (File::Edt, "0;root/0\n0;worker/2\n"),
        (File::Edt, "0;root/0\n+1;worker/2\n"),
        (File::Edt, "0;root/0\n1;worker/2\n2;worker/2\n"),
        (File::Edt, "0;root/0\n1;worker/999999999\n"),
        (File::New, ""),
        (File::New, "0;0;7\n"),
        (File::New, "0;0;1\n0;1;1\n"),
        (File::New, "0;0;1\n1;0;0\n"),
        (File::New, "9;0;1\n"),
        (File::New, "1;0;1\n"),
        (File::Dbs, "0;;;8;0;0\n1;;;-8;0;1\n"),
        (File::Dbs, "0;;;8;0;0\n1;;;1e308;0;1\n"),
        (File::Dbs, "0;;;8;0;0\n0;;;8;0;1\n"),
        (File::Dbs, "0;;;8;5;0\n"),
        (File::Dbs, "0;;;8;0\n"),
        (File::Acc, "worker/2;;1;0;;;5\n"),
        (File::Acc, "worker/2;;1;2;;;0\n"),
        (File::Acc, "worker/3;;1;0;;;0\n"),
        (File::Acc, "worker/2;;3;0;;;0\n"),
        (File::Raw, "worker/2;;1;warm;0;1\n"),
        (File::Raw, "worker/2;;1;cache;-;1\n"),
        (File::Raw, "worker/2;;1;full;0;1\n"),
        (File::Raw, "worker/2;;1;cache;0;inf\n"),
        (File::Raw, "worker/2;;1;cache;0;NaN\n"),
        (File::Raw, "worker/2;;1;cache;0;-1\n"),
        (File::Raw, "worker/2;;1;cache;0;1e308\nworker/2;;1;cache;0;1e308\n"),
        (File::Raw, "worker/2;;1;full;-;1.1e18\n"),
        (File::AffDbs, "0;1;2\n"),
        (File::AffDbs, "0;2;0\n"),
        (File::AffDbs, "0;1;0\n"),
    ];
    let said: Vec<String> = cases
        .iter()
        .map(|(file, text)| {
            let fault = good.clone().with(*file, text).plan(Pattern::Hints).expect_err(text);
            told(text, &fault)
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_broken_plan_is_refused_with_its_file_and_line() {
    let good = written(&two_blocks([1.0, 2.0]).1.plan(Pattern::Block).expect("a profile"));
    good.guide(2).expect("a plan");
    let cases = [
        (File::PlanTree, ""),
        (File::PlanTree, "1;root/0;-1;0\n"),
        (File::PlanTree, "0;root/0;-1;1\n"),
        (File::PlanTree, "0;root/0;-1;1\n0;0;worker/2;1\n"),
        (File::PlanTree, "0;root/0;-1;1\n1;0;worker/2;1\n"),
        (File::PlanTree, "0;root/0;-1;1\n0;0;worker/2;0\n"),
        (File::PlanTree, "0;root/0;-2;0\n"),
        (File::PlanTree, "0;root/0;2;0\n"),
        (File::PlanTree, "0;root/0;0;2\n0;0;root/0;0\n0;0;root/0;0\n"),
        (File::PlanTree, "0;root/0;0\n"),
        (File::PlanTree, "0;root;0;0\n"),
        (File::PlanTree, "0;root/0;nan;0\n"),
        (File::PlanTree, "0;root/0;0;18446744073709551616\n"),
        (File::PlanTree, "0;root/0;0;1\n0;0;worker/2;18446744073709551615\n"),
        (File::PlanTree, "0;root/0;0;0\n0;root/0;0;0\n"),
        (File::PlanTree, "0;root/0;0;0\n\n"),
        (File::PlanDbs, "2;0;0\n"),
        (File::PlanDbs, "0;0;0\n0;0;1\n"),
        (File::PlanDbs, "0;0;2\n"),
        (File::PlanDbs, "0;0;-1\n"),
        (File::PlanDbs, "0;0\n"),
        (File::PlanDbs, "0;0;inf\n"),
    ];
    let said: Vec<String> = cases
        .iter()
        .map(|(file, text)| {
            let fault = good.clone().with(*file, text).guide(2).expect_err(text);
            told(text, &fault)
        })
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}

fn told(text: &str, fault: &crate::Fault) -> String {
    let hint = fault.hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"));
    format!("{text:?}\n  {fault}{hint}")
}
