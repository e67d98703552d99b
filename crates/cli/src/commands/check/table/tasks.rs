//! Tasks: what the graph is, who schedules it, what creating and fetching tasks costs.

use numasim_graph::Reading;
use numasim_graph::values::{GraphSource, TaskGraph};
use numasim_study::TableKind;

use super::super::{over_time, tasks};
use super::grid::{self, Align};
use super::over_time::{Rows, marked, settings};
use crate::view::Style;

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let mut rows = graph(reading);
    rows.extend(of_table(reading, TableKind::Scheduler, &tasks::scheduler(&reading.tasks)));
    rows.extend(of_table(reading, TableKind::Runtime, &tasks::runtime(&reading.tasks)));
    rows.extend(of_table(reading, TableKind::Contender, &tasks::contender(&reading.tasks)));
    if rows.is_empty() {
        return;
    }
    grid::heading(text, "TASKS", style);
    grid::write_untitled(text, &rows, &[Align::Left], style);
}

fn graph(reading: &Reading) -> Rows {
    let default = |key: &str| reading.is_default(TableKind::Graph, "", key);
    let words = match &reading.tasks.source {
        GraphSource::None => return Rows::new(),
        GraphSource::Given(graph) => {
            format!("{}: {}", marked(graph.name().to_owned(), default("name")), sizes(graph))
        }
        GraphSource::Generated { name, generator } => {
            let pairs = over_time::pairs(&tasks::parameters(generator));
            let values =
                pairs.into_iter().map(|(key, value)| marked(format!("{key} {value}"), default(&key)));
            let values = values.collect::<Vec<_>>().join(", ");
            let called = if name == generator.as_str() { String::new() } else { format!("{name}: ") };
            format!("{called}{}, {values}", generator.as_str())
        }
        GraphSource::Program { name, program } => {
            let loops = count(program.loops.len(), "loop", "loops");
            let arrays = count(program.arrays.len(), "array", "arrays");
            let of = |key, value: u64| {
                let default = reading.is_default(TableKind::Program, "", key);
                marked(format!("{key} {value}"), default)
            };
            let name = marked(name.to_owned(), default("name"));
            let (chunks, repeat) = (of("chunks", program.chunks.unwrap_or(0)), of("repeat", program.repeat));
            format!("{name}: {loops} over {arrays}, {chunks}, {repeat}")
        }
    };
    vec![vec!["graph".to_owned(), words]]
}

/// `2 blocks (4 MB), 3 tasks with 5 accesses, 2 GFLOP`.
fn sizes(graph: &TaskGraph) -> String {
    let bytes = grid::total(graph.blocks().iter().map(|block| block.bytes / 1e6));
    let work = grid::total(graph.tasks().map(|task| graph.gflop(task)));
    format!(
        "{} ({bytes} MB), {} with {}, {work} GFLOP",
        count(graph.blocks().len(), "block", "blocks"),
        count(graph.task_count(), "task", "tasks"),
        count(graph.access_count(), "access", "accesses"),
    )
}

fn count(count: usize, noun: &str, plural: &str) -> String {
    format!("{count} {}", if count == 1 { noun } else { plural })
}

fn of_table(reading: &Reading, kind: TableKind, value: &serde_json::Value) -> Rows {
    let pairs = over_time::pairs(value);
    // What has no value is a limit that there is not, or a figure that this program has.
    let words = |key: &str, value: &str| match (key, value) {
        ("throttle", "") => "no limit".to_owned(),
        ("phases_s", "") => "as long as the run lasts".to_owned(),
        (_, "") => "of this program".to_owned(),
        (_, value) => value.to_owned(),
    };
    let pairs: Vec<(&str, String)> =
        pairs.iter().map(|(key, value)| (key.as_str(), words(key, value))).collect();
    settings(reading, kind, &pairs)
}
