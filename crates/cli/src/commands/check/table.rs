//! What was read, for people: aligned text of at most about 100 columns.

mod apps;
mod grid;
mod machine;
mod scenarios;

use std::fmt::Write as _;

use numasim_model::input::Reading;

/// Columns of the text, where names and free text leave a choice.
const WIDTH: usize = 100;
/// The mark of a value that no file gives.
const DEFAULT: &str = "(default)";

/// The text of `check`.
pub(crate) fn table(reading: &Reading) -> String {
    let study = &reading.study;
    let mut text = String::new();
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let cores = usize::try_from(study.machine.total_cores()).unwrap_or(usize::MAX);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{}: no problems. {}, {}, {}, {}.",
        reading.files.join(", "),
        count(study.machine.node_count(), "NUMA node"),
        count(cores, "core"),
        count(study.apps.len(), "application"),
        count(study.scenarios.len(), "scenario"),
    );
    machine::write(&mut text, reading);
    apps::write(&mut text, reading);
    scenarios::write(&mut text, reading);
    if reading.defaults.is_empty() {
        text.push_str("\nEvery value is given in a file.\n");
    } else {
        let _ = writeln!(text, "\n{DEFAULT}: no file gives this value.");
    }
    text
}
