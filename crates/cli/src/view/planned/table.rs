//! A plan for people: what there is, and what each node gets.

use std::fmt::Write as _;

use numasim_draw::grid::{Align, Grid};
use numasim_plan::Plan;

use super::super::{Style, figures};

/// What one node gets.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    classes: u64,
    tasks: u64,
    work_s: f64,
    blocks: u64,
    bytes: f64,
}

/// Counts, then a row for each node.
pub(crate) fn table(plan: &Plan, style: &Style) -> String {
    let mut text = format!(
        "Profile: {} in {}; {} in {}\nPattern: {} on {}\n\n",
        figures::count(plan.classes().task_count() as u64, "task"),
        classes(plan.classes().all().len()),
        figures::count(plan.block_count(), "block"),
        classes(plan.blocks().len()),
        plan.pattern().as_str(),
        figures::count(plan.nodes() as u64, "node"),
    );
    let mut shares = vec![Share::default(); plan.nodes()];
    let mut nowhere = Share::default();
    for (_, class, planned) in plan.planned() {
        let share = planned.node.and_then(|node| shares.get_mut(node)).unwrap_or(&mut nowhere);
        share.classes += 1;
        share.tasks += class.tasks;
        share.work_s += planned.work_s;
    }
    for class in plan.blocks() {
        let share = shares.get_mut(class.node).unwrap_or(&mut nowhere);
        share.blocks += class.blocks;
        share.bytes += class.bytes;
    }
    let rows: Vec<(String, Share)> =
        shares.iter().enumerate().map(|(node, share)| (format!("node {node}"), *share)).collect();
    let without = (nowhere.classes > 0).then(|| ("no opinion".to_owned(), nowhere));
    text += &grid(&rows.into_iter().chain(without).collect::<Vec<_>>(), style);
    if nowhere.classes > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "\nTasks of a class without opinion go by the affinity that the program gives them."
        );
    }
    text
}

fn classes(count: usize) -> String {
    format!("{count} class{}", if count == 1 { "" } else { "es" })
}

fn grid(rows: &[(String, Share)], style: &Style) -> String {
    let column = |value: fn(&Share) -> f64| {
        figures::column(&rows.iter().map(|(_, share)| value(share)).collect::<Vec<_>>())
    };
    let counts =
        |value: fn(&Share) -> u64| rows.iter().map(|(_, share)| value(share).to_string()).collect::<Vec<_>>();
    let columns = [
        ("classes", counts(|share| share.classes)),
        ("tasks", counts(|share| share.tasks)),
        ("work s", column(|share| share.work_s)),
        ("blocks", counts(|share| share.blocks)),
        ("MB", column(|share| share.bytes / 1e6)),
    ];
    let mut heads = vec![("", Align::Left)];
    heads.extend(columns.iter().map(|(head, _)| (*head, Align::Right)));
    let mut grid = Grid::new(&heads);
    for (row, (name, _)) in rows.iter().enumerate() {
        let cells = columns.iter().map(|(_, cells)| cells.get(row).cloned().unwrap_or_default());
        grid.row(std::iter::once(name.clone()).chain(cells).collect());
    }
    grid.render(style)
}
