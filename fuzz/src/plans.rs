//! Guarantees of readers of profiles and plans, and of runs under any plan.

use numasim_ask::reading::read_study;
use numasim_graph::csv;
use numasim_graph::values::{
    BlockId, PagePlacement, RuntimeSettings, SchedulerKind, SchedulerSettings, TaskGraph,
};
use numasim_model::NodeId;
use numasim_plan::{Fault, File, GraphPlan, Guide, Lines, Pattern, analyse, guide, plan};
use numasim_study::SourceFile;
use numasim_tasks::{Question, Silent, simulate};

use super::NEXT_FILE;

/// In the order of the text, with [`NEXT_FILE`] between them.
const PROFILE: [File; 7] = [File::Meta, File::Edt, File::New, File::Dbs, File::Acc, File::Raw, File::AffDbs];
const PLAN: [File; 2] = [File::PlanTree, File::PlanDbs];

/// Larger graphs are looked up, but not simulated.
const MOST_TASKS: usize = 200;

/// The files of one text.
fn parts<'t>(text: &'t str, files: &[File]) -> Vec<(File, &'t str)> {
    let texts = text.split(NEXT_FILE).chain(std::iter::repeat(""));
    files.iter().copied().zip(texts).collect()
}

fn feed(parts: &[(File, &str)], file: File, each: Lines<'_>) -> Result<(), Fault> {
    let text = parts.iter().find(|part| part.0 == file).map_or("", |part| part.1);
    (1..).zip(text.lines()).try_for_each(|(line, text)| each(line, text))
}

/// A fault has a message and refers to an existing line, or to the end of the text; a cell belongs to that line.
fn fault_is_sound(fault: &Fault, parts: &[(File, &str)]) {
    assert!(
        !fault.message.is_empty() && !fault.message.contains(numasim_model::text::is_hidden),
        "{fault:?}"
    );
    let text = parts.iter().find(|part| part.0 == fault.file).map_or("", |part| part.1);
    let lines = text.lines().count() as u64;
    assert!((1..=lines + 1).contains(&fault.line), "{fault:?} of {lines} lines");
    let line = text.lines().nth(usize::try_from(fault.line).expect("few lines") - 1).unwrap_or_default();
    assert!(fault.cell.is_none_or(|cell| cell < line.split(';').count()), "{fault:?} in {line:?}");
}

/// The files of a profile: each pattern yields a plan or a fault. The plan is written, reads back for the same number of nodes, and is
/// TOML.
pub fn profile(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let parts = parts(&text, &PROFILE);
    for pattern in Pattern::ALL {
        let plan = match analyse::<Fault>(pattern, |file, each| feed(&parts, file, each)) {
            Ok(plan) => plan,
            Err(fault) => {
                fault_is_sound(&fault, &parts);
                continue;
            }
        };
        let (mut tree, mut dbs, mut toml) = (String::new(), String::new(), String::new());
        plan::write_tree(&plan, &mut tree).expect("memory does not fail");
        plan::write_dbs(&plan, &mut dbs).expect("memory does not fail");
        plan::write_toml(&plan, &mut toml).expect("memory does not fail");
        let written = [(File::PlanTree, tree.as_str()), (File::PlanDbs, dbs.as_str())];
        let read = guide::<Fault>(plan.nodes(), |file, each| feed(&written, file, each));
        let read = read.unwrap_or_else(|fault| panic!("{fault}\n{tree}\n{dbs}"));
        assert_eq!(read.class_count(), plan.planned().count(), "{tree}");
        let toml: toml::Table = toml.parse().unwrap_or_else(|error| panic!("{error}\n{toml}"));
        let classes = toml.get("class").and_then(toml::Value::as_array).map_or(0, Vec::len);
        assert_eq!(classes, read.class_count(), "{toml}");
    }
}

/// `plan-tree.csv`, `plan-dbs.csv`, `blocks.csv` and `tasks.csv` on two nodes: under any plan, a graph is looked up and simulated, and
/// entries missing from the plan are counted.
pub fn plan(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let files = parts(&text, &PLAN);
    let guide = match guide::<Fault>(2, |file, each| feed(&files, file, each)) {
        Ok(guide) => guide,
        Err(fault) => return fault_is_sound(&fault, &files),
    };
    let mut rest = text.split(NEXT_FILE).skip(PLAN.len());
    let (blocks, tasks) = (rest.next().unwrap_or(""), rest.next().unwrap_or(""));
    if let Ok(graph) = csv::read("fuzzed", blocks, tasks) {
        run_is_sound(&guide, &graph);
    }
}

fn run_is_sound(guide: &Guide, graph: &TaskGraph) {
    let nodes = [NodeId(0), NodeId(1)];
    let plan = GraphPlan::of(guide, graph, &nodes);
    let fallbacks = plan.fallbacks();
    assert!(fallbacks.tasks <= graph.task_count() as u64);
    assert!(fallbacks.blocks <= graph.blocks().len() as u64);
    for task in graph.tasks() {
        assert!(
            plan.task(task).is_none_or(|node| nodes.contains(&node) || graph.affinity(task) == Some(node))
        );
    }
    for block in (0..).zip(graph.blocks()).map(|(number, _)| BlockId(number)) {
        assert!(
            plan.block(block).is_none_or(|node| nodes.contains(&node) || graph.hint(block) == Some(node))
        );
    }
    if graph.task_count() > MOST_TASKS {
        return;
    }
    let text = "[machine]\nname = 'm'\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 32\nlink_gbs = 10\n";
    let file = SourceFile { name: "machine.toml".to_owned(), text: text.to_owned() };
    let study = read_study(&[file]).expect("a valid study").study;
    let scheduler = SchedulerSettings { kind: SchedulerKind::Plan, ..SchedulerSettings::default() };
    let runtime = RuntimeSettings::default();
    let question = Question {
        placement: PagePlacement::Numa,
        plan: Some(&plan),
        ..Question::new(&study.machine, graph, &scheduler, &runtime)
    };
    // Homes, hints and affinities may be nodes that do not exist in the machine.
    if let Ok(run) = simulate(&question, &mut Silent) {
        assert_eq!(run.fallbacks, Some(fallbacks));
        assert_eq!(run.nodes.iter().map(|node| node.tasks).sum::<u64>(), graph.task_count() as u64);
    }
}
