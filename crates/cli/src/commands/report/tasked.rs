//! The graph of tasks of a report: simulated under several schedulers, and drawn.

use numasim_ask::Input;
use numasim_draw::gantt::{Gantt, MOST_COLUMNS};

use crate::args::Page;
use crate::commands::tasks::{Pictured, has_graph, pictured};
use crate::failure::Failure;
use crate::report::{Figure, Tasks};
use crate::view::tasked::{Tasked, TasksAnswer};

/// Most pieces of all charts together, about 80 bytes each, and fewest columns of one.
const MOST_PIECES: usize = 60_000;
const FEWEST_COLUMNS: usize = 64;

/// Simulates the graph of the files; `None` where they have none.
///
/// # Errors
/// A graph that cannot be made, or for which there is no room.
pub(super) fn tasks(page: &Page, input: &Input) -> Result<Option<Tasks>, Failure> {
    if !has_graph(&input.tasks) {
        return Ok(None);
    }
    let Pictured { facts, runs, without } = pictured(input, &page.scheduler)?;
    let all: Vec<Tasked> = runs.iter().map(|(tasked, _)| tasked.clone()).collect();
    let answer =
        TasksAnswer { study: input.study.clone(), graph: facts.clone(), asked: all.len(), runs: all };
    let document = serde_json::to_value(&answer).unwrap_or_default();
    let pictures = runs.len();
    let runs = runs.into_iter().map(|(tasked, chart)| {
        let chart = chart.map(|chart| drawn(&tasked, chart, pictures));
        (tasked, chart)
    });
    Ok(Some(Tasks {
        facts,
        runs: runs.collect(),
        without: without.into_iter().map(|(kind, why)| (kind.as_str(), why)).collect(),
        document,
    }))
}

/// One of `pictures` that share a page.
fn drawn(tasked: &Tasked, mut chart: Gantt, pictures: usize) -> Figure {
    let rows: usize = chart.bands.iter().map(|band| band.rows.len()).sum();
    let room = MOST_PIECES / (rows * pictures).max(1);
    chart.columns = room.clamp(FEWEST_COLUMNS, MOST_COLUMNS);
    let mean = if chart.bands.iter().flat_map(|band| &band.rows).any(|row| row.len() > chart.columns) {
        " Of many tasks each piece shows what took most of its time."
    } else {
        ""
    };
    Figure {
        title: format!("Scheduler {}", tasked.scheduler.as_str()),
        caption: format!(
            "A row for each core, nodes as bands. Colours are kinds of tasks; the ground behind them says why a core has none.{mean}"
        ),
        svg: chart.svg(),
    }
}
