//! Guarantees of every file reader for every text, one function for each kind of file.
//!
//! A function takes the bytes of a file and panics if a guarantee is broken. The fuzz targets call these functions, and
//! so does the property test of the suite (`tests/fuzzed.rs` includes this file).

#![allow(unreachable_pub, reason = "a library for the fuzz targets, a module for the tests")]

pub mod apps;
pub mod graphs;
pub mod placed;
pub mod plans;
pub mod topologies;

use numasim_ask::reading::read_study;
use numasim_course::Study;
use numasim_evidence::compare::{compare, read_measured};
use numasim_evidence::formats::matrix::{Given, machine_file, read_mlc};
use numasim_evidence::formats::runs::{Run, Runs, csv, read_likwid};
use numasim_evidence::formats::stream::read_stream;
use numasim_evidence::measured::{Expected, header, lines, run_of, whole_measurements};
use numasim_graph::values::{Access, BlockHome, BlockId, TaskGraph, TaskStudy};
use numasim_model::evaluate_explained;
use numasim_model::text::is_hidden;
use numasim_model::units::GigabytesPerSecond;
use numasim_study::{Problem, ProblemKind, SourceFile};

/// Separates the texts of two files that are read together; it is not valid in TOML.
pub const NEXT_FILE: char = '\u{1e}';

/// Maximum number of problems that one reader lists, including the one that reports more.
const MOST_PROBLEMS: usize = 201;

/// Larger studies are read, but not evaluated: each would take as much time as many others.
const MOST_CELLS: usize = 4096;

/// Input files, with [`NEXT_FILE`] between them: a valid study is evaluated, scenario by scenario, and each problem is
/// shown at its place.
pub fn toml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let files: Vec<SourceFile> = text
        .split(NEXT_FILE)
        .map(|text| SourceFile { name: "fuzzed.toml".to_owned(), text: text.to_owned() })
        .collect();
    match read_study(&files) {
        Ok(reading) => reading_is_sound(&reading.study, &reading.further.tasks),
        Err(problems) => {
            let texts: Vec<&str> = files.iter().map(|file| file.text.as_str()).collect();
            problems_are_sound(&problems, &texts);
        }
    }
}

fn reading_is_sound(study: &Study, tasks: &TaskStudy) {
    let apps = study.apps.iter().map(|app| &app.name);
    let names = apps.chain(study.scenarios.iter().map(|scenario| &scenario.name));
    for name in names {
        assert!(!name.contains(is_hidden), "the name {name:?} has a character that cannot be seen");
    }
    graphs::of_files_are_sound(&study.machine, tasks);
    let cells = study.apps.len().max(1) * study.machine.node_count();
    for scenario in study.scenarios.iter().take(MOST_CELLS / cells) {
        let Ok(placements) = scenario.placements() else { continue };
        let result = evaluate_explained(&study.machine, &study.apps, &placements, &scenario.allocation);
        let evaluation =
            result.unwrap_or_else(|error| panic!("an accepted scenario is not evaluated: {error}"));
        assert!(evaluation.total.value().is_finite(), "{}: {:?}", scenario.name, evaluation.total);
    }
}

/// Tasks access existing blocks, once each, and every number is usable in computations.
fn tasks_are_sound(graph: &TaskGraph, nodes: usize) {
    for block in graph.blocks() {
        assert!(block.bytes >= 0.0 && block.bytes.is_finite(), "{block:?}");
        assert!(!matches!(block.home, BlockHome::Node(node) if node.0 >= nodes), "{block:?}");
    }
    for block in (0..).zip(graph.blocks()).map(|(number, _)| BlockId(number)) {
        assert!(graph.hint(block).is_none_or(|node| node.0 < nodes), "{block:?}");
    }
    for task in graph.tasks() {
        let names = [graph.task_name(task).unwrap_or_default(), graph.type_name(task)];
        assert!(!names.iter().any(|name| name.contains(is_hidden)), "{names:?}");
        assert!(graph.gflop(task) >= 0.0 && graph.gflop(task).is_finite());
        assert!(graph.socket(task).is_none_or(|socket| socket.0 < nodes));
        assert!(graph.affinity(task).is_none_or(|node| node.0 < nodes));
        assert!(
            graph.created_by(task).is_none_or(|creator| creator < task),
            "{task:?} is there before its creator"
        );
        let mut blocks: Vec<usize> = graph.accesses(task).map(|access| access.block.0 as usize).collect();
        blocks.sort_unstable();
        assert!(blocks.windows(2).all(|pair| pair[0] != pair[1]), "a block twice: {blocks:?}");
        assert!(blocks.last().is_none_or(|&last| last < graph.blocks().len()), "{blocks:?}");
        let bytes = |of: fn(&Access) -> f64| graph.accesses(task).map(|access| of(&access)).sum::<f64>();
        assert!(
            bytes(|access| access.declared_bytes).is_finite() && bytes(|access| access.moved_bytes) >= 0.0
        );
    }
}

/// The list of problems is not empty and not endless, and each has a place that can be shown.
fn problems_are_sound(problems: &[Problem], texts: &[&str]) {
    assert!((1..=MOST_PROBLEMS).contains(&problems.len()), "{} problems", problems.len());
    for problem in problems {
        assert!(!problem.message.is_empty(), "a problem without a word");
        let places = problem.place.iter().chain(problem.related.iter().map(|(place, _)| place));
        for place in places {
            let text = texts.get(place.file).expect("a place in a file that was given");
            if let Some(span) = &place.span {
                assert!(
                    text.get(span.clone()).is_some(),
                    "{span:?} is no part of the text: {}",
                    problem.message
                );
            }
        }
    }
}

/// A measured CSV: rows that read back can be compared, and a resumed run keeps the same rows each time.
pub fn measured(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read_measured(&text) {
        Ok(read) => {
            assert!(read.rows > 0, "nothing was read");
            let values = read.measured.iter().flat_map(|measured| &measured.repetitions);
            for value in values {
                let bandwidth = value.bandwidth.map_or(0.0, GigabytesPerSecond::value);
                for figure in [value.gflops.value(), bandwidth] {
                    assert!(figure >= 0.0, "{value:?}");
                }
            }
            let study = study_of_the_seeds();
            let asked: Vec<_> = study.scenarios.iter().collect();
            let compared = compare(&study, &asked, &read, |scenario| {
                let placements = scenario.placements().expect("no home is open");
                evaluate_explained(&study.machine, &study.apps, &placements, &scenario.allocation)
            });
            assert!(compared.expect("a sound evaluation").scenarios.len() <= asked.len());
        }
        Err(problems) => problems_are_sound(&problems, &[&text]),
    }
    resumed(data);
}

/// The study that contains the scenarios named in the seeds of `measured`.
fn study_of_the_seeds() -> Study {
    let text = "[machine]\nname = 'm'\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 32\n\
                link_gbs = 10\n[[app]]\nname = 'a'\narithmetic_intensity = 0.5\n[[app]]\nname = 'b'\n\
                arithmetic_intensity = 16\ndata = { home = 1 }\n[[scenario]]\nname = 'even'\n\
                threads = { a = [1, 1], b = [1, 1] }\n[[scenario]]\nname = 'alone'\nthreads = { a = [2, 0] }\n";
    let file = SourceFile { name: "seeds.toml".to_owned(), text: text.to_owned() };
    read_study(&[file]).expect("a valid study").study
}

fn resumed(data: &[u8]) {
    let rows = |scenario: &str, rows: &[(&str, usize)]| Expected {
        scenario: scenario.to_owned(),
        rows: rows.iter().map(|&(app, node)| (app.to_owned(), node)).collect(),
    };
    let plan = [rows("even", &[("a", 0), ("a", 1), ("b", 0), ("b", 1)]), rows("alone", &[("a", 0)])];
    let Ok(left) = whole_measurements(data, &plan) else { return };
    let kept = data.get(..left.end).expect("no more is kept than there is");
    // As text: NaN is not equal to itself.
    if left.end > 0 {
        let again = whole_measurements(kept, &plan).expect("what is kept is in order");
        assert_eq!(format!("{again:?}"), format!("{left:?}"), "what is kept is read as it was");
    }
    if let Some(first) = left.rows.first() {
        assert_eq!(run_of(data), Ok(Some(first.run.clone())));
        let written = header() + &lines(&left.rows).expect("rows as lines");
        let again = whole_measurements(written.as_bytes(), &plan).expect("rows that were read before").rows;
        assert_eq!(format!("{again:?}"), format!("{:?}", left.rows), "rows are written as they were read");
    }
}

/// Output of Intel MLC: its matrix becomes a machine file without unknown or misspelt keys.
pub fn mlc(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read_mlc(&text, None) {
        Ok(matrices) => {
            let given = Given { cores_per_node: Some(2), gflops_per_core: Some(10.0) };
            if let Ok(written) = machine_file(&matrices, "fuzzed", "Intel MLC", given) {
                machine_is_readable(&written);
            }
        }
        Err(problem) => problems_are_sound(&[problem], &[&text]),
    }
}

/// A machine file that this program wrote: values may be missing or beyond the limits of a machine; otherwise it is
/// valid.
fn machine_is_readable(text: &str) {
    use ProblemKind::{BadValue, Conflict, Limit, MissingKey};
    let file = SourceFile { name: "machine.toml".to_owned(), text: text.to_owned() };
    for problem in read_study(&[file]).err().unwrap_or_default() {
        assert!(
            matches!(problem.kind, BadValue | Conflict | Limit | MissingKey),
            "{}\n{text}",
            problem.message
        );
    }
}

/// Output of likwid-bench: a CSV of its runs.
pub fn likwid(data: &[u8]) {
    #[allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]
    runs(data, |text| read_likwid(text, None));
}

/// Output of STREAM: a CSV of its runs.
pub fn stream(data: &[u8]) {
    runs(data, read_stream);
}

#[allow(clippy::result_large_err, reason = "as the readers have it")]
fn runs(data: &[u8], read: impl FnOnce(&str) -> Result<Runs, Problem>) {
    let text = String::from_utf8_lossy(data);
    match read(&text) {
        Ok((runs, notes)) => runs_are_written(&runs, &notes),
        Err(problem) => problems_are_sound(&[problem], &[&text]),
    }
}

/// The CSV has one row for each run. No run name ends a line or a comment.
fn runs_are_written(runs: &[Run], notes: &[String]) {
    let written = csv(runs, notes).expect("memory does not fail");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(written.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().expect("CSV");
    assert_eq!(rows.len(), runs.len(), "a row for each run:\n{written}");
    for (row, run) in rows.iter().zip(runs) {
        assert_eq!((&row[0], &row[1]), (run.machine.as_str(), run.kernel.as_str()), "{written}");
        assert_eq!(row[3].parse(), Ok(run.bandwidth_gbs), "{written}");
    }
}

/// XML of hwloc: the skeleton of a machine file without unknown or misspelt keys.
pub fn hwloc_xml(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(host) =
        numasim_evidence::formats::hwloc::read_xml(&text, "fuzzing", numasim_study::topology::Counting::Cores)
    {
        machine_is_readable(&numasim_study::machine_file::skeleton(&host));
    }
}
