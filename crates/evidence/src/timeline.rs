//! The timeline of a run, in the format of `numasim run` and `numasim simulate --timeline`: the input is
//! text, the output is steps.
//!
//! A row is valid from its time until the next row of the same application and node. Unknown cells are empty.

#![allow(clippy::result_large_err, reason = "a problem is made a few times in a run, and ends it")]

use numasim_model::units::Seconds;
use numasim_study::{Problem, ProblemKind};

use numasim_study::csv::{Row, Rows, first, is_full, shown};

/// The columns that are read; others are ignored.
const COLUMNS: [&str; 8] = ["time_s", "app", "node", "running", "busy", "blocked", "gflops", "items"];
const HINT: &str = "take the file as the program wrote it";

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The start of its validity.
    pub time: Seconds,
    /// Index of its application among the requested ones.
    pub app: usize,
    /// Its node.
    pub node: usize,
    /// Threads that run a task.
    pub running: Option<f64>,
    /// Cores that they use.
    pub busy: Option<f64>,
    /// Threads that may not run.
    pub blocked: Option<f64>,
    /// GFLOPS.
    pub gflops: Option<f64>,
    /// Items of the application that are produced and not finished, over all its channels, on any node.
    pub items: f64,
}

/// Reads a timeline of these applications on this number of nodes.
///
/// # Errors
/// Missing columns; rows that are not of these applications and nodes, are not numbers, or are earlier than
/// the row before.
pub fn read(text: &str, apps: &[&str], nodes: usize) -> Result<Vec<Step>, Vec<Problem>> {
    let mut rows = Rows::new(text).map_err(|problem| vec![problem])?;
    let mut columns = [0; COLUMNS.len()];
    for (place, name) in columns.iter_mut().zip(COLUMNS) {
        let Some(column) = rows.column(name) else {
            let problem = rows.header_lacks(format!("there is no column `{name}`"));
            return Err(vec![problem.hint(HINT)]);
        };
        *place = column;
    }
    let (mut steps, mut problems) = (Vec::new(), Vec::new());
    let mut last = Seconds::new(0.0);
    while let Some(row) = rows.next() {
        match row.and_then(|row| step(&row, columns, apps, nodes, last)) {
            Ok(step) => {
                last = step.time;
                steps.push(step);
            }
            Err(problem) => problems.push(problem),
        }
        if is_full(&problems) {
            break;
        }
    }
    if problems.is_empty() { Ok(steps) } else { Err(first(problems)) }
}

fn step(
    row: &Row<'_>,
    [time, app, node, running, busy, blocked, gflops, items]: [usize; COLUMNS.len()],
    apps: &[&str],
    nodes: usize,
    last: Seconds,
) -> Result<Step, Problem> {
    let refused = |column, message: String| row.problem(column, ProblemKind::BadValue, message).hint(HINT);
    let amount = |column| row.amount(column, "a number, zero or more");
    let known = |column| {
        if row.text(Some(column)).is_empty() { Ok(None) } else { amount(column).map(Some) }
    };
    let at = Seconds::new(amount(time)?);
    if at < last {
        let message = format!("{} s is earlier than the row before, {} s", at.value(), last.value());
        return Err(refused(time, message));
    }
    let name = row.name(app)?;
    let number = apps.iter().position(|known| *known == name);
    let number = number.ok_or_else(|| refused(app, format!("there is no application '{}'", shown(name))))?;
    let on = row.whole_number(node, 0, "the number of a node, from 0")?;
    let on = usize::try_from(on).unwrap_or(usize::MAX);
    if on >= nodes {
        return Err(refused(node, format!("there is no node {on}: the machine has {nodes}")));
    }
    Ok(Step {
        time: at,
        app: number,
        node: on,
        running: known(running)?,
        busy: known(busy)?,
        blocked: known(blocked)?,
        gflops: known(gflops)?,
        items: amount(items)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "time_s,app,node,running,busy,idle,blocked,gflops,gbs,items\n";

    fn messages(text: &str) -> Vec<String> {
        let problems = read(text, &["a", "b, c"], 2).expect_err("problems");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn rows_are_steps_and_unknown_values_are_absent() {
        let rows = "0,\"b, c\",1,2,1.5,0,1,15,1.5,3\n0.25,a,0,,0.5,,,,,0\n";
        let steps = read(&format!("{HEADER}{rows}"), &["a", "b, c"], 2).expect("a timeline");
        let of = |step: &Step| (step.time.value(), step.app, step.node, step.running, step.busy, step.items);
        assert_eq!(of(&steps[0]), (0.0, 1, 1, Some(2.0), Some(1.5), 3.0));
        assert_eq!(of(&steps[1]), (0.25, 0, 0, None, Some(0.5), 0.0));
        assert_eq!((steps[0].blocked, steps[0].gflops, steps[1].gflops), (Some(1.0), Some(15.0), None));
    }

    #[test]
    fn rows_of_others_and_earlier_rows_are_reported() {
        let row = |time: &str, app: &str, node: &str| format!("{time},{app},{node},1,1,0,0,1,1,0\n");
        let text = HEADER.to_owned() + &row("1", "a", "0") + &row("0.5", "a", "0") + &row("1", "x", "0");
        let text = text + &row("1", "a", "2") + &row("soon", "a", "0");
        assert_eq!(
            messages(&text),
            [
                "0.5 s is earlier than the row before, 1 s",
                "there is no application 'x'",
                "there is no node 2: the machine has 2",
                "`time_s` is 'soon', not a number",
            ]
        );
        assert_eq!(messages("time_s,app,node\n"), ["there is no column `running`"]);
    }
}
