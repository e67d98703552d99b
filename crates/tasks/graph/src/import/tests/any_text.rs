//! Texts that are almost valid, and graphs of any shape: read with their order, or rejected with a place.

use proptest::prelude::*;

use crate::Dependencies;
use crate::import::{Imported, dot, starpu, wfcommons};
use crate::testing::are_inside;
use crate::values::TaskId;
use numasim_study::Problem;

/// Words of a format in any order.
fn words(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word =
        prop_oneof![9 => prop::sample::select(words.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,3}"];
    prop::collection::vec(word, 0..30).prop_map(|words| words.concat())
}

fn is_fine(text: &str, read: Result<Imported, Vec<Problem>>) -> bool {
    read.map_or_else(
        |problems| are_inside(&problems, &[text]),
        |imported| {
            imported
                .warnings
                .iter()
                .filter_map(|warning| warning.place.as_ref()?.span.clone())
                .all(|span| text.get(span).is_some())
        },
    )
}

const DOT: &[&str] = &[
    "digraph ",
    "graph ",
    "strict ",
    "subgraph ",
    "node",
    "edge",
    "{",
    "}",
    "[",
    "]",
    " -> ",
    "--",
    ";",
    ",",
    "=",
    ":",
    "+",
    "a",
    "b",
    "c ",
    "\"q\"",
    "\"",
    "<",
    ">",
    "<b>",
    "flop=1",
    "bytes=-1",
    "size=2",
    "//",
    "/*",
    "*/",
    "#",
    "\n",
    "1e9",
    "-",
    ".5",
    "\\",
    "ü",
];

const STARPU: &[&str] = &[
    "JobId: ",
    "DependsOn: ",
    "SubmitOrder: ",
    "GFlop: ",
    "StartTime: ",
    "EndTime: ",
    "Handles: ",
    "Modes: ",
    "Sizes: ",
    "Name: ",
    "Control: WontUse",
    "EndDependencies: ",
    "1",
    "2",
    "3",
    " ",
    " ",
    "\n",
    "\n",
    "\n\n",
    "R",
    "W",
    "RW",
    "S",
    "-",
    "1e9",
    "#",
    "+",
    "%",
    ":",
];

const JSON: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"workflow\":",
    "\"specification\":",
    "\"execution\":",
    "\"tasks\":",
    "\"files\":",
    "\"id\":",
    "\"a\"",
    "\"parents\":[",
    "\"children\":[]",
    "\"schemaVersion\":\"1.5\",",
    "1",
    "-2.5e3",
    "null",
    "true",
    "\\u12",
    "\n",
    " ",
    "ü",
];

/// An instance with a piece replaced by another one.
fn damaged() -> impl Strategy<Value = String> {
    let whole = r#"{"schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"name":"n","id":"a","parents":[],"children":["b"],"inputFiles":["f"],"outputFiles":["f"]},
        {"name":"n","id":"b","parents":["a"],"children":[],"inputFiles":["f"]}],"files":[{"id":"f","sizeInBytes":7}]},
        "execution":{"tasks":[{"id":"a","runtimeInSeconds":1},{"id":"b","runtimeInSeconds":2,"avgCPU":50,"coreCount":2}]}}}"#;
    (0..whole.len(), 0..40_usize, words(JSON), 0..4_u32).prop_map(move |(from, length, piece, put)| {
        let end = (from + length).min(whole.len());
        let piece = if put == 0 { piece.as_str() } else { "" };
        format!("{}{piece}{}", &whole[..from], &whole[end..])
    })
}

/// Nodes and arrows between them; arrows to lower numbers make cycles.
fn arrows() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
    (1..12_usize).prop_flat_map(|nodes| (Just(nodes), prop::collection::vec((0..nodes, 0..nodes), 0..20)))
}

/// The tasks that are reached from each along arrows.
fn reached(nodes: usize, arrows: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reached = vec![vec![false; nodes]; nodes];
    for &(from, to) in arrows {
        reached[from][to] = true;
    }
    for middle in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                reached[from][to] |= reached[from][middle] && reached[middle][to];
            }
        }
    }
    reached
}

/// The graph has the order of the arrows and no other: or there is a cycle, and it is rejected.
fn has_the_order(
    nodes: usize,
    arrows: &[(usize, usize)],
    read: Result<Imported, Vec<Problem>>,
) -> Result<(), TestCaseError> {
    let expected = reached(nodes, arrows);
    let is_circular = (0..nodes).any(|node| expected[node][node]);
    let Ok(imported) = read else {
        prop_assert!(is_circular, "refused without a circle");
        return Ok(());
    };
    prop_assert!(!is_circular, "a circle was read");
    let graph = &imported.graph;
    let node_of =
        |task: TaskId| graph.task_name(task).expect("a name")[1..].parse::<usize>().expect("a number");
    let dependencies = Dependencies::of(graph).expect("few edges");
    let found: Vec<(usize, usize)> = graph
        .tasks()
        .flat_map(|task| dependencies.children(task).iter().map(move |&child| (task, child)))
        .map(|(from, to)| (node_of(from), node_of(to)))
        .collect();
    prop_assert_eq!(reached(nodes, &found), expected.clone());
    // If two tasks may come in either order, the first one in the file that has no parent left comes first.
    let order: Vec<usize> = graph.tasks().map(node_of).collect();
    for (place, &node) in order.iter().enumerate() {
        let free = (0..nodes).filter(|other| {
            !order[..place].contains(other)
                && (0..nodes).all(|parent| !expected[parent][*other] || order[..place].contains(&parent))
        });
        prop_assert_eq!(Some(node), free.min());
    }
    Ok(())
}

fn list(of: impl Iterator<Item = usize>, quote: &str, separator: &str) -> String {
    of.map(|node| format!("{quote}n{node}{quote}")).collect::<Vec<_>>().join(separator)
}

proptest! {
    #![proptest_config(crate::random::questions(1024))]

    #[test]
    fn any_text_is_no_reason_to_panic(dot in words(DOT), starpu in words(STARPU), json in words(JSON), any in "\\PC{0,40}") {
        prop_assert!(is_fine(&dot, dot::read(&dot, "g")), "{}", dot);
        let inside = format!("digraph {{ {dot} }}");
        prop_assert!(is_fine(&inside, dot::read(&inside, "g")), "{}", inside);
        prop_assert!(is_fine(&starpu, starpu::read(&starpu, "g", 1.0)), "{}", starpu);
        prop_assert!(is_fine(&json, wfcommons::read(&json, "g", 1.0)), "{}", json);
        for read in [dot::read(&any, "g"), starpu::read(&any, "g", 1.0), wfcommons::read(&any, "g", 1.0)] {
            prop_assert!(is_fine(&any, read), "{}", any);
        }
    }

    #[test]
    fn a_damaged_instance_is_read_or_refused(text in damaged()) {
        prop_assert!(is_fine(&text, wfcommons::read(&text, "g", 1.0)), "{}", text);
    }

    #[test]
    fn dot_keeps_the_order_of_its_arrows((nodes, arrows) in arrows()) {
        let nodes_first = (0..nodes).map(|node| format!("n{node};")).collect::<Vec<_>>().concat();
        let edges = arrows.iter().map(|(from, to)| format!("n{from} -> n{to}\n")).collect::<Vec<_>>().concat();
        has_the_order(nodes, &arrows, dot::read(&format!("digraph {{ {nodes_first} {edges} }}"), "g"))?;
    }

    /// Every second arrow is listed with the parent, every third has a file.
    #[test]
    fn workflows_keep_the_order_of_parents_children_and_files((nodes, arrows) in arrows()) {
        let of = |keep: fn(usize) -> bool, node: usize, is_child: bool| {
            let mine = arrows.iter().enumerate().filter(move |(place, _)| keep(*place));
            let other = move |(_, &(from, to)): (usize, &(usize, usize))| {
                if is_child { (to == node).then_some(from) } else { (from == node).then_some(to) }
            };
            list(mine.filter_map(other), "\"", ",")
        };
        let files = |node: usize, is_output: bool| {
            let mine = arrows.iter().enumerate().filter(|(place, arrow)| place % 3 == 0 && arrow.0 != arrow.1 && node == if is_output { arrow.0 } else { arrow.1 });
            mine.map(|(place, _)| format!("\"f{place}\"")).collect::<Vec<_>>().join(",")
        };
        let task = |node| {
            let (parents, children) = (of(|place| place % 2 == 1, node, true), of(|place| place % 2 == 0, node, false));
            let (inputs, outputs) = (files(node, false), files(node, true));
            format!(r#"{{"name":"n","id":"n{node}","parents":[{parents}],"children":[{children}],"inputFiles":[{inputs}],"outputFiles":[{outputs}]}}"#)
        };
        let tasks: Vec<String> = (0..nodes).map(task).collect();
        let sizes: Vec<String> = (0..arrows.len()).map(|file| format!(r#"{{"id":"f{file}","sizeInBytes":1}}"#)).collect();
        let executed: Vec<String> = (0..nodes).map(|node| format!(r#"{{"id":"n{node}","runtimeInSeconds":1}}"#)).collect();
        let text = format!(
            r#"{{"schemaVersion":"1.6","workflow":{{"specification":{{"tasks":[{}],"files":[{}]}},"execution":{{"tasks":[{}]}}}}}}"#,
            tasks.join(","), sizes.join(","), executed.join(",")
        );
        has_the_order(nodes, &arrows, wfcommons::read(&text, "g", 1.0))?;
    }

    #[test]
    fn starpu_keeps_the_order_of_what_jobs_depend_on((nodes, arrows) in arrows()) {
        let job = |node: usize| {
            let parents = list(arrows.iter().filter(|arrow| arrow.1 == node).map(|arrow| arrow.0), "", " ");
            format!("JobId: n{node}\nSubmitOrder: {}\nDependsOn: {parents}\nGFlop: 1\n\n", node + 1)
        };
        // The dump is in another order than the submission.
        let text: String = (0..nodes).rev().map(job).collect();
        has_the_order(nodes, &arrows, starpu::read(&text, "g", 1.0))?;
    }
}
