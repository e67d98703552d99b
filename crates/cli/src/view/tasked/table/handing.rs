//! How workers came by their tasks: mailboxes, shared queues, what a plan did not say, and what was moved for it before.

use super::super::super::{Style, figures};
use super::super::Tasked;
use super::{Columns, OfScheduler, grid};

type Figure = fn(&Tasked) -> f64;

/// Heads and figures. A column that is 0 everywhere is not shown.
const COUNTS: [(&str, Figure); 7] = [
    ("from a\nmailbox", |run| run.run.mailbox as f64),
    ("from a\nshared queue", |run| run.run.shared as f64),
    ("revokes", |run| run.run.revokes as f64),
    ("tasks off\ntheir node", |run| run.run.remote_tasks as f64),
    ("contender\ntasks", |run| run.run.contender.as_ref().map_or(0.0, |contender| contender.tasks as f64)),
    ("tasks not\nin the plan", |run| run.run.fallbacks.map_or(0.0, |of| of.tasks as f64)),
    ("blocks not\nin the plan", |run| run.run.fallbacks.map_or(0.0, |of| of.blocks as f64)),
];

/// A row for each scheduler; `None` where all figures are 0.
pub(super) fn table(schedulers: &[OfScheduler<'_>], style: &Style) -> Option<String> {
    let means = |value: Figure| schedulers.iter().map(|one| one.mean(value)).collect::<Vec<f64>>();
    let there = |means: &Vec<f64>| means.iter().any(|&mean| mean > 0.0);
    let mut columns: Columns<'_> = Vec::new();
    for (head, value) in COUNTS {
        let counts = Some(means(value)).filter(there);
        columns.extend(
            counts.map(|counts| (head, counts.iter().map(|count| figures::short(count.round())).collect())),
        );
    }
    let migration = Some(means(|run| run.run.migration.value())).filter(there);
    columns.extend(migration.map(|seconds| ("migration\ns", figures::column(&seconds))));
    (!columns.is_empty()).then(|| grid(schedulers, &columns, style))
}
