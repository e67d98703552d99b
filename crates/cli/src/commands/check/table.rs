//! What was read, for people: aligned text as wide as the terminal, or 100 columns.

mod apps;
mod caches;
mod grid;
mod machine;
mod over_time;
mod scenarios;
mod shared;
mod tasks;

use std::fmt::Write as _;

use numasim_graph::Reading;

use numasim_draw::grid::wrap;

use crate::view::Style;

/// The mark of a value that no file gives.
const DEFAULT: &str = "(default)";

/// The text of `check`.
pub(crate) fn table(reading: &Reading, style: &Style) -> String {
    let study = &reading.study;
    let mut text = String::new();
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let cores = usize::try_from(study.machine.total_cores()).unwrap_or(usize::MAX);
    let summary = format!(
        "{}: no problems. {}, {}, {}, {}.",
        reading.files.join(", "),
        count(study.machine.node_count(), "NUMA node"),
        count(cores, "core"),
        count(study.apps.len(), "application"),
        count(study.scenarios.len(), "scenario"),
    );
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}", wrap(&summary, style.columns()).join("\n"));
    machine::write(&mut text, reading, style);
    apps::write(&mut text, reading, style);
    scenarios::write(&mut text, reading, style);
    over_time::write(&mut text, reading, style);
    tasks::write(&mut text, reading, style);
    // Keys that few files have are not shown where none of these has them.
    if text.contains(DEFAULT) {
        let _ = writeln!(text, "\n{DEFAULT}: no file gives this value.");
    } else {
        text.push_str("\nEvery value above is given in a file.\n");
    }
    text
}
