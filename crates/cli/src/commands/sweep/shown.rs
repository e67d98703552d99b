//! The rows for people.

use std::collections::VecDeque;
use std::fmt::Write as _;

use numasim_ask::sweep::Work;
use numasim_ask::table::{Cell, Table};
use numasim_draw::grid::wrap;

use super::plan::Plan;
use crate::view::{Style, figures};

/// Rows at the beginning and at the end that a table shows of a long sweep.
const SHOWN_AT_ENDS: usize = 20;

/// The ends of a long sweep, and its best point.
pub(super) struct Shown<'a> {
    first: Table<'a>,
    last: VecDeque<Vec<Cell<'a>>>,
    rows: u64,
    best: Option<(f64, Vec<Cell<'a>>)>,
    /// The column that says what is best, and whether less is better.
    judged: (usize, bool),
}

impl<'a> Shown<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let columns = plan.sweep.columns();
        let (name, less) = plan.sweep.judged_by();
        // An axis has a longer name.
        let judged = columns.iter().position(|column| column.name == name).unwrap_or_default();
        Self {
            first: Table::new(columns),
            last: VecDeque::new(),
            rows: 0,
            best: None,
            judged: (judged, less),
        }
    }

    pub(super) fn add(&mut self, table: &Table<'a>) {
        let (judged, less) = self.judged;
        for row in table.rows() {
            self.rows += 1;
            if let Some(value) = row[judged].number() {
                let better = |(best, _): &(f64, _)| if less { value < *best } else { value > *best };
                if self.best.as_ref().is_none_or(better) {
                    self.best = Some((value, row.to_vec()));
                }
            }
            if self.first.rows().len() < SHOWN_AT_ENDS {
                self.first.push(row.iter().cloned());
            } else {
                if self.last.len() == SHOWN_AT_ENDS {
                    self.last.pop_front();
                }
                self.last.push_back(row.to_vec());
            }
        }
    }

    pub(super) fn text(&self, plan: &Plan, style: &Style) -> String {
        let mut table = self.first.clone();
        self.last.iter().for_each(|row| table.push(row.iter().cloned()));
        let left_out = self.rows - table.rows().len() as u64;
        let grid = table.grid((left_out > 0).then_some(SHOWN_AT_ENDS));
        let machine = &plan.sweep.grid().study().machine;
        let (machine, model) = (machine.name(), machine.sharing().in_words());
        let points = figures::count(plan.points.end - plan.points.start, "point");
        let mut text =
            format!("Machine: {machine}\nModel:   {model}\nSweep:   {points}\n\n{}", grid.render(style));
        if left_out > 0 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\n{left_out} rows between are not shown; --format csv has all of them.");
        }
        if let Some((value, row)) = &self.best {
            let axes = plan.sweep.grid().axes().len();
            let at: Vec<String> = table
                .columns()
                .iter()
                .zip(row)
                .enumerate()
                .filter(|(c, (column, _))| *c < axes || ["scenario", "policy"].contains(&&*column.name))
                .map(|(_, (column, cell))| format!("{} = {cell}", column.key()))
                .collect();
            let what = match plan.sweep.work() {
                Work::Evaluate(_) => "Most GFLOPS".to_owned(),
                Work::Explore(asked) => format!("Best {}", asked.objective.name()),
                Work::Simulate(_) => "Shortest makespan".to_owned(),
            };
            let best = format!("{what}: {} at {}", figures::single(*value), at.join(", "));
            let _ = writeln!(text, "\n{}", wrap(&best, style.columns()).join("\n"));
        }
        text
    }
}
