//! The applications: keys below each other, `[[app]]` tables side by side.

use super::super::values::in_unit;
use super::grid::{self, Align};
use super::{DEFAULT, over_time};
use crate::view::Style;
use numasim_graph::Reading;
use numasim_model::dynamics::{Course, Work};
use numasim_model::{App, Data, Placement};
use numasim_study::{Group, TableKind};

pub(super) fn write(text: &mut String, reading: &Reading, style: &Style) {
    let columns: Vec<Vec<Cell>> = reading
        .groups
        .iter()
        .filter_map(|group| Some(column(reading, group, reading.study.apps.get(group.first)?)))
        .collect();
    let Some(first) = columns.first() else { return };
    grid::heading(text, "APPLICATIONS", style);
    // What few files say is shown only where one of the applications says it.
    let is_shown = |index: &usize| {
        let said = |column: &Vec<Cell>| column.get(*index).is_some_and(|cell| cell.said);
        !SELDOM.contains(&first[*index].key) || columns.iter().any(said)
    };
    let row = |index: usize| {
        let cells =
            columns.iter().map(|column| column.get(index).map(|cell| cell.text.clone()).unwrap_or_default());
        std::iter::once(first[index].key.to_owned()).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = (0..first.len()).filter(is_shown).map(row).collect();
    grid::write(text, &rows, &[Align::Left], style);
}

/// Keys that few files have.
const SELDOM: [&str; 15] = [
    "nodes",
    "memory_gib",
    "iterations",
    "phase",
    "tasks",
    "task_gflop",
    "task_spread",
    "io_ms",
    "scaling",
    "arrives_s",
    "threads",
    "command",
    "bind",
    "control",
    "pick",
];

/// One value of an application.
struct Cell {
    key: &'static str,
    text: String,
    /// A file gives it.
    said: bool,
}

fn column(reading: &Reading, group: &Group, app: &App) -> Vec<Cell> {
    let cell = |key: &'static str, value: String| {
        let said = !reading.is_default(TableKind::App, &group.name, key);
        Cell { key, text: if said { value } else { format!("{value} {DEFAULT}") }, said }
    };
    let given = |key: &'static str, text: String| Cell { key, text, said: true };
    let instances = if group.instances > 1 {
        given(
            "instances",
            format!("{}: {}-1 to {}-{}", group.instances, group.name, group.name, group.instances),
        )
    } else {
        cell("instances", "1".to_owned())
    };
    let mut cells = vec![
        given("", group.name.clone()),
        instances,
        cell("arithmetic_intensity", format!("{} FLOP/byte", grid::figure(app.arithmetic_intensity.value()))),
        cell("data", data(&app.data)),
        cell("nodes", app.nodes.as_deref().map_or_else(|| "all".to_owned(), grid::ranges_of)),
        cell(
            "memory_gib",
            app.memory
                .map_or_else(|| "not given".to_owned(), |size| format!("{} GiB", grid::figure(size.value()))),
        ),
        cell("kernel", kernel(app)),
        cell("min_threads", app.min_threads.to_string()),
        cell("max_threads", app.max_threads.map_or_else(|| "no limit".to_owned(), |max| max.to_string())),
        cell("weight", grid::figure(app.weight)),
        cell(
            "work_gflop",
            app.work.map_or_else(
                || "not given".to_owned(),
                |work| format!("{} GFLOP", grid::figure(work.value())),
            ),
        ),
    ];
    let course = reading.study.dynamics.courses.get(group.first);
    let places = reading.groups.iter().zip(&reading.places.apps).find(|(own, _)| own.first == group.first);
    if let Some((course, (_, places))) = course.zip(places) {
        over_time(&mut cells, course, !places.phases.is_empty(), &cell);
    }
    cells
}

/// `dmv, rows = 5120, iterations = 10`
fn kernel(app: &App) -> String {
    let sizes = app.problem.iter().flat_map(numasim_model::problem::KernelProblem::sizes);
    sizes.fold(app.kernel_word().to_owned(), |text, (key, value)| format!("{text}, {key} = {value}"))
}

/// What an application does over time; `phases`: whether it has phases of its own.
fn over_time(
    cells: &mut Vec<Cell>,
    course: &Course,
    phases: bool,
    cell: &dyn Fn(&'static str, String) -> Cell,
) {
    let Some(first) = course.phases.first() else { return };
    let unsaid = |key: &'static str, text: &str| Cell { key, text: text.to_owned(), said: false };
    cells.push(cell("iterations", course.iterations.to_string()));
    if phases {
        let all: Vec<String> = course.phases.iter().map(over_time::phase).collect();
        cells.push(Cell { key: "phase", text: format!("{}: {}", all.len(), all.join("; ")), said: true });
        cells.push(unsaid("tasks", "in its phases"));
        cells.push(unsaid("task_gflop", "in its phases"));
    } else {
        cells.push(unsaid("phase", "one"));
        let (count, each) = match &first.work {
            Some(Work::Tasks { count, each }) => (count.to_string(), over_time::list(each)),
            Some(Work::Divisible(_)) | None => ("none: divisible work".to_owned(), String::new()),
        };
        let own = !first.total_given && !each.is_empty();
        cells.push(cell("tasks", count));
        cells.push(Cell {
            key: "task_gflop",
            text: if own { each } else { "not given".to_owned() },
            said: own,
        });
    }
    cells.push(cell("task_spread", grid::figure(course.task_spread)));
    cells.push(cell("io_ms", format!("{} ms", grid::figure(in_unit(first.io, 1e3)))));
    cells.push(cell("scaling", over_time::scaling(&first.scaling)));
    cells.push(cell("arrives_s", format!("{} s", grid::figure(course.arrives.value()))));
    cells.push(cell("threads", over_time::threads(&course.threads)));
    let command = course.command.as_ref().map(|words| words.join(" "));
    cells.push(cell("command", command.unwrap_or_else(|| "none".to_owned())));
    cells.push(cell("bind", course.binding.as_str().to_owned()));
    cells.push(cell("control", course.control.as_str().to_owned()));
    cells.push(cell("pick", course.pick.as_str().to_owned()));
}

/// Where data lies, in few words.
pub(super) fn data(data: &Data) -> String {
    const REST: &str = "the rest local";
    match data {
        Data::OpenHome { share } if *share < 1.0 => {
            format!("{} on any node, {REST}", grid::figure(*share))
        }
        Data::OpenHome { .. } => "home = any node".to_owned(),
        Data::Placed(Placement::PartHome { home, share }) => {
            format!("{} on {home}, {REST}", grid::figure(*share))
        }
        Data::Placed(Placement::PartInterleave { share }) => {
            format!("{} on all nodes, {REST}", grid::figure(*share))
        }
        Data::Placed(Placement::Local) => "local".to_owned(),
        Data::Placed(Placement::Interleave) => "interleave".to_owned(),
        Data::Placed(Placement::Home(home)) => format!("home = {home}"),
        Data::Placed(Placement::Fractions(fractions)) => {
            let runs = grid::runs(fractions);
            let one = |(nodes, fraction): &(std::ops::RangeInclusive<usize>, &f64)| {
                format!("{} on {}", grid::figure(**fraction), grid::range(nodes))
            };
            runs.iter().filter(|(_, fraction)| **fraction > 0.0).map(one).collect::<Vec<_>>().join(", ")
        }
    }
}
