//! Guarantees of readers and generators of task graphs.

use numasim_graph::import::{Imported, dot, starpu, wfcommons};
use numasim_graph::values::{Contender, Generator, GraphSource, Program, TaskGraph, TaskStudy};
use numasim_graph::{Dependencies, csv, generate, generate_program};
use numasim_model::{Machine, NodeId};
use numasim_study::Problem;

use super::{NEXT_FILE, problems_are_sound, tasks_are_sound};

/// Graphs up to this size are also checked for edges: their number can be quadratic in the accesses.
const MOST_ACCESSES: usize = 2000;

/// Larger loop programs are read, but not generated.
const MOST_PIECES: u64 = 2000;

/// The task tables of input files.
pub(crate) fn of_files_are_sound(machine: &Machine, tasks: &TaskStudy) {
    let nodes: Vec<NodeId> = machine.compute_nodes().collect();
    match &tasks.source {
        GraphSource::Given(graph) => tasks_are_sound(graph, machine.node_count()),
        GraphSource::Program { name, program } => program_is_sound(name, program, &nodes),
        GraphSource::Generated { .. } | GraphSource::None => {}
    }
    if let Some(Contender { gflop, count, phases }) = &tasks.contender {
        assert!(*gflop > 0.0 && gflop.is_finite() && *count > 0, "{gflop} {count}");
        let bounds = phases.iter().flatten().flat_map(|(from, to)| [from.value(), to.value()]);
        let bounds: Vec<f64> = bounds.collect();
        assert!(bounds.is_sorted() && bounds.iter().all(|s| *s >= 0.0 && s.is_finite()), "{bounds:?}");
    }
}

/// Loops refer to existing arrays, and a small program can be generated.
fn program_is_sound(name: &str, program: &Program, nodes: &[NodeId]) {
    let Program { chunks, repeat, arrays, loops } = program;
    for each in loops {
        assert!(each.gflop >= 0.0 && each.gflop.is_finite(), "{each:?}");
        let of_loop = [&each.inputs, &each.whole, &each.inout, &each.out].into_iter().flatten();
        let numbers: Vec<usize> = of_loop.map(|array| array.0 as usize).collect();
        assert!(numbers.iter().all(|&array| array < arrays.len()), "{each:?}");
    }
    let chunks = chunks.unwrap_or(u64::MAX);
    let of_loops = loops.iter().fold(arrays.len() as u64, |sum, each| {
        let own = each.inputs.len() + each.inout.len() + each.out.len() + 2;
        sum.saturating_add(own as u64).saturating_add(chunks.saturating_mul(each.whole.len() as u64))
    });
    if chunks.saturating_mul(of_loops).saturating_mul((*repeat).max(1)) > MOST_PIECES {
        return;
    }
    match generate_program(program, name, nodes) {
        Ok(graph) => graph_is_sound(&graph),
        Err(error) => assert!(!error.to_string().is_empty(), "{program:?}"),
    }
}

/// `blocks.csv`, [`NEXT_FILE`], `tasks.csv`: a graph that was read is written and reads back unchanged.
pub fn csv_graph(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (blocks, tasks) = text.split_once(NEXT_FILE).unwrap_or((&text, ""));
    match csv::read("fuzzed", blocks, tasks) {
        Ok(graph) => {
            graph_is_sound(&graph);
            let (mut blocks, mut tasks) = (String::new(), String::new());
            csv::write_blocks(&graph, &mut blocks).expect("memory does not fail");
            csv::write_tasks(&graph, &mut tasks).expect("memory does not fail");
            let again = csv::read("fuzzed", &blocks, &tasks).expect("what was written");
            assert_eq!(again, graph, "written and read again:\n{blocks}\n{tasks}");
        }
        Err(problems) => problems_are_sound(&problems, &[blocks, tasks]),
    }
}

/// A `WfCommons` workflow.
pub fn wfcommons(data: &[u8]) {
    imported(data, |text| wfcommons::read(text, "fuzzed", 10.0));
}

/// A Graphviz digraph.
pub fn dot(data: &[u8]) {
    imported(data, |text| dot::read(text, "fuzzed"));
}

/// A `StarPU` `tasks.rec`.
pub fn starpu(data: &[u8]) {
    imported(data, |text| starpu::read(text, "fuzzed", 10.0));
}

fn imported(data: &[u8], read: impl FnOnce(&str) -> Result<Imported, Vec<Problem>>) {
    let text = String::from_utf8_lossy(data);
    match read(&text) {
        Ok(imported) => {
            graph_is_sound(&imported.graph);
            for warning in &imported.warnings {
                assert!(!warning.message.is_empty(), "a warning without a word");
                let span = warning.place.as_ref().and_then(|place| place.span.clone());
                assert!(span.is_none_or(|span| text.get(span).is_some()), "{}", warning.message);
            }
        }
        Err(problems) => problems_are_sound(&problems, &[&text]),
    }
}

/// A generator chosen by the first byte, with its parameters, eight bytes each: small ones, or so large that their count is
/// rejected.
pub fn generated(data: &[u8]) {
    let Some((&kind, mut rest)) = data.split_first() else { return };
    let all = Generator::defaults();
    let mut generator = all[usize::from(kind) % all.len()].clone();
    for (_, parameter) in generator.parameters_mut() {
        let (word, behind) = rest.split_at(rest.len().min(8));
        rest = behind;
        let number = word.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        *parameter = if number % 4 == 3 { number | 1 << 24 } else { (number >> 2) & 15 };
    }
    let nodes: Vec<NodeId> = (0..rest.len() % 5).map(NodeId).collect();
    match generate(&generator, "fuzzed", &nodes) {
        Ok(graph) => graph_is_sound(&graph),
        Err(error) => assert!(!error.to_string().is_empty(), "{generator:?}"),
    }
}

fn graph_is_sound(graph: &TaskGraph) {
    tasks_are_sound(graph, usize::MAX);
    if graph.access_count() <= MOST_ACCESSES {
        let edges = Dependencies::of(graph).expect("few edges");
        assert!(edges.span() as usize <= graph.task_count());
    }
}
