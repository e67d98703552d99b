//! The rows of a sweep as CSV, the one form in which they are made; [`super::shown`] turns them into the others.

use std::io::Write as _;

use numasim_model::{Allocation, NodeId, Placement};
use numasim_sim::sweep::{Sweep, Value};

use super::plan::{Plan, Work};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    /// The value of the axis with this number.
    Key(usize),
    /// Name of the scenario.
    Scenario,
    /// Who decides in a simulation.
    Policy,
    /// `ok`; of explore `optimal` or `feasible`; `infeasible` or `not found` where there is no result;
    /// of a simulation also `until` (not finished at --until) and `deadlock`.
    Status,
    /// The objective of explore.
    Value,
    /// No allocation has a better value.
    Bound,
    /// |bound - value| / |bound|.
    Gap,
    /// GFLOPS of all applications.
    Total,
    /// GFLOPS of the application with this number.
    Gflops(usize),
    /// Its threads on each node, with spaces between.
    Threads(usize),
    /// The node of its data, where explore chose it.
    Home(usize),
    /// When the last application is finished, s.
    Makespan,
    /// When the application with this number is finished, s.
    Finished(usize),
    /// The most items in the channel with this number.
    MaxItems(usize),
    /// Orders of the policy.
    Commands,
    /// Threads that orders unblocked.
    CoreMoves,
    /// Nodes whose own threads are starved by remote reads.
    Starved,
    /// Why there is no result.
    Reason,
    /// What to know about the answer of explore beside value and status: stable words with `;` between them.
    Cautions,
}

/// The columns of a plan, in order.
pub(super) fn columns(plan: &Plan) -> Vec<Column> {
    let apps = 0..plan.sweep.study().apps.len();
    let mut columns: Vec<Column> = (0..plan.sweep.axes().len()).map(Column::Key).collect();
    match &plan.work {
        Work::Simulate(_) => {
            let channels = 0..plan.sweep.study().dynamics.channels.len();
            columns.extend([Column::Policy, Column::Status, Column::Makespan]);
            columns.extend(apps.map(Column::Finished));
            columns.extend(channels.map(Column::MaxItems));
            columns.extend([Column::Commands, Column::CoreMoves, Column::Reason]);
            return columns;
        }
        Work::Evaluate(_) => columns.extend([Column::Scenario, Column::Status, Column::Total]),
        Work::Explore(_) => {
            columns.extend([Column::Status, Column::Value, Column::Bound, Column::Gap, Column::Total]);
        }
    }
    columns.extend(apps.clone().map(Column::Gflops));
    if let Work::Explore(_) = plan.work {
        columns.extend(apps.clone().map(Column::Threads));
        columns.extend(apps.filter(|&app| plan.sweep.may_choose_home(app)).map(Column::Home));
    }
    columns.extend([Column::Starved, Column::Reason]);
    if let Work::Explore(_) = plan.work {
        columns.push(Column::Cautions);
    }
    columns
}

/// The names in the header.
pub(super) fn names(plan: &Plan, columns: &[Column]) -> Vec<String> {
    let app = |app: usize| &plan.sweep.study().apps[app].name;
    let name = |column: &Column| match *column {
        Column::Key(axis) => plan.sweep.axes()[axis].key().to_owned(),
        Column::Scenario => "scenario".to_owned(),
        Column::Status => "status".to_owned(),
        Column::Value => "value".to_owned(),
        Column::Bound => "bound".to_owned(),
        Column::Gap => "gap".to_owned(),
        Column::Total => "total_gflops".to_owned(),
        Column::Gflops(a) => format!("gflops:{}", app(a)),
        Column::Threads(a) => format!("threads:{}", app(a)),
        Column::Home(a) => format!("home:{}", app(a)),
        Column::Policy => "policy".to_owned(),
        Column::Makespan => "makespan_s".to_owned(),
        Column::Finished(a) => format!("finished_s:{}", app(a)),
        Column::MaxItems(channel) => {
            let ends = &plan.sweep.study().dynamics.channels[channel];
            format!("max_items:{}->{}", app(ends.from.0), app(ends.to.0))
        }
        Column::Commands => "commands".to_owned(),
        Column::CoreMoves => "core_moves".to_owned(),
        Column::Starved => "starved_nodes".to_owned(),
        Column::Reason => "reason".to_owned(),
        Column::Cautions => "cautions".to_owned(),
    };
    columns.iter().map(name).collect()
}

/// The header line.
pub(super) fn header(plan: &Plan, columns: &[Column]) -> Vec<u8> {
    let mut line = Vec::new();
    for (i, name) in names(plan, columns).iter().enumerate() {
        if i > 0 {
            line.push(b',');
        }
        line.extend(quoted(name).bytes());
    }
    line.push(b'\n');
    line
}

/// A cell of text, in quotes where CSV needs them. No text here has line breaks: names have none.
pub(super) fn quoted(text: &str) -> String {
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Rows in the making. Writing to memory cannot fail.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// CSV lines.
    pub(super) text: Vec<u8>,
    /// Rows with starved nodes.
    pub(super) starved: u64,
    /// Rows without a result.
    pub(super) failed: u64,
}

impl Rows {
    /// The value of every axis at a point.
    pub(super) fn keys(&mut self, sweep: &Sweep, indices: &[u64]) {
        for (axis, &index) in sweep.axes().iter().zip(indices) {
            match axis.value(index) {
                Value::Number(number) => self.number(number),
                Value::Data(word, _) => self.text(word),
            }
        }
    }

    /// A number that reads back as the same number; nothing where there is none (a bound that is not finite).
    pub(super) fn number(&mut self, number: f64) {
        if !number.is_finite() {
            return self.empty(1);
        }
        // Adding 0 takes the sign from -0.
        let _ = write!(self.text, "{},", number + 0.0);
    }

    /// A cell that needs no quotes.
    pub(super) fn text(&mut self, cell: &str) {
        self.text.extend_from_slice(cell.as_bytes());
        self.text.push(b',');
    }

    /// Cells with nothing in them.
    pub(super) fn empty(&mut self, cells: usize) {
        self.text.extend(std::iter::repeat_n(b',', cells));
    }

    /// Threads of every application, a cell for each.
    pub(super) fn threads(&mut self, allocation: &Allocation) {
        for app in (0..allocation.apps()).map(numasim_model::AppId) {
            let counts: Vec<String> = allocation.row(app).iter().map(u32::to_string).collect();
            self.text(&counts.join(" "));
        }
    }

    /// The homes of those applications that have a column for it.
    pub(super) fn homes(&mut self, columns: &[Column], placements: &[Placement]) {
        for column in columns {
            if let Column::Home(app) = *column {
                let home = placements.get(app).and_then(Placement::home);
                self.text(&home.map_or(String::new(), |home| home.0.to_string()));
            }
        }
    }

    /// Ends a row of a simulation that has a result.
    pub(super) fn end_with_all(&mut self) {
        self.text.push(b'\n');
    }

    /// Ends a row that has a result. `cautions`: `None` where there is no column for them.
    pub(super) fn end(&mut self, starved: impl Iterator<Item = NodeId>, cautions: Option<&str>) {
        let before = self.text.len();
        for node in starved {
            let space = if self.text.len() > before { " " } else { "" };
            let _ = write!(self.text, "{space}{}", node.0);
        }
        self.starved += u64::from(self.text.len() > before);
        // The reason is empty.
        self.text.push(b',');
        if let Some(cautions) = cautions {
            self.text.push(b',');
            self.text.extend_from_slice(cautions.as_bytes());
        }
        self.text.push(b'\n');
    }

    /// Ends a row that has none: the cells `before` the reason are empty, then why, then the cells `after` it.
    pub(super) fn end_without(&mut self, before: usize, reason: &str, after: usize) {
        self.empty(before);
        self.text.extend_from_slice(quoted(reason).as_bytes());
        self.empty(after);
        self.text.push(b'\n');
        self.failed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_with_commas_and_quotes_stands_in_quotes() {
        assert_eq!(quoted("uneven 1,1"), "\"uneven 1,1\"");
        assert_eq!(quoted("the \"best\""), "\"the \"\"best\"\"\"");
        assert_eq!(quoted("even"), "even");
    }

    #[test]
    fn numbers_read_back_as_they_were() {
        let mut rows = Rows::default();
        rows.number(0.1 + 0.2);
        rows.number(-0.0);
        rows.number(1e-7);
        assert_eq!(rows.text, b"0.30000000000000004,0,0.0000001,");
    }
}
