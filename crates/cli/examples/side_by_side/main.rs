//! Every scheduler of papers 001, 003 and 000 on every code and machine of these papers, compared with lower bounds and machines without
//! NUMA.
//!
//! Writes tables and plots into a folder: `cargo run --release -p numasim --features examples --example side_by_side --
//! results/side-by-side [MACHINE...]`. If machines are given, only the results for each of these are written.

mod annotated;
mod codes;
#[path = "../common/mod.rs"]
#[allow(dead_code, reason = "shared with other examples, which need what this one does not")]
mod common;
mod machines;
mod plans;
mod plots;
mod rows;
mod runs;
mod summary;
mod text;
mod ways;

use common::Failure;
use common::files::{arguments, write};
use rows::Row;

fn main() -> Result<(), Failure> {
    let (root, folder, wanted) = arguments()?;
    let codes = codes::all();
    let mut all: Vec<Row> = Vec::new();
    for name in machines::names().filter(|name| wanted.is_empty() || wanted.iter().any(|one| one == name)) {
        let platform = machines::read(&root, name)?;
        let cases = runs::all(&platform.machine, &codes)?;
        let rows = rows::rows(platform.name, &cases);
        let title = format!("{name}: {}", platform.machine.name());
        write(&folder, &format!("{name}.txt"), &text::machine(&title, &rows))?;
        write(&folder, &format!("{name}.svg"), &plots::machine(&title, &rows))?;
        all.extend(rows);
    }
    if wanted.is_empty() {
        write(&folder, "table.csv", &rows::csv(&all))?;
        write(&folder, "table.txt", &text::summary(&all))?;
        write(&folder, "kinds.svg", &plots::kinds(&all))?;
    }
    Ok(())
}
