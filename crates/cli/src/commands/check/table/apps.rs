//! The applications: keys below each other, `[[app]]` tables side by side.

use super::DEFAULT;
use super::grid::{self, Align};
use numasim_model::input::{Group, Reading, TableKind};
use numasim_model::{App, Data, Placement};

pub(super) fn write(text: &mut String, reading: &Reading, width: usize) {
    let columns: Vec<Vec<String>> = reading
        .groups
        .iter()
        .filter_map(|group| Some(column(reading, group, reading.study.apps.get(group.first)?)))
        .collect();
    if columns.is_empty() {
        return;
    }
    text.push_str("\nAPPLICATIONS\n");
    let keys = [
        "",
        "instances",
        "arithmetic_intensity",
        "data",
        "kernel",
        "min_threads",
        "max_threads",
        "weight",
        "work_gflop",
    ];
    let row = |(index, key): (usize, &&str)| {
        let cells = columns.iter().map(|column| column.get(index).cloned().unwrap_or_default());
        std::iter::once((*key).to_owned()).chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = keys.iter().enumerate().map(row).collect();
    grid::write(text, &rows, &[Align::Left], width);
}

fn column(reading: &Reading, group: &Group, app: &App) -> Vec<String> {
    let cell = |key: &str, value: String| {
        if reading.is_default(TableKind::App, &group.name, key) {
            format!("{value} {DEFAULT}")
        } else {
            value
        }
    };
    let instances = if group.instances > 1 {
        format!("{}: {}-1 to {}-{}", group.instances, group.name, group.name, group.instances)
    } else {
        cell("instances", "1".to_owned())
    };
    vec![
        group.name.clone(),
        instances,
        format!("{} FLOP/byte", grid::figure(app.arithmetic_intensity.value())),
        cell("data", data(&app.data)),
        cell("kernel", app.kernel.as_str().to_owned()),
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
    ]
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
